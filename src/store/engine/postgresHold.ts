import type { Client } from 'pg';
import { StewardError } from '../../foundation/errors.ts';
import { WRITE_LOCK } from './postgres.ts';
import type { PostgresUse } from './postgresPool.ts';
import { SERVER_USE, connectClient } from './postgresPool.ts';

/** Keeps every writer away from a store on PostgreSQL. */
export interface PostgresHold {
  /** Throws if the connection was lost, and with it the lock. */
  check(): void;
  release(): Promise<void>;
}

const WAIT_MS = 5000;
const LOCK_NOT_AVAILABLE = '55P03';

function inUse(who: string): StewardError {
  return new StewardError('conflict', `${who} the source. Stop every replica of Steward that uses it, and try again.`);
}

/** Sessions of other users may be hidden; the lock holds against them too. */
async function refuseServers(client: Client): Promise<void> {
  const { rows } = await client.query<{ readonly at: string }>(
    `select coalesce(host(client_addr), 'this machine') as at from pg_stat_activity
     where datname = current_database() and application_name = $1`,
    [SERVER_USE.application],
  );
  if (rows.length === 0) return;
  const places = [...new Set(rows.map(({ at }) => at))];
  throw inUse(`Steward (${rows.length} connections from ${places.join(', ')}) uses`);
}

/** Takes the lock that every write of a server needs, for as long as the connection lasts. Refuses a store that servers use. */
export async function holdPostgres(url: string, use: PostgresUse): Promise<PostgresHold> {
  const client = await connectClient(url, use);
  let isLost = false;
  client.on('error', () => (isLost = true));
  client.on('end', () => (isLost = true));
  try {
    await refuseServers(client);
    await client.query(`set lock_timeout = ${WAIT_MS}`);
    await client.query(`select pg_advisory_lock(${WRITE_LOCK})`);
  } catch (error) {
    await client.end();
    throw error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
      ? inUse('Another process writes to')
      : error;
  }
  return {
    check() {
      if (isLost) throw new StewardError('unavailable', 'The connection to the source was lost.');
    },
    release: () => client.end(),
  };
}
