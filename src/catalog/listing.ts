import type { CatalogChanges, Folder, Service } from './catalogStore.ts';
import type { ServiceKey } from '../model/serviceKey.ts';

/**
 * Everything published, in the order folder, name, type, as values that never change: a change makes a new listing that
 * shares every chunk it did not touch. So whoever renders a chunk can keep the result for as long as the chunk lives.
 */
export interface CatalogListing {
  readonly revision: number;
  /** The root first, then the folders by name. */
  readonly folders: readonly FolderListing[];
}

export interface FolderListing {
  readonly folder: Folder;
  readonly chunks: readonly ServiceChunk[];
}

/** Up to 256 services of one folder, in order; never empty. */
export type ServiceChunk = readonly Service[];

const CHUNK_AT_MOST = 256;
const ROOT: Folder = { name: '', description: '', created: 0 };

export const EMPTY_LISTING: CatalogListing = { revision: 0, folders: [{ folder: ROOT, chunks: [] }] };

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareKeys(a: ServiceKey, b: ServiceKey): number {
  return compareText(a.name, b.name) || compareText(a.type, b.type);
}

/** The first position whose item is not before the wanted one. */
function lowerBound<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBefore(items[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function placeOf(chunk: ServiceChunk, key: ServiceKey): { readonly at: number; readonly isThere: boolean } {
  const at = lowerBound(chunk, (service) => compareKeys(service, key) < 0);
  const found = chunk[at];
  return { at, isThere: found !== undefined && compareKeys(found, key) === 0 };
}

function split(chunk: ServiceChunk): readonly ServiceChunk[] {
  if (chunk.length <= CHUNK_AT_MOST) return chunk.length === 0 ? [] : [chunk];
  const half = chunk.length >>> 1;
  return [chunk.slice(0, half), chunk.slice(half)];
}

/** Where its service is or would be: the last chunk that does not begin after it, or the first one. */
function chunkPlace(chunks: readonly ServiceChunk[], key: ServiceKey) {
  const after = lowerBound(chunks, (chunk) => compareKeys(chunk[0] as Service, key) <= 0);
  const index = Math.max(0, after - 1);
  const chunk = chunks[index] ?? [];
  return { index, chunk, ...placeOf(chunk, key) };
}

/** The chunks with one service put in, exchanged or (without `service`) taken out. */
function withService(
  chunks: readonly ServiceChunk[],
  key: ServiceKey,
  service: Service | undefined,
): readonly ServiceChunk[] {
  const { index, chunk, at, isThere } = chunkPlace(chunks, key);
  if (service === undefined && !isThere) return chunks;
  const next = chunk.toSpliced(at, isThere ? 1 : 0, ...(service === undefined ? [] : [service]));
  return chunks.toSpliced(index, chunks.length === 0 ? 0 : 1, ...split(next));
}

function folderPlace(
  folders: readonly FolderListing[],
  name: string,
): { readonly at: number; readonly found: FolderListing | undefined } {
  const at = lowerBound(folders, ({ folder }) => compareText(folder.name, name) < 0);
  const there = folders[at];
  return { at, found: there?.folder.name === name ? there : undefined };
}

export function hasService(listing: CatalogListing, key: ServiceKey): boolean {
  return chunkPlace(folderOf(listing, key.folder)?.chunks ?? [], key).isThere;
}

export function folderOf(listing: CatalogListing, name: string): FolderListing | undefined {
  return folderPlace(listing.folders, name).found;
}

/** Many services at once, for the first load: sorted and cut instead of put in one by one. */
function cutIntoChunks(services: readonly Service[]): readonly ServiceChunk[] {
  const sorted = services.toSorted(compareKeys);
  return Array.from({ length: Math.ceil(sorted.length / CHUNK_AT_MOST) }, (_, n) =>
    sorted.slice(n * CHUNK_AT_MOST, (n + 1) * CHUNK_AT_MOST),
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

/** The listing after what the store says has changed. What is both removed and changed has been published again. */
export function applyChanges(before: CatalogListing, changes: CatalogChanges): CatalogListing {
  const gone = new Set(changes.removedFolders);
  const put = new Map(changes.changedFolders.map((folder) => [folder.name, folder]));
  const kept = before.folders.filter(({ folder }) => put.has(folder.name) || !gone.has(folder.name));
  const known = new Set(kept.map(({ folder }) => folder.name));
  const fresh = changes.changedFolders
    .filter(({ name }) => !known.has(name))
    .map((folder): FolderListing => ({ folder, chunks: [] }));
  const all =
    fresh.length === 0 ? kept : [...kept, ...fresh].toSorted((a, b) => compareText(a.folder.name, b.folder.name));
  const [changed, removed] = [byFolder(changes.changed), byFolder(changes.removed)];
  const folders = all.map((one) => {
    const { name } = one.folder;
    const current = put.has(name) ? { ...one, folder: put.get(name) ?? one.folder } : one;
    if (!changed.has(name) && !removed.has(name)) return current;
    return applyToFolder(current, changed.get(name) ?? [], removed.get(name) ?? []);
  });
  return { revision: changes.revision, folders };
}
