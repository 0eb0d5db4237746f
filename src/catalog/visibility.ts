import type { Service } from './service.ts';
import type { CatalogListing, FolderListing, ServiceChunk } from './listing.ts';
import { folderOf } from './listing.ts';

/** A caller without a token sees the public services, a caller with one sees all; both see running services only. */
export type Visibility = 'public' | 'all';

export function isVisible({ state, access }: Service, view: Visibility): boolean {
  return state === 'running' && (view === 'all' || access === 'public');
}

const visibleChunks: Readonly<Record<Visibility, WeakMap<ServiceChunk, boolean>>> = {
  public: new WeakMap(),
  all: new WeakMap(),
};

/** Chunks are immutable, so the answer for a chunk is cached. */
function hasVisibleService(chunk: ServiceChunk, view: Visibility): boolean {
  let isAnyVisible = visibleChunks[view].get(chunk);
  if (isAnyVisible === undefined) {
    isAnyVisible = chunk.some((service) => isVisible(service, view));
    visibleChunks[view].set(chunk, isAnyVisible);
  }
  return isAnyVisible;
}

/** An empty folder is visible to all. A folder in which the caller may see no service is hidden, its name included. */
function isFolderVisible({ chunks }: FolderListing, view: Visibility): boolean {
  return chunks.length === 0 || chunks.some((chunk) => hasVisibleService(chunk, view));
}

/** Returns the visible folders below the root. */
export function visibleFolders({ folders }: CatalogListing, view: Visibility): readonly FolderListing[] {
  return folders.filter((one) => one.folder.name !== '' && isFolderVisible(one, view));
}

/** Returns undefined both for a hidden folder and for one that does not exist. */
export function visibleFolder(listing: CatalogListing, name: string, view: Visibility): FolderListing | undefined {
  const found = folderOf(listing, name);
  return found !== undefined && (name === '' || isFolderVisible(found, view)) ? found : undefined;
}
