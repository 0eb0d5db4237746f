import type { CatalogStore, Folder, Service } from '../../catalog/catalogStore.ts';
import type { ServiceKey } from '../../model/serviceKey.ts';
import { DAY } from '../../foundation/clock.ts';
import type { TableDependencies } from '../transaction.ts';
import { transaction, recordDecision } from '../transaction.ts';
import type { Row, Script } from '../engine/script.ts';
import { integer, row, rows, text } from '../engine/script.ts';

/** What was removed is remembered for replicas that have not heard of it; one that was away longer loads everything. */
const REMOVED_KEPT_MS = DAY;
const PRUNED_AT_ONCE = 500;
const PAGE = 400;

const FOLDER_COLUMNS = 'name, description, created_at';
const SERVICE_COLUMNS =
  'folder, name, type, description, capabilities, parent_type, url, access, state, owner, created_at, modified_at, revision';
const SERVICE = `select ${SERVICE_COLUMNS} from service where folder = $1 and name = $2 and type = $3`;

function folderOf(found: Row): Folder {
  return { name: text(found, 'name'), description: text(found, 'description'), created: integer(found, 'created_at') };
}

function keyOf(found: Row): ServiceKey {
  return { folder: text(found, 'folder'), name: text(found, 'name'), type: text(found, 'type') };
}

function serviceOf(found: Row): Service {
  return {
    ...keyOf(found),
    description: text(found, 'description'),
    capabilities: text(found, 'capabilities'),
    parentType: text(found, 'parent_type'),
    url: text(found, 'url'),
    access: text(found, 'access') as Service['access'],
    state: text(found, 'state') as Service['state'],
    owner: text(found, 'owner'),
    created: integer(found, 'created_at'),
    modified: integer(found, 'modified_at'),
    revision: integer(found, 'revision'),
  };
}

/** An insert that meets another of the same key fails, and the whole is decided again with what it then finds. */
function* insertService(service: Service, n: number): Script<void> {
  const { folder, name, type, description, capabilities, parentType, url, access, state, owner } = service;
  const { created, modified, revision } = service;
  const values = [folder, name, type, description, capabilities, parentType, url, access, state, owner];
  yield* rows(
    `insert into service (folder, name, type, description, capabilities, parent_type, url, access, state, owner,
       created_at, modified_at, revision, catalog_revision)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    ...values,
    created,
    modified,
    revision,
    n,
  );
}

function* updateService(service: Service, n: number): Script<void> {
  const { folder, name, type, description, capabilities, parentType, url, access, state, modified, revision } = service;
  const values = [folder, name, type, description, capabilities, parentType, url, access, state, modified, revision];
  yield* rows(
    `update service set description = $4, capabilities = $5, parent_type = $6, url = $7, access = $8, state = $9,
       modified_at = $10, revision = $11, catalog_revision = $12 where folder = $1 and name = $2 and type = $3`,
    ...values,
    n,
  );
}

function* insertFolder({ name, description, created }: Folder, n: number): Script<void> {
  yield* rows(
    'insert into folder (name, description, created_at, catalog_revision) values ($1, $2, $3, $4)',
    name,
    description,
    created,
    n,
  );
}

/** A folder leaves an entry with neither name nor type. */
function* remember({ folder, name, type }: ServiceKey, n: number, now: number): Script<void> {
  yield* rows(
    'insert into catalog_removed (folder, name, type, catalog_revision, at) values ($1, $2, $3, $4, $5)',
    folder,
    name,
    type,
    n,
    now,
  );
  yield* rows(
    `delete from catalog_removed where id in (select id from catalog_removed where at < $1 limit ${PRUNED_AT_ONCE})`,
    now - REMOVED_KEPT_MS,
  );
}

const NOTHING = { changedFolders: [], removedFolders: [], changed: [], removed: [] } as const;

/** The service of the root whose address a folder of this name would have: the last dot parts its name from its type. */
function* serviceAtAddress(folder: string): Script<Row | undefined> {
  const dot = folder.lastIndexOf('.');
  return dot < 1 ? undefined : yield* row(SERVICE, '', folder.slice(0, dot), folder.slice(dot + 1));
}

/** The folder of a service, or the folder that would have its address. */
function addressesOf({ folder, name, type }: ServiceKey): string {
  return folder === '' ? `${name}.${type}` : folder;
}

export function createCatalogStore(needs: TableDependencies): CatalogStore {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;

  /** In pages, and with a pause after each, so that a catalog of any size never holds up the others. */
  async function everyService(): Promise<readonly Service[]> {
    const all: Service[] = [];
    for (let last: ServiceKey = { folder: '', name: '', type: '' }; ;) {
      const page = await engine.query(
        `select ${SERVICE_COLUMNS} from service where (folder, name, type) > ($1, $2, $3)
         order by folder, name, type limit ${PAGE}`,
        last.folder,
        last.name,
        last.type,
      );
      all.push(...page.map(serviceOf));
      const end = all.at(-1);
      if (page.length < PAGE || end === undefined) return all;
      last = end;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function everyFolder(): Promise<readonly Folder[]> {
    return (await engine.query(`select ${FOLDER_COLUMNS} from folder`)).map(folderOf);
  }

  return {
    async changesSince(revision) {
      // The number first: what is committed after it is read is told once more with the next pull.
      const [found] = await engine.query(`select n from revision where topic = 'catalog'`);
      const n = found === undefined ? 0 : integer(found, 'n');
      if (revision >= n) return { revision: n, isWhole: false, ...NOTHING };
      if (revision === 0)
        return {
          revision: n,
          isWhole: true,
          ...NOTHING,
          changedFolders: await everyFolder(),
          changed: await everyService(),
        };
      const [folders, services, removed] = await Promise.all([
        engine.query(`select ${FOLDER_COLUMNS} from folder where catalog_revision > $1`, revision),
        engine.query(`select ${SERVICE_COLUMNS} from service where catalog_revision > $1`, revision),
        engine.query('select folder, name, type from catalog_removed where catalog_revision > $1', revision),
      ]);
      const gone = removed.map(keyOf);
      return {
        revision: n,
        isWhole: false,
        changedFolders: folders.map(folderOf),
        removedFolders: gone.filter(({ name }) => name === '').map(({ folder }) => folder),
        changed: services.map(serviceOf),
        removed: gone.filter(({ name }) => name !== ''),
      };
    },

    async service({ folder, name, type }) {
      const [found] = await engine.query(SERVICE, folder, name, type);
      return found === undefined ? undefined : serviceOf(found);
    },

    changeFolder: (name, by, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* (raise) {
        const found = yield* row(`select ${FOLDER_COLUMNS} from folder where name = $1${forUpdate}`, name);
        // Lets one writer of addresses through at a time. Everyone locks in one order: folder, service, revision.
        const n = yield* raise('catalog');
        const inside = yield* row('select count(*) as services from service where folder = $1', name);
        const taken = yield* serviceAtAddress(name);
        const decision = decide({
          found: found === undefined ? undefined : folderOf(found),
          services: inside === undefined ? 0 : integer(inside, 'services'),
          addressIsTaken: taken !== undefined,
        });
        if (decision.change.kind === 'remove') {
          yield* rows('delete from folder where name = $1', name);
          yield* remember({ folder: name, name: '', type: '' }, n, clock.now());
        } else yield* insertFolder(decision.change.folder, n);
        yield* recordDecision(by, clock.now(), decision);
      }),

    changeService: (key, by, decide) =>
      transaction(needs, { closedWhen: 'readOnly' }, function* (raise) {
        const { folder, name, type } = key;
        // The folder first, for everyone: it can then not be deleted under a service that is being put into it.
        const home =
          folder === '' ? undefined : yield* row(`select name from folder where name = $1${forUpdate}`, folder);
        const kept = yield* row(SERVICE + forUpdate, folder, name, type);
        const found = kept === undefined ? undefined : serviceOf(kept);
        // As with folders, one writer of new addresses at a time.
        let n = found === undefined ? yield* raise('catalog') : 0;
        const taken =
          folder === '' ? yield* row('select 1 as yes from folder where name = $1', `${name}.${type}`) : undefined;
        const decision = decide({
          found,
          folderExists: folder === '' || home !== undefined,
          addressIsTaken: taken !== undefined,
        });
        if (decision.change.kind === 'none') return found;
        if (n === 0) n = yield* raise('catalog');
        yield* recordDecision(by, clock.now(), decision);
        if (decision.change.kind === 'remove') {
          yield* rows('delete from service where folder = $1 and name = $2 and type = $3', folder, name, type);
          yield* remember(key, n, clock.now());
          return undefined;
        }
        yield* found === undefined
          ? insertService(decision.change.service, n)
          : updateService(decision.change.service, n);
        return decision.change.service;
      }),

    importCatalog: (by, about, decide) =>
      transaction(needs, { closedWhen: 'readOnly', lock: 'exclusive' }, function* (raise) {
        const folders: Folder[] = [];
        const services: Service[] = [];
        for (const name of new Set([...about.folders, ...about.services.map(addressesOf)])) {
          const found = yield* row(`select ${FOLDER_COLUMNS} from folder where name = $1`, name);
          if (found !== undefined) folders.push(folderOf(found));
        }
        for (const name of about.folders) {
          const found = yield* serviceAtAddress(name);
          if (found !== undefined) services.push(serviceOf(found));
        }
        for (const { folder, name, type } of about.services) {
          const found = yield* row(SERVICE, folder, name, type);
          if (found !== undefined) services.push(serviceOf(found));
        }
        const decision = decide({ folders, services });
        const { change: wanted } = decision;
        if (wanted.folders.length + wanted.services.length === 0) return;
        const n = yield* raise('catalog');
        for (const folder of wanted.folders) yield* insertFolder(folder, n);
        for (const service of wanted.services)
          yield* service.revision === 1 ? insertService(service, n) : updateService(service, n);
        yield* recordDecision(by, clock.now(), decision);
      }),
  };
}
