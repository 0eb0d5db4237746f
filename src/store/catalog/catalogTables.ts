// The tables of the catalog and the statements that its store runs inside its transactions.
import type { Service } from '../../catalog/service.ts';
import { DAY } from '../../foundation/clock.ts';
import type { ServiceKey } from '../../model/serviceKey.ts';
import { integer, oneOf, text } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';

/** Removals are kept for replicas that have not seen them; a replica that was away longer reads the whole catalog. */
const REMOVED_KEPT_MS = DAY;
const PRUNED_AT_ONCE = 500;

/** The revision of the catalog in which a row was last changed. */
const catalogRevision = integer('catalog_revision');

export const folders = table('folder', {
  name: text('name'),
  description: text('description'),
  created: integer('created_at'),
});
export const storedFolders = folders.with({ catalogRevision });

export const services = table('service', {
  folder: text('folder'),
  name: text('name'),
  type: text('type'),
  description: text('description'),
  capabilities: text('capabilities'),
  parentType: text('parent_type'),
  url: text('url'),
  access: oneOf('access', ['public', 'private']),
  state: oneOf('state', ['running', 'stopped']),
  owner: text('owner'),
  created: integer('created_at'),
  modified: integer('modified_at'),
  revision: integer('revision'),
});
export const storedServices = services.with({ catalogRevision });
export const updateService = storedServices.omit('owner', 'created').updater(['folder', 'name', 'type']);

/** A removed folder is an entry with neither name nor type. */
export const removals = table('catalog_removed', {
  folder: text('folder'),
  name: text('name'),
  type: text('type'),
});
const storedRemovals = removals.with({ catalogRevision, at: integer('at') });

export const SERVICE_BY_KEY = `${services.select} where folder = $1 and name = $2 and type = $3`;

export function* recordRemoval(removed: ServiceKey, inRevision: number, now: number): Script<void> {
  yield* storedRemovals.insert({ ...removed, catalogRevision: inRevision, at: now });
  yield* rows(
    `delete from catalog_removed where id in (select id from catalog_removed where at < $1 limit ${PRUNED_AT_ONCE})`,
    now - REMOVED_KEPT_MS,
  );
}

/** Finds the root service that has the same address as a folder of this name: `name.type`. */
export function* serviceAtAddress(folder: string): Script<Service | undefined> {
  const dot = folder.lastIndexOf('.');
  if (dot < 1) return undefined;
  return yield* services.first(SERVICE_BY_KEY, '', folder.slice(0, dot), folder.slice(dot + 1));
}
