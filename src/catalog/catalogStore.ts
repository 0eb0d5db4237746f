import type { ServiceKey } from '../model/serviceKey.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { Folder, FolderChange, Service, ServiceChange } from './service.ts';

/** The state that a decision about a service is based on, read under lock. */
export interface ServiceSnapshot {
  readonly found: Service | undefined;
  /** Always true for the root folder. */
  readonly folderExists: boolean;
  /** Whether a folder has the name `name.type` of this root service: both would have the same address. */
  readonly addressIsTaken: boolean;
}

export interface FolderSnapshot {
  readonly found: Folder | undefined;
  readonly services: number;
  /** Whether a root service has this folder's name as its `name.type`. */
  readonly addressIsTaken: boolean;
}

/** The changes since a revision of the catalog; since revision 0, the whole catalog. */
export interface CatalogChanges {
  readonly revision: number;
  /** Whether `changed` and `changedFolders` are the whole catalog. */
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
  /**
   * Writes all of an import or nothing, with no other write in between. `decide` gets those of the named folders and services
   * that exist, and those that occupy their addresses.
   */
  importCatalog(
    by: Actor,
    named: { readonly folders: readonly string[]; readonly services: readonly ServiceKey[] },
    decide: (present: CatalogContent) => Decision<CatalogContent>,
  ): Promise<void>;
  changeFolder(name: string, by: Actor, decide: (snapshot: FolderSnapshot) => Decision<FolderChange>): Promise<void>;
  changeService(
    key: ServiceKey,
    by: Actor,
    decide: (snapshot: ServiceSnapshot) => Decision<ServiceChange>,
  ): Promise<Service | undefined>;
}
