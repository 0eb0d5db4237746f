import type { Service } from './catalogStore.ts';
import type { ServiceChunk, FolderListing, CatalogListing } from './listing.ts';
import { folderOf } from './listing.ts';

/** What a caller sees: without a token the public services, with one of any role all; either way only those that run. */
export type Visibility = 'public' | 'all';

export function isVisible({ state, access }: Service, view: Visibility): boolean {
  return state === 'running' && (view === 'all' || access === 'public');
}

const seen: Readonly<Record<Visibility, WeakMap<ServiceChunk, boolean>>> = {
  public: new WeakMap(),
  all: new WeakMap(),
};

/** Chunks never change, so each is looked at once for each view. */
function hasVisibleService(chunk: ServiceChunk, view: Visibility): boolean {
  let shows = seen[view].get(chunk);
  if (shows === undefined) {
    shows = chunk.some((service) => isVisible(service, view));
    seen[view].set(chunk, shows);
  }
  return shows;
}

/** An empty folder is no secret; one that holds only what the caller may not see is. */
function isFolderVisible({ chunks }: FolderListing, view: Visibility): boolean {
  return chunks.length === 0 || chunks.some((chunk) => hasVisibleService(chunk, view));
}

/** The folders below the root that the caller may know of. */
export function visibleFolders({ folders }: CatalogListing, view: Visibility): readonly FolderListing[] {
  return folders.filter((one) => one.folder.name !== '' && isFolderVisible(one, view));
}

/** Undefined alike for a folder that is not there and for one that the caller may not know of. */
export function visibleFolder(listing: CatalogListing, name: string, view: Visibility): FolderListing | undefined {
  const found = folderOf(listing, name);
  return found !== undefined && (name === '' || isFolderVisible(found, view)) ? found : undefined;
}
