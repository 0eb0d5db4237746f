// One PostgreSQL server of a pair: what it is at this time, asked by SQL.
import { Client } from 'pg';
import { reasonOf } from '../../foundation/errors.ts';

/** A server of the pair, as the settings name it. */
export interface InstanceAddress {
  readonly name: string;
  /** Of a superuser, who also administers the server. */
  readonly url: string;
}

/** What a server that answers is. */
export interface InstanceFacts {
  readonly kind: 'up';
  /** Whether it replays and cannot be written to, as a standby does. */
  readonly isInRecovery: boolean;
  /** The same for a primary and its standbys. */
  readonly systemId: string;
  /** The last position that it has written, or replayed in recovery. */
  readonly position: bigint;
  readonly version: string;
  /** The standbys that stream from it. */
  readonly streamingStandbys: number;
  /** The names of its sessions. Programs that manage servers give theirs a name of their kind. */
  readonly sessions: readonly string[];
}

interface InstanceDown {
  readonly kind: 'down';
  readonly reason: string;
}

/** What a look at a server shows. */
export type InstanceState = InstanceFacts | InstanceDown;

export function isPrimary(state: InstanceState): state is InstanceFacts {
  return state.kind === 'up' && !state.isInRecovery;
}

export function isStandby(state: InstanceState): state is InstanceFacts {
  return state.kind === 'up' && state.isInRecovery;
}

const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 30_000;
const APPLICATION_NAME = 'steward-database';

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

/** Opens a connection for one use of it, because the server may be restarted before the next. */
async function withClient<T>({ url }: InstanceAddress, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  });
  // A connection that breaks also fails the query that waits for it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Looks at a server. One that does not answer is down, as far as can be known. */
export async function factsOf(instance: InstanceAddress): Promise<InstanceState> {
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
    return { kind: 'down', reason: reasonOf(error) };
  }
}

/** The time of the server. */
export async function timeOf(instance: InstanceAddress): Promise<string> {
  const { rows } = await withClient(instance, (client) =>
    client.query<{ now: string }>('SELECT clock_timestamp()::text AS now'),
  );
  return rows[0]?.now ?? '';
}

/** Whether the server has read its configuration since a time. A reload is not immediate. */
export async function hasReloadedSince(instance: InstanceAddress, time: string): Promise<boolean> {
  const sql = 'SELECT pg_conf_load_time() >= $1::timestamptz AS reloaded';
  const { rows } = await withClient(instance, (client) => client.query<{ reloaded: boolean }>(sql, [time]));
  return rows[0]?.reloaded === true;
}

/** Ends all other sessions of clients; those that replicate go on. */
export async function endSessions(instance: InstanceAddress): Promise<void> {
  const others = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  await withClient(instance, (client) => client.query(others));
}

/** Writes what is in memory, so that a stop after it is short. */
export async function checkpoint(instance: InstanceAddress): Promise<void> {
  await withClient(instance, (client) => client.query('CHECKPOINT'));
}

/** Makes a standby a primary. Returns when it is one. */
export async function promote(instance: InstanceAddress): Promise<void> {
  await withClient(instance, (client) => client.query('SELECT pg_promote(true, 25)'));
}
