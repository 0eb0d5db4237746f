import { describe, expect, test } from 'vitest';
import { describePostgres, hasPassword, parsePostgresAddress } from './postgresAddress.ts';

function read(text: string) {
  const address = parsePostgresAddress(text);
  if (typeof address === 'string') throw new Error(address);
  return address;
}

const NOTHING = { user: undefined, password: undefined, database: undefined, options: undefined };

describe('[STO11] the address of a database', () => {
  test.each([
    ['postgres://db.example/steward', { host: 'db.example', database: 'steward' }],
    ['postgresql://u:p@[::1]:5433/steward', { host: '::1', port: 5433, user: 'u', password: 'p', database: 'steward' }],
    [
      'postgres:///steward?host=/run/postgresql&port=5433',
      { host: '/run/postgresql', port: 5433, database: 'steward' },
    ],
    ['postgres://u@%2Frun%2Fpostgresql/steward', { host: '/run/postgresql', user: 'u', database: 'steward' }],
    [
      'postgres://u:%40%3A%2F%3F%23%25%26%2B%20%C3%A9@h/a%2Fb%3F%23',
      { host: 'h', user: 'u', password: '@:/?#%&+ é', database: 'a/b?#' },
    ],
    [
      'postgres://u:a:b@h/d?options=-c%20search_path%3Dx',
      { host: 'h', user: 'u', password: 'a:b', database: 'd', options: '-c search_path=x' },
    ],
    ['postgres://', {}],
  ])('%s is read', (text, server) => {
    expect(read(text).servers).toEqual([{ host: undefined, port: undefined, ...NOTHING, ...server }]);
  });

  test('several servers are tried in their order, and one that accepts writes is used', () => {
    const { servers, need } = read('postgres://u:p@one:1,[fe80::1],three:3/d');
    expect(servers.map(({ host, port, password }) => [host, port, password])).toEqual([
      ['one', 1, 'p'],
      ['fe80::1', undefined, 'p'],
      ['three', 3, 'p'],
    ]);
    expect(need).toBe('read-write');
    expect(read('postgres:///d?host=one,two&port=1,2').servers.map(({ host, port }) => [host, port])).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    expect(read('postgres://one,two/d?target_session_attrs=any').need).toBe('any');
    expect(read('postgres://one/d').need).toBe('any');
  });

  test.each([
    ['postgres://u:p@ss@host/d', /percent-encoded/],
    ['postgres://u:p/ss@host/d', /percent-encoded/],
    ['postgres://u:p#ss@host/d', /percent-encoded/],
    ['postgres://u:50%@host/d', /A % itself is %25/],
    ['postgres://u:pass@ho:st:1/d', /neither a name nor an address/],
    [
      'postgres://h/d?sslmode=prefer',
      /sslmode that Steward does not support. Use disable, require, verify-ca, verify-full/,
    ],
    ['postgres://h/d?ssl_mode=verify-full', /has ssl_mode, which Steward does not support. Use sslmode/],
    ['postgres://h/d?sslrootcert=/ca.crt', /has sslrootcert and no sslmode. Add sslmode=verify-full/],
    ['postgres://h:99999/d', /a port that is not a number from 1 to 65535/],
    ['postgres:///d?host=/run&port=0', /a port that is not a number/],
    ['postgres://h/d?target_session_attrs=standby', /Use any, read-write, primary/],
  ])('%s is refused, and no part of it is repeated', (text, reason) => {
    const problem = parsePostgresAddress(text);
    expect(problem).toMatch(reason);
    expect(problem).not.toMatch(/ss@|p@|prefer|standby|50%@/);
  });

  test.each([
    ['postgres://u:p@one:1,two/d?sslmode=require', 'PostgreSQL at one:1, two/d over TLS (require)', true],
    ['postgres://u@[::1]:5433/d', 'PostgreSQL at [::1]:5433/d', false],
    ['postgres:///d?host=/run/x&password=p', 'PostgreSQL at the local socket/d', true],
    ['postgres://u:p@ss@host/d', 'PostgreSQL', true],
  ])('%s is shown without its password, and known to have one or not', (text, shown, secret) => {
    expect(describePostgres(text)).toBe(shown);
    expect(hasPassword(text)).toBe(secret);
  });
});
