// A PostgreSQL server with many ways in: TCP over IPv4 and IPv6, a socket, TLS, and a rule of access for each group of roles.
import { join } from 'node:path';
import { Client } from 'pg';
import { newId } from '../../../src/foundation/ids.ts';
import type { PostgresServer } from '../store/postgres.ts';
import { startPostgres } from '../store/postgres.ts';

/** An address of the server that is not in its certificate. */
export const UNNAMED_HOST = '127.0.0.2';

/** How a role proves who it is. The name of the group that the rules of access name. */
export type Proof = 'trusted' | 'scram' | 'md5' | 'tls' | 'certificate';

const GROUPS: readonly Proof[] = ['scram', 'md5', 'tls', 'certificate'];
const RULES = `
local   all +scram scram-sha-256
host    all +scram all scram-sha-256
host    all +md5 all md5
hostssl all +tls all trust
hostssl all +certificate all trust clientcert=verify-full
host    all +tls all reject
host    all +certificate all reject
local   all all trust
host    all all all trust
host    replication all all trust
`;

export interface DatabaseOptions {
  readonly role?: string;
  readonly password?: string;
  readonly proof?: Proof;
  readonly database?: string;
  /** What follows `create database NAME owner ROLE`. */
  readonly created?: string;
  /** SQL in the new database, as the administrator. `ROLE` and `DATABASE` stand for the quoted names. */
  readonly sql?: string;
}

export interface TestDatabase {
  readonly role: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly server: PostgresServer;
  /** Sends SQL as the administrator. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

export interface TestCluster {
  readonly server: PostgresServer;
  /** The file of the authority that has signed the certificate of the server. */
  readonly root: string;
  /** Creates a role and a database that belongs to it. */
  create(options?: DatabaseOptions): Promise<TestDatabase>;
  /** Issues a certificate for a role. */
  certificateOf(role: string): Promise<{ readonly cert: string; readonly key: string }>;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

type Query = TestDatabase['query'];

function administrator({ folder, port }: PostgresServer): (database: string) => Query {
  return (database) => async (sql, values) => {
    const client = new Client({ host: folder, port, user: 'steward', database });
    try {
      await client.connect();
      // Several statements have no values.
      const { rows } = await (values === undefined ? client.query(sql) : client.query(sql, [...values]));
      return rows;
    } finally {
      await client.end();
    }
  };
}

/** Starts the server. `settings` are such as the version of TLS. */
export async function startTestCluster(
  bin: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestCluster> {
  const server = await startPostgres(bin, {
    hasTls: true,
    rules: RULES,
    // Steward warns of `fsync = off`.
    settings: { listen_addresses: `127.0.0.1,${UNNAMED_HOST},::1`, fsync: 'on', ...settings },
  });
  const { authority } = server;
  if (authority === undefined) throw new Error('the server has no certificate');
  const as = administrator(server);
  await as('postgres')(GROUPS.map((group) => `create role ${group}`).join(';'));
  return {
    server,
    root: authority.root,
    certificateOf: (role) => authority.issue(`client_${newId()}`, role),
    async create(options = {}) {
      const { proof = 'trusted', password, created = '', sql = '' } = options;
      const { role = `r_${newId()}`, database = `d_${newId()}` } = options;
      const encryption = proof === 'md5' ? 'md5' : 'scram-sha-256';
      await as('postgres')(
        [
          `set password_encryption = '${encryption}'`,
          `create role ${quoted(role)} login ${password === undefined ? '' : `password ${literal(password)}`}`,
          ...(proof === 'trusted' ? [] : [`grant ${proof} to ${quoted(role)}`]),
        ].join(';'),
      );
      await as('postgres')(`create database ${quoted(database)} owner ${quoted(role)} ${created}`);
      const query = as(database);
      const named = sql.replaceAll('ROLE', quoted(role)).replaceAll('DATABASE', quoted(database));
      if (named !== '') await query(named);
      return { role, password, database, server, query };
    },
  };
}

/** The folder of a server's socket, as a part of an address. */
export function socketOf({ folder }: PostgresServer): string {
  return encodeURIComponent(join(folder));
}

export interface AddressOptions {
  readonly host?: string;
  readonly port?: number;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** The address of a database, with every part encoded. */
export function addressOf(place: TestDatabase, options: AddressOptions = {}): string {
  const { role, password, database, server } = place;
  const { host = '127.0.0.1', port = server.port, parameters = {} } = options;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const at = `postgres://${encodeURIComponent(role)}${secret}@${host}:${port}/${encodeURIComponent(database)}`;
  return query.length === 0 ? at : `${at}?${query.join('&')}`;
}
