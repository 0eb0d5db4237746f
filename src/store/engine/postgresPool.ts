// Connections to PostgreSQL: the pool of a store and single clients, each to a server that the address allows, and with the settings
// that the statements of Steward rely on.
import { readFileSync } from 'node:fs';
import type { ClientBase, ClientConfig, PoolClient, QueryConfig, QueryResultRow } from 'pg';
import { Client, Pool, TypeOverrides } from 'pg';
import { SECOND } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { PostgresAddress, ServerAddress, SessionNeed, TlsAddress } from '../postgresAddress.ts';
import { parsePostgresAddress } from '../postgresAddress.ts';
import { PRESENCE_LOCKS } from './dialect.ts';

const INT8 = 20;
/** The client waits this much longer than the server works on a statement: after that, the network has lost the answer. */
const ANSWER_WITHIN_MS = 5 * SECOND;

const CONNECT_WITHIN_MS = 10 * SECOND;

/** The program that connects, and the setting that its address comes from. Sessions of servers are found by the name. */
export interface PostgresUse {
  readonly application: string;
  readonly setting: string;
  /** The time limit of a statement. */
  readonly statementMs: number;
  /** How long a transaction may wait for its next statement: a process that is frozen in one keeps its locks for as long. */
  readonly idleInTransactionMs: number;
  /** The number by which others see that this process runs, as long as one of its sessions lives. */
  readonly presence?: number;
}

export const SERVER_USE: PostgresUse = {
  application: 'steward',
  setting: 'STEWARD_STORE',
  statementMs: 20 * SECOND,
  idleInTransactionMs: 3 * SECOND,
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
function sessionOf({ statementMs, idleInTransactionMs, presence }: PostgresUse): string {
  const settings = {
    jit: 'off',
    enable_seqscan: 'off',
    default_transaction_isolation: `'read committed'`,
    default_transaction_deferrable: 'off',
    statement_timeout: statementMs,
    lock_timeout: 0,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  return [
    ...Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`),
    // Since version 14. The connection that listens is idle most of the time.
    `select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`,
    `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') <> 'remote_apply'`,
    // The others would release the claims of a process whose listener is lost, before it has noticed.
    ...(presence === undefined ? [] : [`select pg_try_advisory_lock_shared(${PRESENCE_LOCKS}, ${presence})`]),
  ].join('; ');
}

/** Lists settings that are off with which a crash of the machine can damage the database, or lose what was acknowledged. */
export const UNSAFE_SETTINGS = `select name from pg_settings
  where name in ('fsync', 'full_page_writes') and setting = 'off' order by name`;

function optionsOf({ application, statementMs }: PostgresUse): ClientConfig {
  const types = new TypeOverrides();
  types.setTypeParser(INT8, Number);
  return {
    types,
    application_name: application,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: statementMs + ANSWER_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10 * SECOND,
  };
}

function readTlsFile(file: string | undefined, name: string, { setting }: Pick<PostgresUse, 'setting'>) {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StewardError('invalid', `${setting}: the file of ${name} cannot be read: ${sentence(reasonOf(error))}`, {
      cause: error,
    });
  }
}

/** The options of TLS. `sslrootcert=system` means the authorities that Node knows, as without the field. */
function tlsOf({ mode, rootCert, cert, key }: TlsAddress, use: Pick<PostgresUse, 'setting'>): ClientConfig['ssl'] {
  if (mode === 'disable') return false;
  const ca = readTlsFile(rootCert === 'system' ? undefined : rootCert, 'sslrootcert', use);
  const files = { ca, cert: readTlsFile(cert, 'sslcert', use), key: readTlsFile(key, 'sslkey', use) };
  if (mode === 'no-verify' || (mode === 'require' && rootCert === undefined))
    return { ...files, rejectUnauthorized: false };
  return mode === 'verify-full' ? files : { ...files, checkServerIdentity: () => undefined };
}

/** Reads the address, or refuses it. */
function readAddress(text: string, { setting }: PostgresUse): PostgresAddress {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') throw new StewardError('invalid', `${setting} ${address}.`);
  return address;
}

/**
 * How to connect to a server. The files of TLS are read for each connection, because they are renewed; if that fails, those of the
 * connection before are used again.
 */
function createConfigOf({ tls }: PostgresAddress, use: PostgresUse): (server: ServerAddress) => ClientConfig {
  let ssl = tlsOf(tls, use);
  const readTls = (): ClientConfig['ssl'] => {
    try {
      ssl = tlsOf(tls, use);
    } catch {
      // The file is being replaced.
    }
    return ssl;
  };
  return (server) => ({
    ...optionsOf(use),
    ...Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined)),
    ssl: readTls(),
  });
}

/** The server that is used now, of those that the address names. */
interface CurrentServer {
  get(): ServerAddress;
  /** Goes on to the next server, unless another connection has done so already. */
  giveUp(server: ServerAddress): void;
}

function createCurrentServer({ servers }: PostgresAddress): CurrentServer {
  let [current] = servers;
  return {
    get: () => current,
    giveUp(server) {
      if (server === current) current = servers[(servers.indexOf(server) + 1) % servers.length] ?? servers[0];
    },
  };
}

const CHECKS = {
  any: undefined,
  'read-write': `select current_setting('transaction_read_only') = 'on' as unfit`,
  primary: 'select pg_is_in_recovery() as unfit',
} as const;

/** Prepares a new session, or refuses a server that is not what the address asks for. */
async function prepare(client: ClientBase, need: SessionNeed, use: PostgresUse): Promise<void> {
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
  const address = readAddress(at, use);
  const current = createCurrentServer(address);
  const configOf = createConfigOf(address, use);
  /** The pool makes its clients with this. */
  class ServerClient extends Client {
    constructor(config: ClientConfig = {}) {
      super({ ...config, ...configOf(current.get()) });
    }
  }
  async function verify(client: PoolClient, done: (error?: Error) => void): Promise<void> {
    try {
      await prepare(client, address.need, use);
    } catch (error) {
      return done(error instanceof Error ? error : new Error(reasonOf(error)));
    }
    done();
  }
  const pool = new Pool({
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    max: connections,
    pipeline: true,
    Client: ServerClient,
    // The pool waits for it before it hands out a new connection, and closes the connection if it fails.
    verify: (client, done) => void verify(client, done),
  });
  // The pool replaces a lost connection, and its query rejects. Without listeners on both, the error would end the process.
  pool.on('error', (error) => log.warn({ reason: error.message }, 'a connection to the store was lost'));
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function connect(): Promise<PoolClient> {
    for (let tries = 1; ; tries += 1) {
      const used = current.get();
      try {
        return await pool.connect();
      } catch (error) {
        current.giveUp(used);
        if (tries >= address.servers.length) throw error;
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
    newClient: () => new Client(configOf(current.get())),
  };
}

/** Connects to the first server of the address that can be used. */
export async function connectClient(at: string, use: PostgresUse): Promise<Client> {
  const address = readAddress(at, use);
  const configOf = createConfigOf(address, use);
  let failure: unknown;
  for (const server of address.servers) {
    const client = new Client(configOf(server));
    client.on('error', () => undefined);
    try {
      await client.connect();
      await prepare(client, address.need, use);
      return client;
    } catch (error) {
      failure = error;
      await client.end().catch(() => undefined);
    }
  }
  throw failure;
}
