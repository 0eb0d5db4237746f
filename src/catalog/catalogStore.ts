import type { ServiceKey } from '../model/serviceKey.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';

export interface Service extends ServiceKey {
  readonly description: string;
  readonly capabilities: string;
  readonly parentType: string;
  /** '' means the address that Steward gives it. */
  readonly url: string;
  readonly access: 'public' | 'private';
  readonly state: 'running' | 'stopped';
  readonly owner: string;
  readonly created: number;
  readonly modified: number;
  /** Counts the changes of this service, so that an edit can say which state it was based on. */
  readonly revision: number;
}

export interface Folder {
  readonly name: string;
  readonly description: string;
  readonly created: number;
}

export type ServiceChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'put'; readonly service: Service }
  | { readonly kind: 'remove' };

export type FolderChange = { readonly kind: 'put'; readonly folder: Folder } | { readonly kind: 'remove' };

export interface ServiceSnapshot {
  readonly found: Service | undefined;
  /** Always true for the root. */
  readonly folderExists: boolean;
  /** A folder whose name is this root service's `name.type`: both would have one address. */
  readonly addressIsTaken: boolean;
}

export interface FolderSnapshot {
  readonly found: Folder | undefined;
  readonly services: number;
  /** A root service whose `name.type` is this folder's name. */
  readonly addressIsTaken: boolean;
}

/** What has changed since a revision of the catalog; since revision 0 it is everything. */
export interface CatalogChanges {
  readonly revision: number;
  /** Everything there is, not only what has changed. */
  readonly isWhole: boolean;
  readonly changedFolders: readonly Folder[];
  readonly removedFolders: readonly string[];
  readonly changed: readonly Service[];
  readonly removed: readonly ServiceKey[];
}

export interface CatalogContent {
  readonly folders: readonly Folder[];
  readonly services: readonly Service[];
}

/** Each method is one transaction. */
export interface CatalogStore {
  changesSince(revision: number): Promise<CatalogChanges>;
  service(key: ServiceKey): Promise<Service | undefined>;
  /** All or nothing, and nobody else writes meanwhile. `decide` sees what there is of what it is about, and what has their addresses. */
  importCatalog(
    by: Actor,
    about: { readonly folders: readonly string[]; readonly services: readonly ServiceKey[] },
    decide: (seen: CatalogContent) => Decision<CatalogContent>,
  ): Promise<void>;
  changeFolder(name: string, by: Actor, decide: (seen: FolderSnapshot) => Decision<FolderChange>): Promise<void>;
  changeService(
    key: ServiceKey,
    by: Actor,
    decide: (seen: ServiceSnapshot) => Decision<ServiceChange>,
  ): Promise<Service | undefined>;
}
