import { describe, expect, test } from 'vitest';
import { PLAIN_DETAILS } from '../../test/support/catalog/publishedService.ts';
import { manualClock } from '../../test/support/clock/manualClock.ts';
import { until } from '../../test/support/run/until.ts';
import { eachStore, placeForEachTest, rowsOf } from '../../test/support/store/stores.ts';
import { createCatalog } from '../catalog/catalog.ts';
import { localActor } from '../model/actor.ts';
import { SECOND, systemClock } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import { createReadOnlyMode } from '../system/readOnlyMode.ts';
import type { Store } from './store.ts';

const by = localActor('tester');

function catalogOf(store: Store) {
  return createCatalog({ store: store.catalog, clock: systemClock });
}

function modeOf(store: Store) {
  return createReadOnlyMode({ store: store.mode, catchUp: store.revisions.catchUp });
}

function codeOf(result: PromiseSettledResult<unknown>): string {
  if (result.status === 'fulfilled') return 'ok';
  const { reason } = result;
  if (!(reason instanceof StewardError)) return String(reason);
  return reason.code === 'unavailable' ? `unavailable: ${String(reason.cause)}` : reason.code;
}

function countOf(results: readonly PromiseSettledResult<unknown>[], code: string): number {
  return results.filter((result) => codeOf(result) === code).length;
}

eachStore((kind) => {
  const at = placeForEachTest(kind);

  describe('transactions', () => {
    test('a change is written with its announcement and its audit note', async () => {
      const store = await at.open(manualClock(5000));
      await catalogOf(store).createService(
        by,
        { folder: '', name: 'Größe', type: 'Map' },
        { ...PLAIN_DETAILS, description: '<&> 😀' },
      );
      const { changed: services } = await store.catalog.changesSince(0);
      expect(services).toMatchObject([
        { name: 'Größe', type: 'Map', description: '<&> 😀', state: 'running', revision: 1 },
      ]);
      expect(await rowsOf(at.place(), 'outbox')).toMatchObject([
        { type: 'service.created', name: 'Größe', service_type: 'Map' },
      ]);
      expect(await store.access.audit({ before: undefined, target: undefined, limit: 10 })).toMatchObject([
        { who: 'tester', when: 5000, action: 'service.create', target: 'service Größe.Map', after: { revision: 1 } },
      ]);
    });

    test('a refused change writes nothing', async () => {
      const store = await at.open();
      const refused = store.catalog.changeService({ folder: '', name: 'A', type: 'B' }, by, () => {
        throw new StewardError('conflict', 'no');
      });
      await expect(refused).rejects.toThrow('no');
      expect(await rowsOf(at.place(), 'outbox')).toEqual([]);
      expect(await rowsOf(at.place(), 'audit')).toEqual([]);
    });

    test('a change that fails half-way is rolled back completely', async () => {
      const store = await at.open();
      const circular: Record<string, unknown> = {};
      circular['self'] = circular;
      const failing = store.catalog.changeFolder('F', by, () => ({
        change: { kind: 'put', folder: { name: 'F', description: '', created: 1 } },
        announce: [{ type: 'x', data: circular }],
        audit: [],
      }));
      await expect(failing).rejects.toThrow(/circular/);
      expect((await store.catalog.changesSince(0)).changedFolders).toEqual([]);
      await catalogOf(store).createFolder(by, { name: 'F', description: 'works afterwards' });
    });
  });

  describe('concurrent writers', () => {
    test('concurrent writers lose no update of a record, and the audit log has every step', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      const key = { folder: '', name: 'A', type: 'B' };
      await catalog.createService(by, key, PLAIN_DETAILS);
      const edit = {
        description: undefined,
        capabilities: undefined,
        parentType: undefined,
        url: undefined,
        access: undefined,
      };
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => catalog.editService(by, key, { ...edit, description: `${n}` }, undefined)),
      );
      const [service] = (await store.catalog.changesSince(0)).changed;
      expect(service?.revision).toBe(51);
      const notes = (await store.access.audit({ before: undefined, target: 'service A.B', limit: 100 })).toReversed();
      expect(notes.map(({ after }) => (after as { revision: number }).revision)).toEqual(
        Array.from({ length: 51 }, (_, n) => n + 1),
      );
      expect(notes.slice(1).map(({ before }) => before)).toEqual(notes.slice(0, -1).map(({ after }) => after));
    });

    test('concurrent writers publish the same name only once', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () =>
          catalog.createService(by, { folder: '', name: 'A', type: 'B' }, PLAIN_DETAILS),
        ),
      );
      expect(results.map(codeOf).toSorted()).toEqual([...Array.from({ length: 19 }, () => 'conflict'), 'ok']);
      expect(await rowsOf(at.place(), 'outbox')).toHaveLength(1);
    });

    test('concurrent writers never put a service into a folder that is being deleted', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      for (let round = 0; round < 10; round += 1) {
        const folder = `F${round}`;
        await catalog.createFolder(by, { name: folder, description: '' });
        const results = await Promise.allSettled([
          catalog.createService(by, { folder, name: 'A', type: 'B' }, PLAIN_DETAILS),
          catalog.deleteFolder(by, folder),
        ]);
        expect(countOf(results, 'ok')).toBe(1);
      }
      const { changedFolders, changed } = await store.catalog.changesSince(0);
      expect(changed.map(({ folder }) => folder).toSorted()).toEqual(changedFolders.map(({ name }) => name).toSorted());
    });

    test('[DEC15] concurrent writers never give a folder and a root service the same address', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      for (let round = 0; round < 10; round += 1) {
        const results = await Promise.allSettled([
          catalog.createService(by, { folder: '', name: `A${round}`, type: 'B' }, PLAIN_DETAILS),
          catalog.createFolder(by, { name: `A${round}.B`, description: '' }),
        ]);
        expect([countOf(results, 'ok'), countOf(results, 'conflict')]).toEqual([1, 1]);
      }
    });
  });

  describe('changes of the catalog', () => {
    test('changes since a revision include changed, removed and republished services', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      const key = { folder: 'F', name: 'A', type: 'B' };
      await catalog.createFolder(by, { name: 'F', description: '' });
      await catalog.createService(by, key, PLAIN_DETAILS);
      const { revision } = await store.catalog.changesSince(0);
      expect(await store.catalog.changesSince(revision)).toEqual({
        revision,
        isWhole: false,
        changedFolders: [],
        removedFolders: [],
        changed: [],
        removed: [],
      });
      await catalog.deleteService(by, key);
      await catalog.deleteFolder(by, 'F');
      const gone = await store.catalog.changesSince(revision);
      expect(gone).toMatchObject({ removed: [key], removedFolders: ['F'], changed: [], changedFolders: [] });
      await catalog.createFolder(by, { name: 'F', description: 'again' });
      expect(await store.catalog.changesSince(revision)).toMatchObject({
        removed: [key],
        removedFolders: ['F'],
        changedFolders: [{ description: 'again' }],
      });
    });

    test('there are no changes since the current revision', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      const key = { folder: '', name: 'A', type: 'B' };
      await catalog.createService(by, key, PLAIN_DETAILS);
      const { revision } = await store.catalog.changesSince(0);
      await catalog.startService(by, key);
      expect((await store.catalog.changesSince(revision)).revision).toBe(revision);
    });
  });

  describe('imports', () => {
    const wanted = (folder: string, name: string, description: string) => ({
      ...PLAIN_DETAILS,
      folder,
      name,
      type: 'B',
      description,
      state: 'running' as const,
    });

    test('[CAT9] an import creates missing services, changes different ones and leaves the others alone', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      await catalog.createService(by, { folder: '', name: 'Same', type: 'B' }, PLAIN_DETAILS);
      await catalog.createService(by, { folder: '', name: 'Other', type: 'B' }, PLAIN_DETAILS);
      const services = [wanted('', 'Same', ''), wanted('', 'Other', 'new'), wanted('F', 'A', '')];
      const counts = await catalog.importCatalog(by, { folders: [{ name: 'F', description: 'd' }], services }, false);
      expect(counts).toEqual({ foldersCreated: 1, servicesCreated: 1, servicesChanged: 1, servicesUnchanged: 1 });
      const { changed } = await store.catalog.changesSince(0);
      expect(changed.map(({ name, revision }) => `${name} ${revision}`).toSorted()).toEqual([
        'A 1',
        'Other 2',
        'Same 1',
      ]);
      expect(await rowsOf(at.place(), 'outbox')).toHaveLength(4);
    });

    test('[CAT9] an import that would use an address twice is refused completely', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      await catalog.createService(by, { folder: '', name: 'A', type: 'B' }, PLAIN_DETAILS);
      await catalog.createFolder(by, { name: 'C.B', description: '' });
      const content = {
        folders: [
          { name: 'A.B', description: '' },
          { name: 'New', description: '' },
        ],
        services: [wanted('', 'C', ''), wanted('', 'D', '')],
      };
      const refused = catalog.importCatalog(by, content, false);
      await expect(refused).rejects.toMatchObject({
        details: [expect.stringContaining('A.B'), expect.stringContaining('C.B')],
      });
      expect((await store.catalog.changesSince(0)).changed).toHaveLength(1);
    });
  });

  describe('read-only mode', () => {
    test('[UPG14] [DEC20] read-only mode refuses changes of content with its message until it ends', async () => {
      const store = await at.open();
      const mode = modeOf(store);
      await mode.change(by, { isReadOnly: true, message: 'back at noon' });
      const refused = catalogOf(store).createFolder(by, { name: 'F', description: '' });
      await expect(refused).rejects.toMatchObject({ code: 'readOnly', details: ['back at noon'] });
      await mode.change(by, { isReadOnly: false });
      await catalogOf(store).createFolder(by, { name: 'F', description: '' });
      expect((await rowsOf(at.place(), 'outbox')).map(({ type }) => type)).toEqual([
        'readOnly.entered',
        'readOnly.left',
      ]);
    });

    test('[UPG14] read-only mode that a job set cannot be changed by a person, and refuses new tokens and uploads', async () => {
      const store = await at.open();
      await store.mode.changeMode(by, () => ({
        change: { isReadOnly: true, message: '', setBy: 'job' },
        announce: [],
        audit: [],
      }));
      await expect(modeOf(store).change(by, { isReadOnly: false })).rejects.toMatchObject({ code: 'conflict' });
      const refuse = (): never => {
        throw new Error('the rule was asked');
      };
      const token = store.access.addNamedToken('hash', by, refuse);
      await expect(token).rejects.toMatchObject({ code: 'readOnly' });
      const upload = store.uploads.addUpload(by, Buffer.alloc(0), refuse);
      await expect(upload).rejects.toMatchObject({ code: 'readOnly' });
    });

    test('[UPG14] a change of an account is open in every mode, and its rule is given the mode', async () => {
      const store = await at.open();
      const mode = { isReadOnly: true, message: '', setBy: 'job' } as const;
      await store.mode.changeMode(by, () => ({ change: mode, announce: [], audit: [] }));
      let given: unknown;
      await store.access.changeAccount('x', by, (snapshot) => {
        given = snapshot.mode;
        return { change: { kind: 'none' }, announce: [], audit: [] };
      });
      expect(given).toEqual(mode);
    });

    test('[UPG14] every change that succeeds is written before read-only mode begins', async () => {
      const store = await at.open();
      const catalog = catalogOf(store);
      const mode = modeOf(store);
      const folders = Array.from({ length: 60 }, (_, n) =>
        catalog.createFolder(by, { name: `F${n}`, description: '' }),
      );
      const [, ...results] = await Promise.allSettled([mode.change(by, { isReadOnly: true }), ...folders]);
      expect(countOf(results, 'ok') + countOf(results, 'readOnly')).toBe(60);
      const notes = (await store.access.audit({ before: undefined, target: undefined, limit: 1000 })).toReversed();
      const entered = notes.findIndex(({ action }) => action === 'mode.change');
      expect(notes.slice(entered + 1)).toEqual([]);
      expect(entered).toBe(countOf(results, 'ok'));
    });
  });

  describe('revisions', () => {
    test('a replica learns of its own change immediately', async () => {
      const store = await at.open();
      let heard = 0;
      store.revisions.watch('catalog', () => (heard += 1));
      await catalogOf(store).createFolder(by, { name: 'F', description: '' });
      expect(heard).toBe(1);
    });

    if (kind.engine === 'sqlite') return;
    const LISTENERS = `pg_stat_activity where query = 'listen steward_revision' and datname = current_database()`;
    const listeners = async (): Promise<number> => (await rowsOf(at.place(), LISTENERS)).length;

    /** Opens two replicas whose time stands still, so that they do not poll. */
    async function replicasThatListen() {
      const clock = manualClock();
      const [one, two] = await Promise.all([at.open(clock), at.open(clock)]);
      await until('both replicas listen', async () => (await listeners()) === 2);
      await clock.pass(SECOND);
      let heard = 0;
      two.revisions.watch('catalog', () => (heard += 1));
      return { clock, one, two, heard: () => heard };
    }

    test('[STO7] a replica is woken by the change of another replica without polling', async () => {
      const { one, heard } = await replicasThatListen();
      await catalogOf(one).createFolder(by, { name: 'F', description: '' });
      await until('the other replica has heard', () => heard() > 0);
      expect(heard()).toBe(1);
    });

    test('[STO7] a replica that no longer hears notices learns of the change of another replica within a second', async () => {
      const { clock, one, heard } = await replicasThatListen();
      await rowsOf(at.place(), `(select pg_terminate_backend(pid) from ${LISTENERS}) as ended`);
      await catalogOf(one).createFolder(by, { name: 'F', description: '' });
      await clock.pass(SECOND);
      expect(heard()).toBe(1);
    });

    test('[STO7] a replica that catches up knows everything that was committed before', async () => {
      const { one, two, heard } = await replicasThatListen();
      for (let n = 1; n <= 5; n += 1) {
        await catalogOf(one).createFolder(by, { name: `F${n}`, description: '' });
        await Promise.all([two.revisions.catchUp(), two.revisions.catchUp()]);
        expect(heard()).toBe(n);
      }
    });
  });
});
