// The address of a PostgreSQL server, as libpq reads it: it may name several servers, of which the one that accepts writes is used.

/** What a server must be to be used: any that answers, one that accepts writes, or one that is no standby. */
export type SessionNeed = 'any' | 'read-write' | 'primary';
const NEEDS: readonly SessionNeed[] = ['any', 'read-write', 'primary'];

export interface PostgresAddress {
  /** One address for each server, in the order in which they are tried. */
  readonly urls: readonly [string, ...string[]];
  readonly need: SessionNeed;
}

const PARTS =
  /^(?<scheme>postgres(?:ql)?:\/\/)(?:(?<credentials>[^@/?#]*)@)?(?<hosts>[^@/?#]*)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[[\da-f:.]+(?:%25[\w.-]+)?\]|[^[\]:]*)(?::\d{1,5})?$/i;
const NEED = 'target_session_attrs';

/** Reads an address; a text if it cannot be used, which says why and repeats no part of it, because it may have a password. */
export function parsePostgresAddress(text: string): PostgresAddress | string {
  const parts = PARTS.exec(text)?.groups;
  if (parts === undefined)
    return 'is not a valid database address. Special characters in the user name and password, such as @ : / ? # and %, must be percent-encoded (@ is %40)';
  const { scheme = '', credentials, hosts = '', path = '', query = '' } = parts;
  const names = hosts.split(',');
  if (!names.every((name) => HOST.test(name)))
    return 'is not a valid database address: a host must be a name or an address, with or without a port';
  const fields = query.split('&').filter((field) => field !== '');
  const given = fields.find((field) => field.startsWith(`${NEED}=`))?.slice(NEED.length + 1);
  const need = given === undefined ? (names.length > 1 ? 'read-write' : 'any') : NEEDS.find((one) => one === given);
  if (need === undefined)
    return `has ${NEED}=${given ?? ''}, which Steward does not support, because it writes. Use ${NEEDS.join(', ')}`;
  const others = fields.filter((field) => !field.startsWith(`${NEED}=`));
  const login = credentials === undefined ? '' : `${credentials}@`;
  const end = `${path}${others.length === 0 ? '' : `?${others.join('&')}`}`;
  const [first = '', ...rest] = names.map((name) => `${scheme}${login}${name}${end}`);
  if (![first, ...rest].every((url) => URL.canParse(url))) return 'is not a valid database address';
  return { urls: [first, ...rest], need };
}

/** Whether an address has a password. One that cannot be read may have. */
export function hasPassword(text: string): boolean {
  const address = parsePostgresAddress(text);
  return typeof address === 'string' || new URL(address.urls[0]).password !== '' || /[?&]password=/.test(text);
}

/** Names servers and database, without user and password. */
export function describePostgres(text: string): string {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') return 'PostgreSQL';
  const { host, pathname, searchParams } = new URL(address.urls[0]);
  const hosts =
    host === '' || searchParams.has('host') ? ['the local socket'] : address.urls.map((url) => new URL(url).host);
  return `PostgreSQL at ${hosts.join(', ')}${pathname}`;
}
