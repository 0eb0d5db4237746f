// What SQL does to the servers of a pair. Phases reach them through `Servers`, so that a model of a pair can take their place.
import { Client } from 'pg';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import type { InstanceAddress, InstanceState } from './instance.ts';

/** The SQL side of the servers. Each call fails within a few seconds if its server does not answer, except `checkpoint`. */
export interface Servers {
  /** Looks at a server. One that does not answer is down, as far as can be known. */
  facts(instance: InstanceAddress): Promise<InstanceState>;
  /** The time of the server. */
  time(instance: InstanceAddress): Promise<string>;
  /** Whether the server has read its configuration since a time. A reload is not immediate. */
  hasReloadedSince(instance: InstanceAddress, time: string): Promise<boolean>;
  /** Ends all other sessions of clients; those that replicate go on. */
  endSessions(instance: InstanceAddress): Promise<void>;
  /** Writes what is in memory, so that a stop after it is short. This may take long. */
  checkpoint(instance: InstanceAddress): Promise<void>;
  /**
   * Makes a standby a primary. Opens a session that has the number in its name, waits for `mayPromote`, and then sends on this
   * session a statement that has no effect in any other. The server becomes a primary some time after.
   */
  promote(instance: InstanceAddress, number: number, mayPromote: () => Promise<void>): Promise<void>;
  /** Ends the sessions of `promote` with lower numbers. Returns how many there still are. */
  endPromotions(instance: InstanceAddress, below: number): Promise<number>;
}

const CONNECT_TIMEOUT_MS = 2 * SECOND;
const QUERY_TIMEOUT_MS = 2 * SECOND;
const CHECKPOINT_TIMEOUT_MS = 10 * MINUTE;
const APPLICATION_NAME = 'steward-database';
/** SQLSTATE `cannot_connect_now`: the server starts, stops, or recovers. */
const CANNOT_CONNECT_NOW = '57P03';
const DISK_FULL = '53100';

const FACTS = `
  SELECT pg_is_in_recovery() AS in_recovery,
         (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
         (CASE WHEN pg_is_in_recovery() THEN coalesce(pg_last_wal_replay_lsn(), '0/0') ELSE pg_current_wal_lsn() END
           - '0/0'::pg_lsn)::text AS position,
         current_setting('server_version') AS version,
         (SELECT count(*)::int FROM pg_stat_replication WHERE state = 'streaming') AS standbys,
         ARRAY(SELECT DISTINCT application_name FROM pg_stat_activity WHERE application_name <> '') AS sessions`;

interface FactsRow {
  readonly in_recovery: boolean;
  readonly system_id: string;
  readonly position: string;
  readonly version: string;
  readonly standbys: number;
  readonly sessions: readonly string[];
}

const OTHER_SESSIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

const EARLIER_PROMOTIONS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE CASE WHEN application_name ~ '^${APPLICATION_NAME} [0-9]+$' THEN split_part(application_name, ' ', 2)::numeric < $1 END`;

const OWN_SESSION = 'SELECT pid, backend_start::text AS began FROM pg_stat_activity WHERE pid = pg_backend_pid()';

/** Bytes of this statement that arrive in another session do nothing there, also if that has got the same process id. */
const PROMOTE_IN_SESSION = `SELECT pg_promote(false) AS promoted WHERE EXISTS (
  SELECT FROM pg_stat_activity WHERE pid = pg_backend_pid() AND pid = $1 AND backend_start::text = $2)`;

interface SessionOptions {
  readonly name?: string;
  readonly queryTimeoutMs?: number;
}

/**
 * Lets the library read `sslmode` as libpq does and as docs/operations.md has it. By itself it takes `require` and `verify-ca` for
 * `verify-full`, and prints a warning. Without `sslrootcert` it refuses `verify-ca`, which stays `verify-full` then.
 */
export function asLibpq(url: string): string {
  const mode = /[?&]sslmode=(require|verify-ca)(?=&|$)/.exec(url)?.[1];
  if (mode === 'verify-ca' && !url.includes('sslrootcert='))
    return url.replace('sslmode=verify-ca', 'sslmode=verify-full');
  return mode === undefined ? url : `${url}&uselibpqcompat=true`;
}

/** Opens a connection for one use of it, because the server may be restarted before the next. */
async function withClient<T>(
  { url }: InstanceAddress,
  use: (client: Client) => Promise<T>,
  { name = APPLICATION_NAME, queryTimeoutMs = QUERY_TIMEOUT_MS }: SessionOptions = {},
): Promise<T> {
  const client = new Client({
    connectionString: asLibpq(url),
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
  });
  // A connection that breaks also fails the query that waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    // A server that stands still does not answer the end either.
    void client.end().catch(() => undefined);
  }
}

function howDown(error: unknown): 'starting' | 'refused' | 'silent' {
  const code = valueAt(error, 'code');
  if (code === CANNOT_CONNECT_NOW) return 'starting';
  return code === 'ECONNREFUSED' || code === 'ENOENT' ? 'refused' : 'silent';
}

async function factsOf(instance: InstanceAddress): Promise<InstanceState> {
  try {
    const { rows } = await withClient(instance, (client) => client.query<FactsRow>(FACTS));
    const [row] = rows;
    if (row === undefined) throw new Error('the server sent nothing');
    return {
      kind: 'up',
      isInRecovery: row.in_recovery,
      systemId: row.system_id,
      position: BigInt(row.position),
      version: row.version,
      streamingStandbys: row.standbys,
      sessions: row.sessions,
    };
  } catch (error) {
    const isFull = valueAt(error, 'code') === DISK_FULL;
    const reason = isFull ? `its disk is full (${reasonOf(error)})` : reasonOf(error);
    return { kind: 'down', how: howDown(error), reason };
  }
}

async function promote(instance: InstanceAddress, number: number, mayPromote: () => Promise<void>): Promise<void> {
  const name = `${APPLICATION_NAME} ${number}`;
  const inSession = async (client: Client): Promise<void> => {
    const own = await client.query<{ pid: number; began: string }>(OWN_SESSION);
    const { pid, began } = own.rows[0] ?? {};
    await mayPromote();
    const { rows } = await client.query<{ promoted: boolean }>(PROMOTE_IN_SESSION, [pid, began]);
    if (rows[0]?.promoted !== true) throw new Error('the promotion reached another session than its own');
  };
  await withClient(instance, inSession, { name });
}

/** The servers that answer SQL at their addresses. */
export const sqlServers: Servers = {
  facts: factsOf,

  async time(instance) {
    const sql = 'SELECT clock_timestamp()::text AS now';
    const { rows } = await withClient(instance, (client) => client.query<{ now: string }>(sql));
    return rows[0]?.now ?? '';
  },

  async hasReloadedSince(instance, time) {
    const sql = 'SELECT pg_conf_load_time() >= $1::timestamptz AS reloaded';
    const { rows } = await withClient(instance, (client) => client.query<{ reloaded: boolean }>(sql, [time]));
    return rows[0]?.reloaded === true;
  },

  async endSessions(instance) {
    await withClient(instance, (client) => client.query(OTHER_SESSIONS));
  },

  async checkpoint(instance) {
    const options = { queryTimeoutMs: CHECKPOINT_TIMEOUT_MS };
    await withClient(instance, (client) => client.query('CHECKPOINT'), options);
  },

  promote,

  async endPromotions(instance, below) {
    const { rowCount } = await withClient(instance, (client) => client.query(EARLIER_PROMOTIONS, [below]));
    return rowCount ?? 0;
  },
};
