// Connections to PostgreSQL: the pool of a store and single clients, each to a server that the address allows, and with the settings
// that the statements of Steward rely on.
import type { ClientBase, ClientConfig, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { Client, Pool, TypeOverrides } from 'pg';
import { SECOND } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { PostgresAddress } from '../postgresAddress.ts';
import { parsePostgresAddress } from '../postgresAddress.ts';

const INT8 = 20;
/** The client waits this much longer than the server works on a statement: after that, the network has lost the answer. */
const ANSWER_WITHIN_MS = 5 * SECOND;

/** The program that connects, and the setting that its address comes from. Sessions of servers are found by the name. */
export interface PostgresUse {
  readonly application: string;
  readonly setting: string;
  /** The time limit of a statement. */
  readonly statementMs: number;
}

export const SERVER_USE: PostgresUse = {
  application: 'steward',
  setting: 'STEWARD_STORE',
  statementMs: 20 * SECOND,
};

/**
 * Sets what the server, the database or the role may have set otherwise. Not parameters of the connection, because PgBouncer refuses
 * those; not `options` in the address, which would take the place of the administrator's.
 *
 * - With a long backlog, PostgreSQL expects a claim to be expensive and compiles its expressions first, each time: 20 ms for claims of 3 ms.
 * - A plan from a time when a table was small would read all of it later, also the rows that were deleted since the last vacuum.
 * - A transaction first takes its lock. Its next statement must see what was committed before, and at other levels it would not.
 * - What was acknowledged survives a crash of the server. `remote_apply` is stricter than `on`.
 */
function sessionOf({ statementMs }: Pick<PostgresUse, 'statementMs'>): string {
  const settings = {
    jit: 'off',
    enable_seqscan: 'off',
    default_transaction_isolation: `'read committed'`,
    statement_timeout: statementMs,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: 30 * SECOND,
  };
  return [
    ...Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`),
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') <> 'remote_apply'`,
  ].join('; ');
}

/** Lists settings that are off with which a crash of the machine can damage the database, or lose what was acknowledged. */
export const UNSAFE_SETTINGS = `select name from pg_settings
  where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`;

function optionsOf({ application, statementMs }: PostgresUse): ClientConfig {
  return {
    application_name: application,
    connectionTimeoutMillis: 10 * SECOND,
    query_timeout: statementMs + ANSWER_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
  };
}

/** Reads the address, or refuses it. */
function addressOf(text: string, { setting }: Pick<PostgresUse, 'setting'>): PostgresAddress {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') throw new StewardError('invalid', `${setting} ${address}.`);
  return address;
}

/** The server that is used now, of those that the address names. */
interface Servers {
  readonly count: number;
  url(): string;
  /** Goes on to the next server, unless another connection has done so already. */
  giveUp(url: string): void;
}

function createServers({ urls: [first, ...others] }: PostgresAddress): Servers {
  const urls = [first, ...others];
  let current = first;
  return {
    count: urls.length,
    url: () => current,
    giveUp(url) {
      if (url === current) current = urls[(urls.indexOf(url) + 1) % urls.length] ?? first;
    },
  };
}

const CHECKS = {
  any: undefined,
  'read-write': `select current_setting('transaction_read_only') = 'on' as unfit`,
  primary: 'select pg_is_in_recovery() as unfit',
} as const;

/** Prepares a new session, or refuses a server that is not what the address asks for. */
async function prepare(client: ClientBase, { need }: PostgresAddress, use: PostgresUse): Promise<void> {
  const check = CHECKS[need];
  if (check !== undefined) {
    const { rows } = await client.query<{ readonly unfit: boolean }>(check);
    if (rows[0]?.unfit !== false)
      throw Object.assign(new Error('the server is read-only, or a standby'), { code: '25006' });
  }
  await client.query(sessionOf(use));
}

/** A pool that connects to the next server of the address if one cannot be used. */
export interface PostgresPool {
  connect(): Promise<PoolClient>;
  /** Runs one statement. After a failure its connection is closed. */
  query<R extends QueryResultRow>(statement: QueryConfig): Promise<readonly R[]>;
  end(): Promise<void>;
  /** A client that is not part of the pool, for a session that lasts. */
  newClient(): Client;
}

export function openPool(at: string, log: Log, connections: number, use: PostgresUse): PostgresPool {
  const address = addressOf(at, use);
  const servers = createServers(address);
  /** The pool makes its clients with this. */
  class ServerClient extends Client {
    constructor(config: ClientConfig = {}) {
      super({ ...config, connectionString: servers.url() });
    }
  }
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  const pool = new Pool({
    ...optionsOf(use),
    max: connections,
    types,
    pipeline: true,
    Client: ServerClient,
    // The pool waits for it, and closes the connection if it fails.
    onConnect: (client) => prepare(client, address, use),
  });
  // The pool replaces a lost connection, and its query rejects. Without listeners on both, the error would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the store was lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const url = servers.url();
      try {
        return await pool.connect();
      } catch (error) {
        servers.giveUp(url);
        if (tries >= servers.count) throw error;
      }
    }
  }

  return {
    connect,
    async query<R extends QueryResultRow>(statement: QueryConfig): Promise<readonly R[]> {
      const client = await connect();
      try {
        const { rows } = await client.query<R>(statement);
        client.release();
        return rows;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
    end: () => pool.end(),
    newClient: () => new Client({ ...optionsOf(use), connectionString: servers.url() }),
  };
}

/** Connects to the first server of the address that can be used. */
export async function connectClient(at: string, use: PostgresUse): Promise<Client> {
  const address = addressOf(at, use);
  let failure: unknown;
  for (const url of address.urls) {
    const client = new Client({ ...optionsOf(use), connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await prepare(client, address, use);
      return client;
    } catch (error) {
      failure = error;
      await client.end().catch(() => undefined);
    }
  }
  throw failure;
}
