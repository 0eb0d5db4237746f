// Looks at a store without opening it for a server: nothing is migrated, locked or changed. For `steward doctor`.
import { existsSync, statSync } from 'node:fs';
import { SECOND } from '../foundation/clock.ts';
import { KEY_MARK_LENGTH } from '../foundation/sealer.ts';
import { levelOf } from './engine/migrate.ts';
import { migrations } from './engine/migrations.ts';
import type { StoreLocation } from './store.ts';

export interface StoreReport {
  readonly level: number;
  /** The schema level of this release. */
  readonly ownLevel: number;
  /** The number of rows of some tables, for a supporter. */
  readonly rows: Readonly<Record<string, number>>;
  /** The addresses of active webhooks. */
  readonly receivers: readonly string[];
  /** The mark of the master key of each webhook's secrets. */
  readonly keyMarks: readonly string[];
  /** When the newest audit entry was written; undefined if there is none. */
  readonly newestAt: number | undefined;
  /** The clock of the database server; undefined for the embedded store. */
  readonly databaseTime: number | undefined;
  /** What is damaged, if something is. */
  readonly damage: string | undefined;
}

type FirstColumn = (sql: string) => Promise<readonly unknown[]>;

const COUNTED = ['account', 'service', 'webhook', 'event', 'delivery', 'attempt', 'job', 'audit', 'upload'];
/** A count of a large table takes long, and a supporter needs the order of magnitude only. */
const COUNT_UP_TO = 1_000_000;
const RECEIVERS = 'select distinct url from webhook where active = 1 and deleted_at is null';
const KEY_MARKS = `select substr(sealed, 1, ${KEY_MARK_LENGTH}) from webhook where deleted_at is null`;

async function report(read: FirstColumn): Promise<Omit<StoreReport, 'databaseTime' | 'damage'>> {
  const number = async (sql: string): Promise<number> => Number((await read(sql))[0] ?? 0);
  const rows: Record<string, number> = {};
  for (const table of COUNTED)
    rows[table] = await number(`select count(*) from (select 1 from ${table} limit ${COUNT_UP_TO}) as counted`);
  const newestAt = await number('select max(at) from audit');
  return {
    level: await number('select max(level) from schema_migration'),
    ownLevel: levelOf(migrations),
    rows,
    receivers: (await read(RECEIVERS)).map(String),
    keyMarks: (await read(KEY_MARKS)).map(String),
    newestAt: newestAt === 0 ? undefined : newestAt,
  };
}

async function inspectSqlite(file: string): Promise<StoreReport> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const { firstColumn } = await import('./engine/sqlite/firstColumn.ts');
  const { findDamage } = await import('./engine/sqlite/quickCheck.ts');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    database.exec('pragma busy_timeout = 5000');
    const damage = findDamage(database, statSync(file).size);
    return { ...(await report(async (sql) => firstColumn(database, sql))), databaseTime: undefined, damage };
  } finally {
    database.close();
  }
}

const USE = { application: 'steward doctor', setting: 'STEWARD_STORE', statementMs: 30 * SECOND };

async function inspectPostgres(at: string): Promise<StoreReport> {
  const { connectClient } = await import('./engine/postgresPool.ts');
  const client = await connectClient(at, USE);
  try {
    const read: FirstColumn = async (sql) =>
      (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows.map(([first]) => first);
    const databaseTime = Number((await read('select (extract(epoch from clock_timestamp()) * 1000)::bigint'))[0]);
    return { ...(await report(read)), databaseTime, damage: undefined };
  } finally {
    await client.end();
  }
}

/** Reports on a store. Returns undefined if there is no embedded store yet. */
export async function inspectStore({ kind, at }: StoreLocation): Promise<StoreReport | undefined> {
  if (kind === 'postgres') return inspectPostgres(at);
  return existsSync(at) ? inspectSqlite(at) : undefined;
}
