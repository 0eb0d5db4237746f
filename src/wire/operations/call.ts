// Calls of operations by their rows. The path of an operation carries the type of its row, from which the fields that a client sends
// and the answer that it gets follow. A client names an operation; it never writes its path.
import type { ShapeType } from '../../foundation/schema/shape.ts';
import type { Field, SentFile } from './fields.ts';
import type { Operation, Operations } from './operations.ts';

declare const CALLED: unique symbol;
declare const UNFILLED: unique symbol;

/** Where an operation is called, below {root}. */
export type Address<O extends Operation = Operation> = string & { readonly [CALLED]: O };

/** A path with names in braces. `at` fills them. */
export type Template<O extends Operation = Operation> = string & { readonly [UNFILLED]: O };

type NamesIn<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | NamesIn<Rest> : never;

/** The parts of the path that a call has to name. Of two operations, those of both. */
export type PathNames<O extends Operation> = { readonly [N in NamesIn<O['path']>]: string };

type RouteOf<O extends Operation> = [NamesIn<O['path']>] extends [never] ? Address<O> : Template<O>;

/** Tables of operations by their area. */
export type Tables = Readonly<Record<string, Operations>>;

/** Every operation of the tables by its name: its address, or the template of it. */
export type RoutesOf<T extends Tables> = {
  readonly [A in keyof T]: { readonly [N in keyof T[A]]: RouteOf<T[A][N]> };
};

/** The answer to a success. The tests of the server compare its answers with this shape. */
export type AnswerOf<R> = R extends Address<infer O> | Template<infer O> ? ShapeType<O['answer']> : never;

/**
 * What a client sends as the value of a field: the value that the server reads, if it has one text only, or its text. A number may be
 * the text of a form. What the server reads from a document is sent as text or as a file, of the type `F`.
 */
type SentValue<T, F> = [T] extends [boolean | string]
  ? T
  : [T] extends [number]
    ? number | string
    : [T] extends [SentFile]
      ? F
      : string | F;

type RequiredNames<O extends Operation> = {
  [K in keyof O['fields']]: O['fields'][K] extends Field<unknown, true> ? K : never;
}[keyof O['fields']];

type ValueOf<D, F> = D extends Field<infer T> ? SentValue<T, F> : never;

/** Shows an intersection as one object in the messages of the compiler. */
type Flat<T> = { [K in keyof T]: T[K] };

/** The fields of a call, for a client whose files are of the type `F`. */
export type FieldsOf<O extends Operation, F> = Flat<
  { readonly [K in RequiredNames<O>]: ValueOf<O['fields'][K], F> } & {
    readonly [K in Exclude<keyof O['fields'], RequiredNames<O>>]?: ValueOf<O['fields'][K], F> | undefined;
  }
>;

/** `Without` if the operation requires no field, else `With`. */
export type IfNoneRequired<O extends Operation, Without, With> = [RequiredNames<O>] extends [never] ? Without : With;

/** Returns the paths of all operations in the tables. */
export function pathsOf<const T extends Tables>(tables: T): RoutesOf<T>;
export function pathsOf(tables: Tables): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const pathsIn = (table: Operations) => Object.entries(table).map(([name, { path }]) => [name, path] as const);
  return Object.fromEntries(Object.entries(tables).map(([area, table]) => [area, Object.fromEntries(pathsIn(table))]));
}

/** Encodes a part of a path. The label of a service may have the slash of its folder. */
function encoded(name: string, value: string): string {
  return name === 'service' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
}

/** Fills the names of a template. A name that the template does not have is left out. */
export function at<O extends Operation>(template: Template<O>, names: PathNames<O>): Address<O>;
export function at(template: string, names: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_match, name: string) => encoded(name, names[name] ?? ''));
}
