import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { placeForEachTest, postgresKind } from '../../../test/support/store/stores.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { systemClock } from '../../foundation/clock.ts';
import { localActor } from '../../model/actor.ts';
import { createReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Store } from '../store.ts';
import { migrations } from './migrations.ts';

const BY = localActor('test');
const PLANTED = {
  level: Math.max(...migrations.map(({ level }) => level)) + 1,
  name: 'planted',
  statements: () => ['alter table folder add column colour text'],
};

describe.skipIf(!postgresKind.isHere)(`a replica ${postgresKind.title} that is frozen in a transaction`, () => {
  const at = placeForEachTest(postgresKind);
  let frozen: Client;

  beforeEach(async () => {
    await (await at.open()).close();
    frozen = new Client({ connectionString: at.place().at });
    await frozen.connect();
    // What every write of a replica does first.
    await frozen.query('begin; select pg_advisory_xact_lock_shared(7364112)');
  });
  afterEach(() => frozen.end());

  const thaw = () => frozen.query('rollback');

  async function write(store: Store, name: string): Promise<string> {
    await createCatalog({ store: store.catalog, clock: systemClock }).createFolder(BY, { name, description: '' });
    return 'written';
  }

  test('[STO1] does not keep another replica from starting if there is nothing to migrate', async () => {
    const store = await at.open();
    expect(store.migrated).toEqual([]);
    expect(await write(store, 'F')).toBe('written');
  });

  test('[STO1] [DEC52] delays a migration, but not the writes of the others', async () => {
    const other = await at.open();
    let isOpen = false;
    const opened = at.open(systemClock, [...migrations, PLANTED]).then((store) => {
      isOpen = true;
      return store;
    });
    for (let n = 0; n < 5; n += 1) expect(await write(other, `F${n}`)).toBe('written');
    expect(isOpen).toBe(false);
    await thaw();
    expect((await opened).migrated).toEqual(['planted']);
    expect(await write(other, 'After')).toBe('written');
  });

  test('[STO1] [DEC52] delays a change of the mode, but not the writes of the others', async () => {
    const [one, other] = [await at.open(), await at.open()];
    const changed = createReadOnlyMode({ store: one.mode, catchUp: one.revisions.catchUp }).change(BY, {
      isReadOnly: true,
      message: '',
    });
    for (let n = 0; n < 5; n += 1) expect(await write(other, `F${n}`)).toBe('written');
    await thaw();
    expect((await changed).isReadOnly).toBe(true);
    await expect(write(other, 'Closed')).rejects.toMatchObject({ code: 'readOnly' });
  });
});
