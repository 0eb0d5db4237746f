import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, inject } from 'vitest';
import type { Clock } from '../../../src/foundation/clock.ts';
import { systemClock } from '../../../src/foundation/clock.ts';
import { newId } from '../../../src/foundation/ids.ts';
import { silentLog } from '../../../src/foundation/log.ts';
import type { Engine } from '../../../src/store/engine/engine.ts';
import type { Migration } from '../../../src/store/engine/migrations.ts';
import type { Store, StoreLocation } from '../../../src/store/store.ts';
import { openStore } from '../../../src/store/store.ts';
import type { ManualClock } from '../clock/manualClock.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { databaseUrl, queryPostgres } from './postgres.ts';
import { POSTGRES_TEMPLATE } from './postgresTemplate.ts';

export interface StoreKind {
  readonly engine: StoreLocation['kind'];
  /** For the titles of tests; says why they are skipped if they are. */
  readonly title: string;
  readonly isHere: boolean;
  /** Creates a place for a store, empty if nothing else is asked for; call `remove` when the test is done. */
  place(tables?: Tables): Promise<{ readonly place: StoreLocation; remove(): Promise<void> }>;
}

/** What is in a place before a test opens it: nothing, or the tables of this version if the engine can copy them. */
type Tables = 'none' | 'copied';

const postgresUrl = inject('postgresUrl');

export const sqliteKind: StoreKind = {
  engine: 'sqlite',
  title: 'on SQLite',
  isHere: true,
  async place() {
    const folder = temporaryFolder();
    return {
      place: { kind: 'sqlite', at: join(folder.path, 'steward.db'), connections: 1 },
      remove: async () => folder.remove(),
    };
  },
};

const postgres: StoreKind = {
  engine: 'postgres',
  title: postgresUrl === '' ? 'on PostgreSQL (left out: this machine has no PostgreSQL server)' : 'on PostgreSQL',
  isHere: postgresUrl !== '',
  async place(tables = 'none') {
    const name = `t_${newId()}`;
    const template = tables === 'copied' ? POSTGRES_TEMPLATE : 'template1';
    await queryPostgres(postgresUrl, `create database ${name} template ${template}`);
    return {
      place: { kind: 'postgres', at: databaseUrl(postgresUrl, name), connections: 10 },
      remove: async () => {
        await queryPostgres(postgresUrl, `drop database ${name} with (force)`);
      },
    };
  },
};

export { postgres as postgresKind };

/** Reads the stored rows of a table, on both engines. */
export async function rowsOf(place: StoreLocation, table: string): Promise<readonly Record<string, unknown>[]> {
  if (place.kind === 'postgres') return queryPostgres(place.at, `select * from ${table}`);
  const database = new DatabaseSync(place.at, { readOnly: true });
  try {
    return database.prepare(`select * from ${table}`).all() as readonly Record<string, unknown>[];
  } finally {
    database.close();
  }
}

/** The names of all tables, on both engines. */
export async function tablesOf(place: StoreLocation): Promise<readonly string[]> {
  const { from, name, where } =
    place.kind === 'postgres'
      ? { from: 'pg_tables', name: 'tablename', where: `schemaname = current_schema()` }
      : { from: 'sqlite_schema', name: 'name', where: `type = 'table' and name not like 'sqlite%'` };
  const found = await rowsOf(place, `${from} where ${where}`);
  return found.map((row) => String(row[name])).toSorted();
}

/** Changes the rows of a store past its ports, on both engines. */
export async function changeRows(place: StoreLocation, sql: string): Promise<void> {
  if (place.kind === 'postgres') return void (await queryPostgres(place.at, sql));
  const database = new DatabaseSync(place.at);
  try {
    database.exec(`pragma busy_timeout = 5000; ${sql}`);
  } finally {
    database.close();
  }
}

/** Opens the engine of a store without its tables. */
export async function openEngine({ kind, at }: StoreLocation): Promise<Engine> {
  return kind === 'sqlite'
    ? (await import('../../../src/store/engine/sqlite/sqlite.ts')).openSqlite(at)
    : (await import('../../../src/store/engine/postgres.ts')).openPostgres(at, silentLog, 2);
}

/** Opens a store. On a manual clock, all work of the store is tracked, so that no time passes while it is in progress. */
export async function openStoreOn(
  place: StoreLocation,
  clock: Clock | ManualClock,
  migrations?: readonly Migration[],
): Promise<Store> {
  const more = { log: silentLog, ...(migrations === undefined ? {} : { migrations }) };
  if (!('trackedStore' in clock)) return openStore(place, { clock, ...more });
  return clock.trackedStore(await openStore(place, { clock: clock.forLoop(), ...more }));
}

/** Defines a suite for every engine. */
export function eachStore(suite: (kind: StoreKind) => void): void {
  for (const kind of [sqliteKind, postgres]) {
    describe.skipIf(!kind.isHere)(`a store ${kind.title}`, () => {
      suite(kind);
    });
  }
}

/** Creates a store for each test of the surrounding suite. It is closed and removed after the test. */
export function placeForEachTest(
  kind: StoreKind,
  tables: Tables = 'copied',
): {
  readonly place: () => StoreLocation;
  readonly open: (clock?: Clock, migrations?: readonly Migration[]) => Promise<Store>;
} {
  let made: Awaited<ReturnType<StoreKind['place']>>;
  let opened: Store[] = [];
  beforeEach(async () => {
    made = await kind.place(tables);
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await made.remove();
  });
  return {
    place: () => made.place,
    open: async (clock = systemClock, migrations?) => {
      const store = await openStoreOn(made.place, clock, migrations);
      opened.push(store);
      return store;
    },
  };
}
