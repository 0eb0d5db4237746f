// Implements the port of the catalog area. Each writer raises the catalog's revision and stores it in the rows that it
// changes, so that replicas read only what changed. All writers lock in one order: folder, service, revision. If another
// writer inserts the same key first, the insert fails and the engine runs the whole script again.
import type { CatalogChanges, CatalogContent, CatalogStore } from '../../catalog/catalogStore.ts';
import type { Folder, Service } from '../../catalog/service.ts';
import { DAY } from '../../foundation/clock.ts';
import { FOLDER, SERVICE } from '../../model/entity/service.ts';
import type { ServiceKey } from '../../model/serviceKey.ts';
import { integer, oneOf, text } from '../engine/codec.ts';
import { columnsOf } from '../engine/entityColumns.ts';
import type { Script } from '../engine/script.ts';
import { numbers, row, rows } from '../engine/script.ts';
import { table } from '../engine/table.ts';
import type { TableDependencies } from '../transaction.ts';
import { recordDecision, transaction } from '../transaction.ts';

const PAGE = 400;
const NO_CHANGES = { changedFolders: [], removedFolders: [], changed: [], removed: [] } as const;
/** Removals are kept for replicas that have not seen them; a replica that was away longer reads the whole catalog. */
const REMOVED_KEPT_MS = DAY;
const PRUNED_AT_ONCE = 500;

/** The revision of the catalog in which a row was last changed. */
const changedIn = { catalogRevision: integer('catalog_revision') };

const folders = table('folder', {
  name: text('name'),
  ...columnsOf(FOLDER),
  created: integer('created_at'),
});
const storedFolders = folders.with(changedIn);

const services = table('service', {
  folder: text('folder'),
  name: text('name'),
  type: text('type'),
  ...columnsOf(SERVICE),
  state: oneOf('state', ['running', 'stopped']),
  owner: text('owner'),
  created: integer('created_at'),
  modified: integer('modified_at'),
  revision: integer('revision'),
});
const storedServices = services.with(changedIn);
const updateService = storedServices.omit('owner', 'created').updater(['folder', 'name', 'type']);

/** A removed folder is an entry with neither name nor type. */
const removals = table('catalog_removed', { folder: text('folder'), name: text('name'), type: text('type') });
const storedRemovals = removals.with({ ...changedIn, at: integer('at') });

const FOLDER_BY_NAME = `${folders.select} where name = $1`;
const SERVICE_BY_KEY = `${services.select} where folder = $1 and name = $2 and type = $3`;

function* recordRemoval(removed: ServiceKey, catalogRevision: number, now: number): Script<void> {
  yield* storedRemovals.insert({ ...removed, catalogRevision, at: now });
  yield* rows(
    `delete from catalog_removed where id in (select id from catalog_removed where at < $1 limit ${PRUNED_AT_ONCE})`,
    now - REMOVED_KEPT_MS,
  );
}

/** Reads the services that there are of some keys. */
export function* servicesByKey(keys: readonly ServiceKey[]): Script<readonly Service[]> {
  const found: Service[] = [];
  for (const { folder, name, type } of keys) found.push(...(yield* services.all(SERVICE_BY_KEY, folder, name, type)));
  return found;
}

/** Finds the root service that has the same address as a folder of this name: `name.type`. */
function* serviceAtAddress(folder: string): Script<Service | undefined> {
  const dot = folder.lastIndexOf('.');
  if (dot < 1) return undefined;
  return yield* services.first(SERVICE_BY_KEY, '', folder.slice(0, dot), folder.slice(dot + 1));
}

/** The folder of a service; for a root service the folder that would have its address. */
function folderAtAddress({ folder, name, type }: ServiceKey): string {
  return folder === '' ? `${name}.${type}` : folder;
}

/** Reads the folders and services that an import names, and those that have the same addresses. */
function* readForImport(subject: Parameters<CatalogStore['importCatalog']>[1]): Script<CatalogContent> {
  const found: { folders: Folder[]; services: Service[] } = { folders: [], services: [] };
  for (const name of new Set([...subject.folders, ...subject.services.map(folderAtAddress)]))
    found.folders.push(...(yield* folders.all(FOLDER_BY_NAME, name)));
  for (const name of subject.folders) {
    const service = yield* serviceAtAddress(name);
    if (service !== undefined) found.services.push(service);
  }
  found.services.push(...(yield* servicesByKey(subject.services)));
  return found;
}

function* readChanges(after: number): Script<Omit<CatalogChanges, 'revision' | 'isWhole'>> {
  const removed = yield* removals.all(`${removals.select} where catalog_revision > $1`, after);
  return {
    changedFolders: yield* folders.all(`${folders.select} where catalog_revision > $1`, after),
    removedFolders: removed.filter(({ name }) => name === '').map(({ folder }) => folder),
    changed: yield* services.all(`${services.select} where catalog_revision > $1`, after),
    removed: removed.filter(({ name }) => name !== ''),
  };
}

export function createCatalogStore(dependencies: TableDependencies): CatalogStore {
  const { engine, clock } = dependencies;
  const { forUpdate } = engine.dialect;

  /** Reads in pages with a pause after each, so that a large catalog does not block other requests. */
  async function allServices(): Promise<readonly Service[]> {
    const all: Service[] = [];
    for (let last: ServiceKey = { folder: '', name: '', type: '' }; ;) {
      const page = await engine.read(
        services.all(
          `${services.select} where (folder, name, type) > ($1, $2, $3) order by folder, name, type limit ${PAGE}`,
          last.folder,
          last.name,
          last.type,
        ),
      );
      all.push(...page);
      const end = all.at(-1);
      if (page.length < PAGE || end === undefined) return all;
      last = end;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    async changesSince(since) {
      // The revision is read first: a change that is committed after it is reported again next time.
      const [revision = 0] = await engine.read(numbers(`select n from revision where topic = 'catalog'`));
      if (since >= revision) return { revision, isWhole: false, ...NO_CHANGES };
      if (since > 0) return { revision, isWhole: false, ...(await engine.read(readChanges(since))) };
      const changedFolders = await engine.read(folders.all(folders.select));
      return { revision, isWhole: true, ...NO_CHANGES, changedFolders, changed: await allServices() };
    },

    service: ({ folder, name, type }) => engine.read(services.first(SERVICE_BY_KEY, folder, name, type)),

    changeFolder: (name, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* (raise) {
        const found = yield* folders.first(FOLDER_BY_NAME + forUpdate, name);
        // Also serialises the writers that create addresses.
        const catalogRevision = yield* raise('catalog');
        const [inside = 0] = yield* numbers('select count(*) from service where folder = $1', name);
        const sameAddress = yield* serviceAtAddress(name);
        const decision = decide({ found, services: inside, addressIsTaken: sameAddress !== undefined });
        if (decision.change.kind === 'remove') {
          yield* rows('delete from folder where name = $1', name);
          yield* recordRemoval({ folder: name, name: '', type: '' }, catalogRevision, clock.now());
        } else yield* storedFolders.insert({ ...decision.change.folder, catalogRevision });
        yield* recordDecision(by, clock.now(), decision);
      }),

    changeService: (key, by, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly' }, function* (raise) {
        const { folder, name, type } = key;
        // Locks the folder, so that it cannot be deleted while a service is put into it.
        const home = folder === '' ? undefined : yield* row(FOLDER_BY_NAME + forUpdate, folder);
        const found = yield* services.first(SERVICE_BY_KEY + forUpdate, folder, name, type);
        // A new service has a new address: as with folders, one writer at a time.
        let catalogRevision = found === undefined ? yield* raise('catalog') : 0;
        const sameAddress = folder === '' ? yield* row(FOLDER_BY_NAME, `${name}.${type}`) : undefined;
        const decision = decide({
          found,
          folderExists: folder === '' || home !== undefined,
          addressIsTaken: sameAddress !== undefined,
        });
        const { change } = decision;
        if (change.kind === 'none') return found;
        if (catalogRevision === 0) catalogRevision = yield* raise('catalog');
        yield* recordDecision(by, clock.now(), decision);
        if (change.kind === 'remove') {
          yield* rows('delete from service where folder = $1 and name = $2 and type = $3', folder, name, type);
          yield* recordRemoval(key, catalogRevision, clock.now());
          return undefined;
        }
        const put = found === undefined ? storedServices.insert : updateService;
        yield* put({ ...change.service, catalogRevision });
        return change.service;
      }),

    importCatalog: (by, subject, decide) =>
      transaction(dependencies, { closedWhen: 'readOnly', lock: 'exclusive' }, function* (raise) {
        const decision = decide(yield* readForImport(subject));
        const { change } = decision;
        if (change.folders.length + change.services.length === 0) return;
        const catalogRevision = yield* raise('catalog');
        for (const folder of change.folders) yield* storedFolders.insert({ ...folder, catalogRevision });
        for (const service of change.services) {
          const put = service.revision === 1 ? storedServices.insert : updateService;
          yield* put({ ...service, catalogRevision });
        }
        yield* recordDecision(by, clock.now(), decision);
      }),
  };
}
