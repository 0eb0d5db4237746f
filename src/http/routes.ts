import type { Access } from '../access/access.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { ModeArea } from '../upgrades/mode.ts';
import { accessOperations } from '../wire/accessOperations.ts';
import { catalogOperations } from '../wire/catalogOperations.ts';
import { modeOperations } from '../wire/modeOperations.ts';
import type { Operation, Operations } from '../wire/operations.ts';
import { rootOperations } from '../wire/rootOperations.ts';
import { accessHandlers } from './accessHandlers.ts';
import type { AnyHandler, Handlers } from './call.ts';
import { catalogHandlers } from './catalogHandlers.ts';
import { modeHandlers } from './modeHandlers.ts';

export interface Areas {
  readonly access: Access;
  readonly catalog: Catalog;
  readonly mode: ModeArea;
}

export interface Route {
  readonly name: string;
  readonly operation: Operation;
  readonly handle: AnyHandler;
}

/** A row and its handler belong together by name; the mapped type has checked the pairs, so the cast loses nothing. */
function bind<T extends Operations>(table: T, handlers: Handlers<T>): readonly Route[] {
  return Object.entries(table).map(([name, operation]) => ({
    name,
    operation,
    handle: handlers[name as keyof T] as unknown as AnyHandler,
  }));
}

/** Every operation of the interface below {root}: what OpenAPI, the access matrix and the server are made from. */
export function routes({ access, catalog, mode }: Areas, root: string): readonly Route[] {
  const table = [
    ...bind(accessOperations, accessHandlers(access)),
    ...bind(catalogOperations, catalogHandlers(catalog)),
    ...bind(modeOperations, modeHandlers(mode)),
  ];
  const fixed = table.map(({ operation }) => operation).filter(({ path }) => !path.includes('{'));
  const addressesOf = (isVerb: boolean): readonly string[] =>
    fixed.filter(({ kind }) => (kind === 'operation') === isVerb).map(({ path }) => root + path);
  const index = { resources: addressesOf(false), operations: addressesOf(true).map((address) => `POST ${address}`) };
  return [...bind(rootOperations, { index: () => ({ body: index }) }), ...table];
}

/** `{service}` is `:service` in the root and `:folder/:service` in a folder; other names in braces are one part each. */
export function patternsOf(path: string): readonly string[] {
  const patterns = path.includes('{service}')
    ? [path.replace('{service}', ':service'), path.replace('{service}', ':folder/:service')]
    : [path];
  return patterns.map((pattern) => pattern.replace(/\{(\w+)\}/g, ':$1'));
}
