// The catalog in memory. A listing is immutable and sorted; a change makes a new one that shares all chunks it does not touch,
// so that the rendered form of a chunk can be cached for as long as the chunk lives.

import type { CatalogChanges } from './catalogStore.ts';
import type { Folder, Service } from './service.ts';
import type { ServiceKey } from '../model/serviceKey.ts';

/** Everything that is published, ordered by folder, name and type. */
export interface CatalogListing {
  readonly revision: number;
  /** The root first, then the folders by name. */
  readonly folders: readonly FolderListing[];
}

export interface FolderListing {
  readonly folder: Folder;
  readonly chunks: readonly ServiceChunk[];
}

/** Up to 256 services of one folder, sorted; never empty. */
export type ServiceChunk = readonly Service[];

const MAX_CHUNK = 256;
const ROOT: Folder = { name: '', description: '', created: 0 };

export const EMPTY_LISTING: CatalogListing = { revision: 0, folders: [{ folder: ROOT, chunks: [] }] };

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareKeys(a: ServiceKey, b: ServiceKey): number {
  return compareText(a.name, b.name) || compareText(a.type, b.type);
}

/** Finds the first position of a sorted array whose item is not before the searched one. */
function lowerBound<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const item = items[middle];
    if (item !== undefined && isBefore(item)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function split(chunk: ServiceChunk): readonly ServiceChunk[] {
  if (chunk.length <= MAX_CHUNK) return chunk.length === 0 ? [] : [chunk];
  const half = chunk.length >>> 1;
  return [chunk.slice(0, half), chunk.slice(half)];
}

/** Finds the chunk that has or would have a service: the last one that does not begin after it, or the first one. */
function chunkPlace(chunks: readonly ServiceChunk[], key: ServiceKey) {
  const after = lowerBound(chunks, ([first]) => first !== undefined && compareKeys(first, key) <= 0);
  const index = Math.max(0, after - 1);
  const chunk = chunks[index] ?? [];
  const at = lowerBound(chunk, (service) => compareKeys(service, key) < 0);
  const found = chunk[at];
  return { index, chunk, at, exists: found !== undefined && compareKeys(found, key) === 0 };
}

/** Inserts, replaces or (without `service`) removes one service. */
function withService(
  chunks: readonly ServiceChunk[],
  key: ServiceKey,
  service: Service | undefined,
): readonly ServiceChunk[] {
  const { index, chunk, at, exists } = chunkPlace(chunks, key);
  if (service === undefined && !exists) return chunks;
  const next = chunk.toSpliced(at, exists ? 1 : 0, ...(service === undefined ? [] : [service]));
  return chunks.toSpliced(index, chunks.length === 0 ? 0 : 1, ...split(next));
}

export function hasService(listing: CatalogListing, key: ServiceKey): boolean {
  return chunkPlace(folderOf(listing, key.folder)?.chunks ?? [], key).exists;
}

export function folderOf({ folders }: CatalogListing, name: string): FolderListing | undefined {
  const candidate = folders[lowerBound(folders, ({ folder }) => compareText(folder.name, name) < 0)];
  return candidate?.folder.name === name ? candidate : undefined;
}

/** For the first load: sorting and cutting is faster than inserting services one by one. */
function cutIntoChunks(services: readonly Service[]): readonly ServiceChunk[] {
  const sorted = services.toSorted(compareKeys);
  return Array.from({ length: Math.ceil(sorted.length / MAX_CHUNK) }, (_, n) =>
    sorted.slice(n * MAX_CHUNK, (n + 1) * MAX_CHUNK),
  );
}

function applyToFolder(
  { folder, chunks }: FolderListing,
  changed: readonly Service[],
  removed: readonly ServiceKey[],
): FolderListing {
  if (chunks.length === 0) return { folder, chunks: cutIntoChunks(changed) };
  let next = chunks;
  for (const key of removed) next = withService(next, key, undefined);
  for (const service of changed) next = withService(next, service, service);
  return { folder, chunks: next };
}

function byFolder<T extends ServiceKey>(items: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.folder);
    if (group === undefined) groups.set(item.folder, [item]);
    else group.push(item);
  }
  return groups;
}

/** Applies changes from the store. A service that is both removed and changed was published again. */
export function applyChanges(before: CatalogListing, changes: CatalogChanges): CatalogListing {
  const removedFolders = new Set(changes.removedFolders);
  const put = new Map(changes.changedFolders.map((folder) => [folder.name, folder]));
  const kept = before.folders.filter(({ folder }) => put.has(folder.name) || !removedFolders.has(folder.name));
  const known = new Set(kept.map(({ folder }) => folder.name));
  const added = changes.changedFolders
    .filter(({ name }) => !known.has(name))
    .map((folder): FolderListing => ({ folder, chunks: [] }));
  const all =
    added.length === 0 ? kept : [...kept, ...added].toSorted((a, b) => compareText(a.folder.name, b.folder.name));
  const [changed, removed] = [byFolder(changes.changed), byFolder(changes.removed)];
  const folders = all.map((one) => {
    const { name } = one.folder;
    const current = put.has(name) ? { ...one, folder: put.get(name) ?? one.folder } : one;
    if (!changed.has(name) && !removed.has(name)) return current;
    return applyToFolder(current, changed.get(name) ?? [], removed.get(name) ?? []);
  });
  return { revision: changes.revision, folders };
}
