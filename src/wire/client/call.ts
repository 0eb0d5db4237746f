// Calls of operations by their rows. The path of an operation carries what its row says about a call: which fields a client sends, and
// what the answer is. A client names an operation; it never writes its path.
import type { Shape, ShapeType } from '../../foundation/schema/shape.ts';
import type { Field, Fields, SentFile } from '../fields/fields.ts';
import type { Operation, Operations } from '../operations/operations.ts';

/** What a row says about its calls. */
export interface Signature<
  K extends Operation['kind'] = Operation['kind'],
  F extends Fields = Fields,
  A extends Shape = Shape,
> {
  readonly kind: K;
  readonly fields: F;
  readonly answer: A;
}

/** An operation that reads. */
export type Reading = Signature<'resource' | 'settings'>;
/** An operation that is sent as a form. */
export type Sending = Signature<'operation' | 'settings'>;

declare const CALL: unique symbol;

/** The path of an operation below {root}, with names in braces, which `at` fills. It is a text that carries a type. */
export type Template<S extends Signature, N> = string & { readonly [CALL]: (names: N) => S };

/** Where an operation is called, below {root}: a path without names. */
export type Address<S extends Signature = Signature> = Template<S, unknown>;

type NamesIn<P extends string> = P extends `${string}{${infer N}}${infer Rest}` ? N | NamesIn<Rest> : never;

/** What a call names in the path of an operation. A service is named by its label, or by parts that may have a slash inside. */
export type PathNames<O extends Operation> = {
  readonly [N in NamesIn<O['path']>]: N extends 'service' ? string | readonly string[] : string;
};

type RouteOf<O extends Operation> = [NamesIn<O['path']>] extends [never]
  ? Address<Signature<O['kind'], O['fields'], O['answer']>>
  : Template<Signature<O['kind'], O['fields'], O['answer']>, PathNames<O>>;

/** Tables of operations by their area. */
export type Tables = Readonly<Record<string, Operations>>;

/** The path of every operation in the tables, by area and name. */
export type RoutesOf<T extends Tables> = {
  readonly [A in keyof T]: { readonly [N in keyof T[A]]: RouteOf<T[A][N]> };
};

/** The answer to a success. The tests of the server compare its answers with this shape. */
export type Answer<S extends Signature> = ShapeType<S['answer']>;

/**
 * What a client sends as the value of a field: the value that the server reads, if it has one text only, or its text. A number may be
 * the text of a form. What the server reads from a document is sent as text or as a file, of the type `F`.
 */
type SentValue<T, F> = unknown extends T
  ? string | number | boolean | F
  : [T] extends [boolean | string]
    ? T
    : [T] extends [number]
      ? number | string
      : [T] extends [SentFile]
        ? F
        : string | F;

type RequiredNames<S extends Signature> = {
  [K in keyof S['fields']]: S['fields'][K] extends Field<unknown, true> ? K : never;
}[keyof S['fields']];

type ValueOf<D, F> = D extends Field<infer T> ? SentValue<T, F> : never;

/** Shows an intersection as one object in the messages of the compiler. */
type Flat<T> = { [K in keyof T]: T[K] };

/** The fields of a call, for a client whose files are of the type `F`. */
export type SentFields<S extends Signature, F> = Flat<
  { readonly [K in RequiredNames<S>]: ValueOf<S['fields'][K], F> } & {
    readonly [K in Exclude<keyof S['fields'], RequiredNames<S>>]?: ValueOf<S['fields'][K], F> | undefined;
  }
>;

/** `Some` if the operation requires a field, else `None`. */
export type IfRequires<S extends Signature, Some, None> = [RequiredNames<S>] extends [never] ? None : Some;

/** Returns the path of an operation. */
export function templateOf<O extends Operation>(operation: O): RouteOf<O>;
export function templateOf({ path }: Operation): string {
  return path;
}

function mapped<T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** Returns the paths of all operations in the tables. */
export function pathsOf<const T extends Tables>(tables: T): RoutesOf<T>;
export function pathsOf(tables: Tables): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return mapped(tables, (table) => mapped(table, ({ path }) => path));
}

function partsOf(name: string, value: string | readonly string[]): readonly string[] {
  if (typeof value !== 'string') return value;
  return name === 'service' ? value.split('/') : [value];
}

/** Fills the names of a template. It may have fewer than are given. */
export function at<S extends Signature, N>(template: Template<S, N>, names: N): Address<S>;
export function at(template: string, names: Readonly<Record<string, string | readonly string[]>>): string {
  return template.replace(/\{(\w+)\}/g, (_match, name: string) =>
    partsOf(name, names[name] ?? '')
      .map(encodeURIComponent)
      .join('/'),
  );
}
