import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { queryPostgres } from '../../../test/support/store/postgres.ts';
import { placeForEachTest, postgresKind } from '../../../test/support/store/stores.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { systemClock } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import { localActor } from '../../model/actor.ts';
import { createReadOnlyMode } from '../../system/readOnlyMode.ts';
import type { Store } from '../store.ts';
import type { Engine } from './engine.ts';
import { migrations } from './migrations.ts';
import { openPostgres } from './postgres.ts';
import { SERVER_USE } from './postgresPool.ts';
import { ahead, numbers, row, rows, unread } from './script.ts';

const BY = localActor('test');
const PLANTED = {
  level: Math.max(...migrations.map(({ level }) => level)) + 1,
  name: 'planted',
  statements: () => ['alter table folder add column colour text'],
};

describe.skipIf(!postgresKind.isHere)(`statements ${postgresKind.title} that a transaction does not wait for`, () => {
  const at = placeForEachTest(postgresKind);
  let engine: Engine;
  beforeEach(async () => {
    engine = await openPostgres(at.place().at, silentLog, 2);
    await engine.write('shared', () => rows('create table t (n bigint primary key)'));
  });
  afterEach(() => engine.close());

  const insert = (n: number) => unread(rows('insert into t values ($1)', n));
  const stored = () => engine.read(numbers('select n from t order by n'));

  test('are written in their order, and their rows can be read after the next statement', async () => {
    const seen = await engine.write('shared', function* () {
      yield* insert(1);
      const one = yield* ahead(numbers('select n from t'));
      yield* insert(2);
      const both = yield* numbers('select n from t order by n');
      return { one: one(), both };
    });
    expect(seen).toEqual({ one: [1], both: [1, 2] });
    expect(await stored()).toEqual([1, 2]);
  });

  test.each([
    ['as the last one', []],
    ['before others', [3, 4]],
  ])('undo the transaction and report their failure, %s', async (_where, others) => {
    const written = engine.write('shared', function* () {
      yield* insert(1);
      yield* unread(rows('insert into t values (1 / 0)'));
      for (const other of others) yield* insert(other);
    });
    await expect(written).rejects.toThrow('division by zero');
    expect(await stored()).toEqual([]);
  });

  test('report their own failure if a statement after them waits', async () => {
    const written = engine.write('shared', function* () {
      yield* unread(rows('insert into t values (1 / 0)'));
      yield* numbers('select n from t');
    });
    await expect(written).rejects.toThrow('division by zero');
    await engine.write('shared', () => insert(5));
    expect(await stored()).toEqual([5]);
  });

  test('[STO10] run in sessions with settings of Steward, whatever the database says', async () => {
    const { pathname } = new URL(at.place().at);
    for (const setting of [
      'synchronous_commit = off',
      `default_transaction_isolation = 'serializable'`,
      'statement_timeout = 1',
      'lock_timeout = 1',
      'idle_session_timeout = 1000',
    ])
      await queryPostgres(at.place().at, `alter database ${pathname.slice(1)} set ${setting}`);
    const other = await openPostgres(at.place().at, silentLog, 2);
    const shown = async (name: string) => Object.values((await other.read(row(`show ${name}`))) ?? {})[0];
    expect(await shown('synchronous_commit')).toBe('on');
    expect(await shown('transaction_isolation')).toBe('read committed');
    expect(await shown('statement_timeout')).toBe('20s');
    expect(await shown('lock_timeout')).toBe('0');
    expect(await shown('idle_session_timeout')).toBe('0');
    await other.close();
  });

  test('[STO10] keep a stricter synchronous_commit of the server', async () => {
    const { pathname } = new URL(at.place().at);
    await queryPostgres(at.place().at, `alter database ${pathname.slice(1)} set synchronous_commit = remote_apply`);
    const other = await openPostgres(at.place().at, silentLog, 2);
    expect(await other.read(row('show synchronous_commit'))).toEqual({ synchronous_commit: 'remote_apply' });
    await other.close();
  });

  test('are not compiled by PostgreSQL, which would take longer than the statements themselves', async () => {
    expect(await engine.read(row('show jit'))).toEqual({ jit: 'off' });
    expect(await engine.write('shared', () => row('show jit'))).toEqual({ jit: 'off' });
  });

  test('are repeated with the transaction after a conflict with another writer', async () => {
    let tries = 0;
    await engine.write('shared', function* () {
      tries += 1;
      yield* insert(7);
      if (tries === 1) yield* insert(7);
    });
    expect(tries).toBe(2);
    expect(await stored()).toEqual([7]);
  });
});

describe.skipIf(!postgresKind.isHere)(`a replica ${postgresKind.title} that is frozen between two statements`, () => {
  const at = placeForEachTest(postgresKind);
  const IDLE_MS = 200;
  let engine: Engine;
  beforeEach(async () => {
    engine = await openPostgres(at.place().at, silentLog, 2, { ...SERVER_USE, idleInTransactionMs: IDLE_MS });
    await engine.write('shared', () => rows('create table t (n bigint primary key)'));
  });
  afterEach(() => engine.close());

  const freeze = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

  test.each(['shared', 'exclusive'] as const)(
    '[STO1] loses its locks, and writes again what was undone: %s',
    async (lock) => {
      let tries = 0;
      await engine.write(lock, function* () {
        tries += 1;
        yield* rows('insert into t values (1)');
        if (tries === 1) freeze(5 * IDLE_MS);
      });
      expect(tries).toBe(2);
      expect(await engine.read(numbers('select n from t'))).toEqual([1]);
    },
  );

  test('[STO1] keeps them in a migration', async () => {
    let tries = 0;
    await engine.write('migration', function* () {
      tries += 1;
      yield* rows('insert into t values (1)');
      freeze(5 * IDLE_MS);
    });
    expect(tries).toBe(1);
  });
});

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

describe.skipIf(!postgresKind.isHere)(`a server ${postgresKind.title} in trouble`, () => {
  const at = placeForEachTest(postgresKind);

  test.each([
    ['53100', 'the disk of the database server is full'],
    ['53200', 'the database server is out of memory'],
    ['58030', 'the disk of the database server reports an error'],
    ['25006', 'the database accepts no writes'],
  ])('[STO4] after the error %s, clients and /readyz hear that %s, until a write succeeds', async (code, what) => {
    const engine = await openPostgres(at.place().at, silentLog, 2);
    const failing = `do $$ begin raise exception 'planted' using errcode = '${code}'; end $$`;
    await expect(engine.write('shared', () => rows(failing))).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 30,
      message: expect.stringMatching(new RegExp(`${what}.*Nothing was changed`)),
    });
    expect(engine.obstacles()).toEqual([expect.stringContaining(what)]);
    await engine.write('shared', () => rows('select 1'));
    expect(engine.obstacles()).toEqual([]);
    await engine.close();
  });
});
