import type { Actor } from '../model/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { HOUR } from '../foundation/clock.ts';
import type { Decision } from '../model/decision.ts';
import { StewardError, invalidField } from '../foundation/errors.ts';
import { cacheValue } from '../foundation/cachedValue.ts';
import type { CatalogStore, Service, ServiceChange } from './catalogStore.ts';
import type { ServiceKey } from '../model/serviceKey.ts';
import type { ImportCounts, ImportedCatalog } from './catalogImport.ts';
import { planImport } from './catalogImport.ts';
import type { CatalogListing } from './listing.ts';
import { EMPTY_LISTING, applyChanges, hasService } from './listing.ts';
import type { ServiceDetails } from './service.ts';
import { serviceAnnouncement, serviceDecision } from './service.ts';
import { labelOf } from '../model/serviceKey.ts';

/** The store remembers for a day what was removed; well before that a replica loads everything anew. */
const RELOAD_AFTER_MS = 12 * HOUR;

function noService(key: ServiceKey): StewardError {
  return new StewardError('notFound', `There is no service ${labelOf(key)}.`);
}

/** Which services are published. */
export function createCatalog(needs: { readonly store: CatalogStore; readonly clock: Clock }) {
  const { store, clock } = needs;
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

  /** Pulled once for each revision of the catalog, and one pull after the other, so that none overtakes a newer one. */
  const { read: listing, invalidate } = cacheValue(() => (pulling = pulling.then(pull, pull)));

  function edit(
    key: ServiceKey,
    by: Actor,
    decide: (found: Service) => Decision<ServiceChange>,
  ): Promise<Service | undefined> {
    return store.changeService(key, by, ({ found }) => {
      if (found === undefined) throw noService(key);
      return decide(found);
    });
  }

  async function setState(key: ServiceKey, by: Actor, state: Service['state']): Promise<Service> {
    const verb = state === 'running' ? 'start' : 'stop';
    const event = state === 'running' ? 'service.started' : 'service.stopped';
    const service = await edit(key, by, (found) => {
      if (found.state === state) return { change: { kind: 'none' }, announce: [], audit: [] };
      const next = { ...found, state, modified: clock.now(), revision: found.revision + 1 };
      return serviceDecision(`service.${verb}`, event, found, next);
    });
    return service ?? Promise.reject(noService(key));
  }

  return {
    listing,

    /** The catalog has changed, here or on another replica. */
    invalidate,

    /** Always as it is now, whichever replica changed it. */
    async service(key: ServiceKey): Promise<Service> {
      return (await store.service(key)) ?? Promise.reject(noService(key));
    },

    /** Refuses where there is no such service; without asking the store where the listing knows it. */
    async requireService(key: ServiceKey): Promise<void> {
      if (!hasService(await listing(), key) && (await store.service(key)) === undefined) throw noService(key);
    },

    async createFolder(by: Actor, folder: { readonly name: string; readonly description: string }): Promise<void> {
      await store.changeFolder(folder.name, by, ({ found, addressIsTaken }) => {
        if (found !== undefined) throw new StewardError('conflict', `There is a folder ${folder.name} already.`);
        if (addressIsTaken)
          throw new StewardError(
            'conflict',
            `There is a service ${folder.name} in the root; the folder would have its address.`,
          );
        const created = { ...folder, created: clock.now() };
        return {
          change: { kind: 'put', folder: created },
          announce: [],
          audit: [{ action: 'folder.create', target: `folder ${folder.name}`, after: created }],
        };
      });
    },

    async deleteFolder(by: Actor, name: string): Promise<void> {
      await store.changeFolder(name, by, ({ found, services }) => {
        if (found === undefined) throw new StewardError('notFound', `There is no folder ${name}.`);
        if (services > 0) {
          const count = services === 1 ? 'one service' : `${services} services`;
          throw new StewardError('conflict', `The folder ${name} still holds ${count}. Delete them first.`);
        }
        return {
          change: { kind: 'remove' },
          announce: [],
          audit: [{ action: 'folder.delete', target: `folder ${name}`, before: found }],
        };
      });
    },

    async createService(by: Actor, key: ServiceKey, details: ServiceDetails): Promise<Service> {
      const service = await store.changeService(key, by, ({ found, folderExists, addressIsTaken }) => {
        if (!folderExists)
          throw invalidField('folderName', `there is no folder ${key.folder}; create it with createFolder`);
        if (found !== undefined) throw new StewardError('conflict', `There is a service ${labelOf(key)} already.`);
        if (addressIsTaken)
          throw new StewardError('conflict', `There is a folder ${labelOf(key)}; the service would have its address.`);
        const now = clock.now();
        const { folder, name, type } = key;
        const created: Service = {
          folder,
          name,
          type,
          ...details,
          state: 'running',
          owner: by.name,
          created: now,
          modified: now,
          revision: 1,
        };
        return serviceDecision('service.create', 'service.created', undefined, created);
      });
      return service ?? Promise.reject(noService(key));
    },

    async editService(
      by: Actor,
      key: ServiceKey,
      details: { readonly [K in keyof ServiceDetails]: ServiceDetails[K] | undefined },
      ifRevision: number | undefined,
    ): Promise<Service> {
      const service = await edit(key, by, (found) => {
        if (ifRevision !== undefined && ifRevision !== found.revision) {
          throw new StewardError(
            'conflict',
            `The service ${labelOf(key)} has changed meanwhile: it is at revision ${found.revision}. Read it again.`,
          );
        }
        const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
        const next: Service = { ...found, ...given, modified: clock.now(), revision: found.revision + 1 };
        return serviceDecision('service.edit', 'service.changed', found, next);
      });
      return service ?? Promise.reject(noService(key));
    },

    async deleteService(by: Actor, key: ServiceKey): Promise<void> {
      await edit(key, by, (found) => ({
        change: { kind: 'remove' },
        announce: [serviceAnnouncement('service.deleted', found)],
        audit: [{ action: 'service.delete', target: `service ${labelOf(key)}`, before: found }],
      }));
    },

    /** With `dryRun` everything is checked and counted, and nothing is changed. */
    async importCatalog(by: Actor, wanted: ImportedCatalog, dryRun: boolean): Promise<ImportCounts> {
      let counts: ImportCounts | undefined;
      const about = { folders: wanted.folders.map(({ name }) => name), services: wanted.services };
      await store.importCatalog(by, about, (seen) => {
        const plan = planImport(seen, wanted, by, clock.now());
        counts = plan.counts;
        return dryRun ? { change: { folders: [], services: [] }, announce: [], audit: [] } : plan.decision;
      });
      return counts ?? Promise.reject(new Error('the store did not ask for a decision'));
    },

    startService: (by: Actor, key: ServiceKey): Promise<Service> => setState(key, by, 'running'),
    stopService: (by: Actor, key: ServiceKey): Promise<Service> => setState(key, by, 'stopped'),
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
