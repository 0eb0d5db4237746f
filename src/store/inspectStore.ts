// Looks at a store without opening it for a server: nothing is migrated, locked or changed. For `steward doctor`.
import { statSync } from 'node:fs';
import { SECOND } from '../foundation/clock.ts';
import { sizeOf } from '../foundation/files/fileSize.ts';
import { KEY_MARK_LENGTH } from '../foundation/sealer.ts';
import type { Dialect } from './engine/dialect.ts';
import { postgresDialect, sqliteDialect } from './engine/dialect.ts';
import { findDifferences, levelOf } from './engine/migrate.ts';
import { migrations } from './engine/migrations.ts';
import type { Row, Script } from './engine/script.ts';
import type { StoreLocation } from './store.ts';

export interface StoreReport {
  readonly level: number;
  /** The schema level of this release. */
  readonly ownLevel: number;
  /** The version of Steward that started last on it; undefined before 0.2.0. */
  readonly version: string | undefined;
  /** How its schema differs from the one of its level; undefined if the next start will migrate it. */
  readonly differences: readonly string[] | undefined;
  /** Settings of the database server with which a crash can lose what was acknowledged. */
  readonly unsafeSettings: readonly string[];
  /** The number of rows of some tables, for a supporter. */
  readonly rows: Readonly<Record<string, number>>;
  /** The addresses of active webhooks. */
  readonly receivers: readonly string[];
  /** The mark of the master key of each webhook's secrets. */
  readonly keyMarks: readonly string[];
  /** The marks of the master keys of the objects that are kept for an undo, each once. */
  readonly objectKeyMarks: readonly string[];
  /** When the newest audit entry was written; undefined if there is none. */
  readonly newestAt: number | undefined;
  /** The clock of the database server; undefined for the embedded store. */
  readonly databaseTime: number | undefined;
  /** What is damaged, if something is. */
  readonly damage: string | undefined;
}

type ReadRows = (sql: string) => Promise<readonly Row[]>;

const COUNTED = ['account', 'service', 'webhook', 'event', 'delivery', 'attempt', 'job', 'audit', 'upload'];
/** A count of a large table takes long, and a supporter needs the order of magnitude only. */
const COUNT_UP_TO = 1_000_000;
const RECEIVERS = 'select distinct url from webhook where active = 1 and deleted_at is null';
const KEY_MARKS = `select substr(sealed, 1, ${KEY_MARK_LENGTH}) from webhook where deleted_at is null`;

/** The schema levels that brought these tables. */
const [INSTALLATION_LEVEL, OBJECTS_LEVEL] = [2, 3];
const OBJECT_KEY_MARKS = `select distinct substr(content, 1, ${KEY_MARK_LENGTH}) from job_object`;

async function runScript<T>(script: Script<T>, read: ReadRows): Promise<T> {
  let step = script.next();
  while (step.done !== true) step = script.next(await read(step.value.sql));
  return step.value;
}

/** What the database server reports, besides what is stored. */
type OfServer = 'databaseTime' | 'damage' | 'unsafeSettings';

const NOTHING_READ = {
  version: undefined,
  rows: {},
  receivers: [],
  keyMarks: [],
  objectKeyMarks: [],
  newestAt: undefined,
};

async function report(dialect: Dialect, read: ReadRows): Promise<Omit<StoreReport, OfServer>> {
  const firstColumn = async (sql: string): Promise<readonly unknown[]> =>
    (await read(sql)).map((row) => Object.values(row)[0]);
  const number = async (sql: string): Promise<number> => Number((await firstColumn(sql))[0] ?? 0);
  const [level, ownLevel] = [await number('select max(level) as level from schema_migration'), levelOf(migrations)];
  const differences = level >= ownLevel ? await runScript(findDifferences(dialect), read) : undefined;
  // The tables may not be there.
  if (differences !== undefined && differences.length > 0) return { ...NOTHING_READ, level, ownLevel, differences };
  const rows: Record<string, number> = {};
  for (const table of COUNTED)
    rows[table] = await number(`select count(*) as n from (select 1 from ${table} limit ${COUNT_UP_TO}) as counted`);
  const newestAt = await number('select max(at) as at from audit');
  const [version] = level >= INSTALLATION_LEVEL ? await firstColumn('select version from installation') : [];
  const objectKeyMarks = level >= OBJECTS_LEVEL ? await firstColumn(OBJECT_KEY_MARKS) : [];
  return {
    level,
    ownLevel,
    version: typeof version === 'string' ? version : undefined,
    differences,
    rows,
    receivers: (await firstColumn(RECEIVERS)).map(String),
    keyMarks: (await firstColumn(KEY_MARKS)).map(String),
    objectKeyMarks: objectKeyMarks.map(String),
    newestAt: newestAt === 0 ? undefined : newestAt,
  };
}

async function inspectSqlite(file: string): Promise<StoreReport> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const { rowsOf } = await import('./engine/sqlite/firstColumn.ts');
  const { findDamage } = await import('./engine/sqlite/quickCheck.ts');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('pragma busy_timeout = 5000');
    const damage = findDamage(database, statSync(file).size);
    const read: ReadRows = async (sql) => rowsOf(database, sql);
    return { ...(await report(sqliteDialect, read)), databaseTime: undefined, damage, unsafeSettings: [] };
  } finally {
    database.close();
  }
}

const USE = {
  application: 'steward doctor',
  setting: 'STEWARD_STORE',
  statementMs: 30 * SECOND,
  idleInTransactionMs: 30 * SECOND,
};

async function inspectPostgres(at: string): Promise<StoreReport | undefined> {
  const { UNSAFE_SETTINGS, connectClient } = await import('./engine/postgresPool.ts');
  const client = await connectClient(at, USE);
  try {
    const read: ReadRows = async (sql) => (await client.query<Row>(sql)).rows;
    const [clock] = await read('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now');
    const unsafe = await read(UNSAFE_SETTINGS);
    const [found] = await read(`select to_regclass('schema_migration')::text as name`);
    if (found?.['name'] === null) return undefined;
    return {
      ...(await report(postgresDialect, read)),
      databaseTime: Number(clock?.['now']),
      damage: undefined,
      unsafeSettings: unsafe.map(({ name }) => String(name)),
    };
  } finally {
    await client.end();
  }
}

/** Reports on a store. Returns undefined if there is none, or an empty one. An empty file is not opened: SQLite would delete its log. */
export async function inspectStore({ kind, at }: StoreLocation): Promise<StoreReport | undefined> {
  if (kind === 'postgres') return inspectPostgres(at);
  return sizeOf(at) > 0 ? inspectSqlite(at) : undefined;
}
