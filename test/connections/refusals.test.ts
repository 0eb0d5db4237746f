import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, test } from 'vitest';
import { systemClock } from '../../src/foundation/clock.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { openStore } from '../../src/store/store.ts';
import { startPgBouncer } from '../support/connections/pgBouncer.ts';
import { describeConnections } from '../support/connections/suite.ts';
import type { DatabaseOptions, TestCluster, TestDatabase } from '../support/connections/testCluster.ts';
import { UNNAMED_HOST, addressOf, startTestCluster } from '../support/connections/testCluster.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { makeAuthority } from '../support/store/certificateAuthority.ts';
import { runSteward } from '../support/server/stewardProcess.ts';

interface Refusal {
  readonly title: string;
  readonly role?: DatabaseOptions;
  readonly address: (database: TestDatabase, cluster: TestCluster) => string | Promise<string>;
  /** What the start says. */
  readonly says: RegExp;
}

const withParameters =
  (parameters: Readonly<Record<string, string>>): Refusal['address'] =>
  (database, { root }) =>
    addressOf(database, { parameters: { sslrootcert: root, ...parameters } });
const withPassword =
  (password: string) =>
  (database: TestDatabase): string =>
    addressOf({ ...database, password: undefined }).replace('@', `:${password}@`);

const REFUSALS: readonly Refusal[] = [
  {
    title: 'a server that takes TLS only, without sslmode',
    role: { proof: 'tls' },
    address: (database) => addressOf(database),
    says: /no encryption\. Add sslmode=verify-full/,
  },
  {
    title: 'a certificate of an unknown authority with sslmode=verify-full',
    role: { proof: 'tls' },
    address: (database) => addressOf(database, { parameters: { sslmode: 'verify-full' } }),
    says: /self-signed certificate.*sslrootcert/,
  },
  {
    title: 'a certificate of another name with sslmode=verify-full',
    role: { proof: 'tls' },
    address: (database, { root }) =>
      addressOf(database, { host: UNNAMED_HOST, parameters: { sslmode: 'verify-full', sslrootcert: root } }),
    says: /use the host name that is in its certificate/,
  },
  {
    title: 'a missing file',
    address: withParameters({ sslmode: 'require', sslrootcert: '/missing' }),
    says: /sslrootcert.*\/missing/,
  },
  {
    title: 'sslmode=prefer',
    address: withParameters({ sslmode: 'prefer' }),
    says: /sslmode that Steward does not support/,
  },
  {
    title: 'a missing client certificate',
    role: { proof: 'certificate' },
    address: withParameters({ sslmode: 'verify-full' }),
    says: /valid client certificate/,
  },
  {
    title: 'a client certificate with the key of another',
    role: { proof: 'certificate' },
    address: async (database, cluster) => {
      const [own, other] = [await cluster.certificateOf(database.role), await cluster.certificateOf(database.role)];
      return withParameters({ sslmode: 'verify-full', sslcert: own.cert, sslkey: other.key })(database, cluster);
    },
    says: /sslcert and sslkey must belong together/,
  },
  {
    title: 'a client certificate of an unknown authority',
    role: { proof: 'certificate' },
    address: async (database, cluster) => {
      const { issue } = await makeAuthority(temporaryFolder().path);
      const { cert, key } = await issue('other', database.role);
      return withParameters({ sslmode: 'verify-full', sslcert: cert, sslkey: key })(database, cluster);
    },
    says: /the server must trust their authority/,
  },
  {
    title: 'a client certificate without its key',
    address: withParameters({ sslmode: 'verify-full', sslcert: '/some.crt' }),
    says: /one of sslcert and sslkey/,
  },
  {
    title: 'a missing password',
    role: { proof: 'scram', password: 'secret' },
    address: (database) => addressOf({ ...database, password: undefined }),
    says: /PGPASSWORD/,
  },
  {
    title: 'a wrong password',
    role: { proof: 'scram', password: 'secret' },
    address: (database) => addressOf({ ...database, password: 'wrong' }),
    says: /password authentication failed/,
  },
  { title: 'an @ in the password', address: withPassword('part@topsecret'), says: /percent-encoded/ },
  { title: 'a % in the password', address: withPassword('topsecret%'), says: /%25/ },
  {
    title: 'a database that does not exist',
    address: (database) => addressOf({ ...database, database: 'missing' }),
    says: /"missing" does not exist/,
  },
  {
    title: 'a role that may not create tables in public',
    role: { sql: 'alter database DATABASE owner to steward' },
    address: (database) => addressOf(database),
    says: /may not create tables in the schema public.*search_path/,
  },
  ...['LATIN1', 'SQL_ASCII'].map((encoding) => ({
    title: `a database with the encoding ${encoding}`,
    role: { created: `template template0 encoding '${encoding}' locale 'C'` },
    address: (database: TestDatabase) => addressOf(database),
    says: /needs UTF8/,
  })),
  {
    title: 'a database with tables of another program',
    role: { sql: 'set role ROLE; create table account (x int)' },
    address: (database) => addressOf(database),
    says: /tables that Steward did not make/,
  },
  {
    title: 'a database with the migrations of another program',
    role: { sql: 'set role ROLE; create table schema_migration (version int)' },
    address: (database) => addressOf(database),
    says: /tables that Steward did not make/,
  },
];

/** Runs a command on a store. The start ends by itself, and so does doctor. */
async function run(command: string, store: string) {
  const folder = temporaryFolder();
  const env = { HOME: folder.path, STEWARD_STORE: store };
  const { status, stdout, stderr } = await runSteward([command, '--data', join(folder.path, 'data'), '--port', '0'], {
    env,
  });
  folder.remove();
  return { status, said: stdout + stderr };
}

/** What a start and doctor say of a store that cannot be used. */
async function refusalOf(store: string) {
  const { status, said } = await run('serve', store);
  const diagnosis = await run('doctor', store);
  return {
    said,
    isPermanent: status === 1 || status === 2,
    hasStack: said.includes('"stack"'),
    hasSecret: `${said}${diagnosis.said}`.includes('topsecret'),
  };
}

const CLEAR = { isPermanent: true, hasStack: false, hasSecret: false };

describeConnections('a start is refused with the reason and without a stack', (bin) => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster(bin);
    return () => cluster.server.stop();
  });

  for (const { title, role, address, says } of REFUSALS)
    test.concurrent(`[STO11] for ${title}`, async ({ expect }) => {
      const refusal = await refusalOf(await address(await cluster.create(role), cluster));
      expect(refusal).toEqual({ ...CLEAR, said: expect.stringMatching(says) });
    });

  test.concurrent('[STO11] but while Steward runs, a key that does not belong to its certificate is a store that is away', async ({
    expect,
    onTestFinished,
  }) => {
    const database = await cluster.create({ proof: 'certificate' });
    const [own, other] = [await cluster.certificateOf(database.role), await cluster.certificateOf(database.role)];
    const key = `${own.key}.current`;
    copyFileSync(own.key, key);
    const at = withParameters({ sslmode: 'verify-full', sslcert: own.cert, sslkey: key })(database, cluster);
    const place = { kind: 'postgres', at: await at, connections: 2 } as const;
    const store = await openStore(place, { clock: systemClock, log: silentLog });
    onTestFinished(() => store.close());
    const endSessions = () =>
      database.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'steward'
        and datname = current_database()`);
    copyFileSync(other.key, key);
    await endSessions();
    await until('the connections have ended', async () => {
      const outcome = await store.access.accounts().catch((error: unknown) => error);
      if (!(outcome instanceof Error)) return false;
      expect(outcome).toMatchObject({ code: 'unavailable' });
      return outcome.cause instanceof Error && outcome.cause.message.includes('key values mismatch');
    });
    copyFileSync(own.key, key);
    await until('the store answers again', () =>
      store.access.accounts().then(
        () => true,
        () => false,
      ),
    );
  });

  test.concurrent('[STO11] for PgBouncer in transaction mode', async ({ expect, onTestFinished }) => {
    const database = await cluster.create();
    const bouncer = await startPgBouncer(cluster.server, { poolMode: 'transaction', roles: [database.role] });
    onTestFinished(() => bouncer.stop());
    const refusal = await refusalOf(addressOf(database, { port: bouncer.port }));
    expect(refusal).toEqual({ ...CLEAR, said: expect.stringMatching(/session mode/) });
  });
});
