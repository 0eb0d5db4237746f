import type { ShapeType } from '../../foundation/schema/shape.ts';
import type { ADDRESS_LIST } from '../../wire/answers/commonAnswers.ts';
import type { Operation, Operations } from '../../wire/operations/operations.ts';
import type { Handler, HandlerResult, Handlers } from './handler.ts';

export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly handle: Handler;
}

/** Pairs operations with their handlers by name. The type `Handlers` has checked each pair, so the cast is safe. */
export function bind<T extends Operations>(table: T, handlers: Handlers<NoInfer<T>>): readonly Route[] {
  return Object.entries(table).map(([name, operation]) => ({
    name,
    operation,
    handle: handlers[name as keyof T] as unknown as Handler,
  }));
}

/** Makes the handler of an address that lists what is below it: everything whose address has no name in braces. */
export function listBelow(
  at: string,
  home: string,
  all: readonly Operation[],
): () => HandlerResult<ShapeType<typeof ADDRESS_LIST>> {
  const below = all.filter(({ path }) => path.startsWith(`${at}/`) && !path.includes('{'));
  const addressesOf = (isVerb: boolean): readonly string[] =>
    below.filter(({ kind }) => (kind === 'operation') === isVerb).map(({ path }) => home + path);
  const body = { resources: addressesOf(false), operations: addressesOf(true).map((address) => `POST ${address}`) };
  return () => ({ body });
}

/** Returns the patterns of a path. A `{service}` may be in a folder; every other name in braces is one part of the path. */
export function patternsOf(path: string): readonly string[] {
  const patterns = path.includes('{service}')
    ? [path.replace('{service}', ':service'), path.replace('{service}', ':folder/:service')]
    : [path];
  return patterns.map((pattern) => pattern.replace(/\{(\w+)\}/g, ':$1'));
}
