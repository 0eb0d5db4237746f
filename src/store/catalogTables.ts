import type { CatalogStore, Folder, Service } from '../catalog/catalogStore.ts';
import type { ChangeNeeds } from './change.ts';
import { change, tell } from './change.ts';
import type { Row, Script } from './script.ts';
import { integer, row, rows, text } from './script.ts';

const SERVICE = 'select * from service where folder = $1 and name = $2 and type = $3';

function folderOf(found: Row): Folder {
  return { name: text(found, 'name'), description: text(found, 'description'), created: integer(found, 'created_at') };
}

function serviceOf(found: Row): Service {
  return {
    folder: text(found, 'folder'),
    name: text(found, 'name'),
    type: text(found, 'type'),
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

function* insertService(service: Service): Script<void> {
  const { folder, name, type, description, capabilities, parentType, url, access, state, owner } = service;
  const { created, modified, revision } = service;
  const values = [folder, name, type, description, capabilities, parentType, url, access, state, owner];
  yield* rows(
    `insert into service (folder, name, type, description, capabilities, parent_type, url, access, state, owner,
       created_at, modified_at, revision) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    ...values,
    created,
    modified,
    revision,
  );
}

function* updateService(service: Service): Script<void> {
  const { folder, name, type, description, capabilities, parentType, url, access, state, modified, revision } = service;
  const values = [folder, name, type, description, capabilities, parentType, url, access, state, modified, revision];
  yield* rows(
    `update service set description = $4, capabilities = $5, parent_type = $6, url = $7, access = $8, state = $9,
       modified_at = $10, revision = $11 where folder = $1 and name = $2 and type = $3`,
    ...values,
  );
}

export function catalogTables(needs: ChangeNeeds): CatalogStore {
  const { engine, clock } = needs;
  const { forUpdate } = engine.dialect;

  return {
    async listing() {
      const [folders, services] = await Promise.all([
        engine.query('select * from folder order by name'),
        engine.query('select * from service order by folder, name, type'),
      ]);
      return { folders: folders.map(folderOf), services: services.map(serviceOf) };
    },

    async service({ folder, name, type }) {
      const [found] = await engine.query(SERVICE, folder, name, type);
      return found === undefined ? undefined : serviceOf(found);
    },

    changeFolder: (name, by, decide) =>
      change(needs, { closedBy: 'content', topic: 'catalog' }, function* () {
        const found = yield* row(`select * from folder where name = $1${forUpdate}`, name);
        const inside = yield* row('select count(*) as services from service where folder = $1', name);
        const taken = yield* row(`select 1 as yes from service where folder = '' and name || '.' || type = $1`, name);
        const decision = decide({
          found: found === undefined ? undefined : folderOf(found),
          services: inside === undefined ? 0 : integer(inside, 'services'),
          addressIsTaken: taken !== undefined,
        });
        if (decision.change.kind === 'remove') yield* rows('delete from folder where name = $1', name);
        else {
          const { description, created } = decision.change.folder;
          yield* rows(
            'insert into folder (name, description, created_at) values ($1, $2, $3)',
            name,
            description,
            created,
          );
        }
        yield* tell(by, clock.now(), decision);
      }),

    changeService: (key, by, decide) =>
      change(needs, { closedBy: 'content', topic: 'catalog' }, function* () {
        const { folder, name, type } = key;
        // The folder first, for everyone: it can then not be deleted under a service that is being put into it.
        const home =
          folder === '' ? undefined : yield* row(`select name from folder where name = $1${forUpdate}`, folder);
        const taken =
          folder === '' ? yield* row('select 1 as yes from folder where name = $1', `${name}.${type}`) : undefined;
        const kept = yield* row(SERVICE + forUpdate, folder, name, type);
        const found = kept === undefined ? undefined : serviceOf(kept);
        const decision = decide({
          found,
          folderExists: folder === '' || home !== undefined,
          addressIsTaken: taken !== undefined,
        });
        if (decision.change.kind === 'remove') {
          yield* rows('delete from service where folder = $1 and name = $2 and type = $3', folder, name, type);
        }
        if (decision.change.kind === 'put') {
          // An insert that meets another of the same key fails, and the whole is decided again with what it then finds.
          yield* found === undefined ? insertService(decision.change.service) : updateService(decision.change.service);
        }
        yield* tell(by, clock.now(), decision);
        if (decision.change.kind === 'remove') return undefined;
        return decision.change.kind === 'put' ? decision.change.service : found;
      }),
  };
}
