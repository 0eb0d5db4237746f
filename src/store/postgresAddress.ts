// The address of a PostgreSQL server, as libpq reads it: it may name several servers, of which one that accepts writes is used. Parsed
// here and not by the driver, which takes one server, gives some TLS modes another meaning, and decodes no `/` in a name.

/** What a server must be to be used: any that answers, one that accepts writes, or one that is not a standby. */
export type SessionNeed = 'any' | 'read-write' | 'primary';
const NEEDS: readonly SessionNeed[] = ['any', 'read-write', 'primary'];

/** `require` encrypts; it checks the certificate only if `rootCert` is given. `no-verify` never does. */
export type TlsMode = 'disable' | 'no-verify' | 'require' | 'verify-ca' | 'verify-full';
const TLS_MODES: readonly TlsMode[] = ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify'];

export interface TlsAddress {
  readonly mode: TlsMode;
  /** Files with the authority, and with the certificate and key of the client. */
  readonly rootCert: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** What is undefined is taken from the environment or from ~/.pgpass, as by every client of PostgreSQL. */
export interface ServerAddress {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Settings of the session, such as `-c search_path=steward`. */
  readonly options: string | undefined;
}

export interface PostgresAddress {
  /** In the order in which they are tried. */
  readonly servers: readonly [ServerAddress, ...ServerAddress[]];
  readonly need: SessionNeed;
  readonly tls: TlsAddress;
}

/** An address that cannot be used. It repeats no part of the address, because that may be a password. */
class UnusableAddress extends Error {}

const PARTS =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^@:/?#]*)(?::(?<password>[^@/?#]*))?@)?(?<hosts>[^@/?#]*)(?:\/(?<database>[^/?#]*))?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[(?<six>[\da-f:.]+(?:%25[\w.-]+)?)\]|(?<name>[^[\]:]*))(?::(?<port>\d{1,5}))?$/i;

function decoded(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UnusableAddress('has a % that is not part of an escape such as %40. A % itself is %25');
  }
}

function oneOf<C extends string>(name: string, given: string | undefined, choices: readonly C[]): C | undefined {
  if (given === undefined) return undefined;
  const found = choices.find((one) => one === given);
  if (found === undefined)
    throw new UnusableAddress(`has a ${name} that Steward does not support. Use ${choices.join(', ')}`);
  return found;
}

function readFields(query: string | undefined): ReadonlyMap<string, string> {
  const pairs = (query ?? '').split('&').filter((pair) => pair !== '');
  return new Map(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, decoded(value.join('=')) ?? ''];
    }),
  );
}

interface Place {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

const MAX_PORT = 65_535;

function readPort(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
    throw new UnusableAddress(`has a port that is not a number from 1 to ${MAX_PORT}`);
  return port;
}

/** The servers in the address itself, or in `host` and `port` of its query. */
function readPlaces(authority: string, fields: ReadonlyMap<string, string>): readonly Place[] {
  const [hosts, ports] = [fields.get('host')?.split(','), fields.get('port')?.split(',')];
  if (hosts !== undefined) return hosts.map((host, n) => ({ host, port: readPort(ports?.[n] ?? ports?.[0]) }));
  return authority.split(',').map((text) => {
    const parts = HOST.exec(text)?.groups;
    if (parts === undefined)
      throw new UnusableAddress('has a host that is neither a name nor an address, with or without a port');
    return { host: decoded(parts['six'] ?? parts['name']), port: readPort(parts['port']) };
  });
}

const TLS_FIELDS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** An address that asks for TLS in a way that would be ignored must not lead to a plain connection. */
function refuseIgnoredTls(fields: ReadonlyMap<string, string>): void {
  const unknown = [...fields.keys()].find((name) => name.startsWith('ssl') && !TLS_FIELDS.includes(name));
  if (unknown !== undefined)
    throw new UnusableAddress(`has ${unknown}, which Steward does not support. Use ${TLS_FIELDS.join(', ')}`);
  const other = TLS_FIELDS.find((name) => name !== 'sslmode' && fields.has(name));
  if (other !== undefined && !fields.has('sslmode') && modeOfEnvironment() === undefined)
    throw new UnusableAddress(`has ${other} and no sslmode. Add sslmode=verify-full`);
  if (fields.has('sslcert') !== fields.has('sslkey'))
    throw new UnusableAddress('has one of sslcert and sslkey. Give both: the certificate of the client, and its key');
}

/** `allow` and `prefer` leave it to the address, which asks for plain connections if it has no mode. */
function modeOfEnvironment(): string | undefined {
  const mode = process.env['PGSSLMODE'];
  return mode === '' || mode === 'allow' || mode === 'prefer' ? undefined : mode;
}

function parse(text: string): PostgresAddress {
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined)
    throw new UnusableAddress(
      'is not a valid database address. In the user name, the password and the name of the database, characters such as @ : / ? # and % must be percent-encoded (@ is %40)',
    );
  const fields = readFields(parts['query']);
  refuseIgnoredTls(fields);
  const [first, ...others] = readPlaces(parts['hosts'] ?? '', fields).map((place) => ({
    ...place,
    user: decoded(parts['user']) ?? fields.get('user'),
    password: decoded(parts['password']) ?? fields.get('password'),
    database: decoded(parts['database']) ?? fields.get('dbname'),
    options: fields.get('options'),
  }));
  if (first === undefined) throw new UnusableAddress('names no server');
  const need = oneOf('target_session_attrs', fields.get('target_session_attrs'), NEEDS);
  const mode = oneOf('sslmode', fields.get('sslmode') ?? modeOfEnvironment(), TLS_MODES);
  return {
    servers: [first, ...others],
    need: need ?? (others.length > 0 ? 'read-write' : 'any'),
    tls: {
      mode: mode ?? 'disable',
      rootCert: fields.get('sslrootcert'),
      cert: fields.get('sslcert'),
      key: fields.get('sslkey'),
    },
  };
}

/** Reads an address; a text if it cannot be used, which says why. */
export function parsePostgresAddress(text: string): PostgresAddress | string {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof UnusableAddress) return error.message;
    throw error;
  }
}

/** Whether an address has a password. One that cannot be read may have. */
export function hasPassword(text: string): boolean {
  const address = parsePostgresAddress(text);
  return typeof address === 'string' || address.servers[0].password !== undefined;
}

function placeOf({ host, port }: ServerAddress): string {
  if (host === undefined || host.startsWith('/')) return 'the local socket';
  return `${host.includes(':') ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`;
}

/** Names servers, database and the kind of TLS, without user and password. */
export function describePostgres(text: string): string {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') return 'PostgreSQL';
  const { database } = address.servers[0];
  const { mode } = address.tls;
  return [
    `PostgreSQL at ${address.servers.map(placeOf).join(', ')}${database === undefined ? '' : `/${database}`}`,
    ...(mode === 'disable' ? [] : [`over TLS (${mode})`]),
  ].join(' ');
}
