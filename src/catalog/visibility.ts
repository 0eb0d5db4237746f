import type { Service } from './catalogStore.ts';
import type { Chunk, FolderListing, Listing } from './listing.ts';
import { folderOf } from './listing.ts';

/** What a caller sees: without a token the public services, with one of any role all; either way only those that run. */
export type View = 'public' | 'all';

export function isVisible({ state, access }: Service, view: View): boolean {
  return state === 'running' && (view === 'all' || access === 'public');
}

const seen: Readonly<Record<View, WeakMap<Chunk, boolean>>> = { public: new WeakMap(), all: new WeakMap() };

/** Chunks never change, so each is looked at once for each view. */
function showsAnything(chunk: Chunk, view: View): boolean {
  let shows = seen[view].get(chunk);
  if (shows === undefined) {
    shows = chunk.some((service) => isVisible(service, view));
    seen[view].set(chunk, shows);
  }
  return shows;
}

/** An empty folder is no secret; one that holds only what the caller may not see is. */
function isShown({ chunks }: FolderListing, view: View): boolean {
  return chunks.length === 0 || chunks.some((chunk) => showsAnything(chunk, view));
}

/** The folders below the root that the caller may know of. */
export function shownFolders({ folders }: Listing, view: View): readonly FolderListing[] {
  return folders.filter((one) => one.folder.name !== '' && isShown(one, view));
}

/** Undefined alike for a folder that is not there and for one that the caller may not know of. */
export function shownFolder(listing: Listing, name: string, view: View): FolderListing | undefined {
  const found = folderOf(listing, name);
  return found !== undefined && (name === '' || isShown(found, view)) ? found : undefined;
}
