// The front door of the catalog: its verbs change folders and services in the store, and `listing` gives readers a value
// in memory that is refreshed whenever the catalog has changed on any replica.

import { cacheValue } from '../foundation/cache/cachedValue.ts';
import type { Clock } from '../foundation/clock.ts';
import { HOUR } from '../foundation/clock.ts';
import { StewardError, invalidField, noSuchName } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import { silentDecision } from '../model/decision.ts';
import { changedValues, newValues } from '../model/entity/field.ts';
import type { GivenValues, NewValues } from '../model/entity/field.ts';
import { SERVICE } from '../model/entity/service.ts';
import type { ServiceKey } from '../model/serviceKey.ts';
import { labelOf } from '../model/serviceKey.ts';
import type { ImportCounts, ImportedCatalog } from './catalogImport.ts';
import { planImport } from './catalogImport.ts';
import type { CatalogStore } from './catalogStore.ts';
import type { CatalogListing } from './listing.ts';
import { EMPTY_LISTING, applyChanges, hasService } from './listing.ts';
import type { Folder, Service } from './service.ts';
import { changedService, newService, serviceAnnouncement, serviceDecision } from './service.ts';

/** The store keeps the names of removed services for a day. A replica reloads the whole catalog well before that. */
const RELOAD_AFTER_MS = 12 * HOUR;

function requireFound(found: Service | undefined, key: ServiceKey): Service {
  if (found !== undefined) return found;
  throw noSuchName('service', labelOf(key));
}

/** Creates the area that knows which services are published. */
export function createCatalog({ store, clock }: { readonly store: CatalogStore; readonly clock: Clock }) {
  let current = EMPTY_LISTING;
  let pulledAt = 0;
  let pulling: Promise<CatalogListing> = Promise.resolve(current);

  async function pull(): Promise<CatalogListing> {
    const now = clock.now();
    const changes = await store.changesSince(now - pulledAt > RELOAD_AFTER_MS ? 0 : current.revision);
    current = applyChanges(changes.isWhole ? EMPTY_LISTING : current, changes);
    pulledAt = now;
    return current;
  }

  // One pull waits for the other, so that an older listing never replaces a newer one.
  const { read: listing, invalidate } = cacheValue(() => (pulling = pulling.then(pull, pull)));

  async function setState(key: ServiceKey, by: Actor, state: Service['state']): Promise<Service> {
    const [verb, event] =
      state === 'running' ? (['start', 'service.started'] as const) : (['stop', 'service.stopped'] as const);
    const service = await store.changeService(key, by, ({ found }) => {
      const before = requireFound(found, key);
      if (before.state === state) return silentDecision({ kind: 'none' });
      return serviceDecision(`service.${verb}`, event, before, changedService(before, { state }, clock.now()));
    });
    return requireFound(service, key);
  }

  return {
    /** Returns everything that is published, from memory if nothing has changed. */
    listing,

    /** Drops the cached listing after a change of the catalog, on this replica or another. */
    invalidate,

    /** Reads a service from the store, so that a change by another replica is always seen. */
    async service(key: ServiceKey): Promise<Service> {
      return requireFound(await store.service(key), key);
    },

    /** Refuses a service that does not exist. Asks the store only if the listing does not have it. */
    async requireService(key: ServiceKey): Promise<void> {
      if (!hasService(await listing(), key)) requireFound(await store.service(key), key);
    },

    async createFolder(by: Actor, folder: Omit<Folder, 'created'>): Promise<void> {
      const { name } = folder;
      await store.changeFolder(name, by, ({ found, addressIsTaken }) => {
        if (found !== undefined) throw new StewardError('conflict', `A folder named \`${name}\` already exists.`);
        if (addressIsTaken)
          throw new StewardError(
            'conflict',
            `The folder \`${name}\` would have the same address as the service \`${name}\` in the root.`,
          );
        const created = { ...folder, created: clock.now() };
        const note = { action: 'folder.create', target: `folder ${name}`, after: created };
        return silentDecision({ kind: 'put', folder: created }, note);
      });
    },

    async deleteFolder(by: Actor, name: string): Promise<void> {
      await store.changeFolder(name, by, ({ found, services }) => {
        if (found === undefined) throw noSuchName('folder', name);
        if (services > 0) {
          const count = services === 1 ? 'one service' : `${services} services`;
          throw new StewardError(
            'conflict',
            `The folder \`${name}\` is not empty: it has ${count}. Delete them first.`,
          );
        }
        return silentDecision({ kind: 'remove' }, { action: 'folder.delete', target: `folder ${name}`, before: found });
      });
    },

    async createService(by: Actor, key: ServiceKey, details: NewValues<typeof SERVICE>): Promise<Service> {
      const service = await store.changeService(key, by, ({ found, folderExists, addressIsTaken }) => {
        if (!folderExists)
          throw invalidField(
            'folderName',
            `must be an existing folder, not "${key.folder}"; create it with createFolder`,
          );
        if (found !== undefined)
          throw new StewardError('conflict', `A service named \`${labelOf(key)}\` already exists.`);
        if (addressIsTaken)
          throw new StewardError(
            'conflict',
            `The service \`${labelOf(key)}\` would have the same address as the folder \`${labelOf(key)}\`.`,
          );
        const { folder, name, type } = key;
        const created = newService(
          { folder, name, type, ...newValues(SERVICE, details), state: 'running' },
          by,
          clock.now(),
        );
        return serviceDecision('service.create', 'service.created', undefined, created);
      });
      return requireFound(service, key);
    },

    /** Changes the given details. With `ifRevision`, refuses if the service has changed since that revision. */
    async editService(
      by: Actor,
      key: ServiceKey,
      details: GivenValues<typeof SERVICE>,
      ifRevision: number | undefined,
    ): Promise<Service> {
      const service = await store.changeService(key, by, ({ found }) => {
        const before = requireFound(found, key);
        if (ifRevision !== undefined && ifRevision !== before.revision) {
          throw new StewardError(
            'conflict',
            `The service \`${labelOf(key)}\` has revision ${before.revision}, not ${ifRevision}. Read it again.`,
          );
        }
        const after = changedService(before, changedValues(SERVICE, before, details), clock.now());
        return serviceDecision('service.edit', 'service.changed', before, after);
      });
      return requireFound(service, key);
    },

    async deleteService(by: Actor, key: ServiceKey): Promise<void> {
      await store.changeService(key, by, ({ found }) => ({
        change: { kind: 'remove' },
        announce: [serviceAnnouncement('service.deleted', requireFound(found, key))],
        audit: [{ action: 'service.delete', target: `service ${labelOf(key)}`, before: found }],
      }));
    },

    /** Imports folders and services. With `isDryRun` everything is checked and counted, and nothing is changed. */
    async importCatalog(by: Actor, imported: ImportedCatalog, isDryRun: boolean): Promise<ImportCounts> {
      let counts: ImportCounts | undefined;
      const named = { folders: imported.folders.map(({ name }) => name), services: imported.services };
      await store.importCatalog(by, named, (present) => {
        const plan = planImport(present, imported, by, clock.now());
        counts = plan.counts;
        return isDryRun ? silentDecision({ folders: [], services: [] }) : plan.decision;
      });
      return counts ?? Promise.reject(new Error('the store did not ask for a decision'));
    },

    startService: (by: Actor, key: ServiceKey): Promise<Service> => setState(key, by, 'running'),
    stopService: (by: Actor, key: ServiceKey): Promise<Service> => setState(key, by, 'stopped'),
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
