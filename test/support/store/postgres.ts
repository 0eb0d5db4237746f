import type { ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import type { ChildOptions } from '../run/runFolder.ts';
import { databaseFolder, runCommand, spawnChild } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { CertificateAuthority } from './certificateAuthority.ts';
import type { ServerTls } from './postgresTls.ts';
import { isOverTls, makeServerTls, verified } from './postgresTls.ts';

const BINARIES = '/usr/lib/postgresql';
const MOST_PORTS = 10;

/** The program folder of the newest server on this machine, if there is one. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(BINARIES, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** A port that is free now. Another process may take it before it is used. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root. */
export async function unprivileged(): Promise<User> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await runCommand('id', [flag, 'postgres'])).stdout)),
  );
  return { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

export interface PostgresServer {
  /** The address of the server's own database, `postgres`. */
  readonly url: string;
  readonly port: number;
  /** The folder of its socket. */
  readonly folder: string;
  /** The authority of its certificate; undefined without TLS. */
  readonly authority: CertificateAuthority | undefined;
  /** Ends the server at once, in the middle of its work. */
  crash(): Promise<void>;
  /** Starts the server again on its data. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether it takes connections over TLS: by default it takes no others, if `STEWARD_TEST_POSTGRES` says so. */
  readonly hasTls?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Its rules of access (`pg_hba.conf`). */
  readonly rules?: string;
  /** The primary that it is a standby of. */
  readonly primary?: PostgresServer;
}

interface Cluster {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly user: User;
  readonly tls: ServerTls | undefined;
  readonly settings: Readonly<Record<string, string>>;
}

const TLS_ONLY = 'hostssl all,replication all 127.0.0.1/32 trust\n';

/** libpq would look for certificates in the home folder of another user. */
export function environmentIn(folder: string): ChildOptions {
  return { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } };
}

async function createData(bin: string, data: string, options: ChildOptions, primary?: PostgresServer): Promise<void> {
  const [program, ...args] =
    primary === undefined
      ? ['initdb', '-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8']
      : ['pg_basebackup', '-d', primary.url, '-X', 'stream', '-c', 'fast', '-R'];
  const made = await runCommand(join(bin, program), [...args, '-D', data, '--no-sync'], options);
  if (made.status !== 0) throw new Error(`${program} failed: ${made.stderr}`);
}

async function createCluster(bin: string, options: PostgresOptions): Promise<Cluster & { remove(): void }> {
  const { hasTls = isOverTls(), settings = {}, rules = hasTls ? TLS_ONLY : undefined, primary } = options;
  const { path: folder, remove } = databaseFolder();
  const data = join(folder, 'data');
  const user = await unprivileged();
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  await createData(bin, data, { ...user, ...environmentIn(folder) }, primary);
  const tls = hasTls ? await makeServerTls(folder, user) : undefined;
  if (rules !== undefined) writeFileSync(join(data, 'pg_hba.conf'), rules);
  return { bin, folder, data, user, tls, settings, remove };
}

/** Starts the server and waits until it answers; undefined if it ended, which it does if the port is taken. */
async function launch(cluster: Cluster, port: number): Promise<ChildProcess | undefined> {
  const { bin, folder, data, user, tls } = cluster;
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
    max_connections: 300,
    log_min_messages: 'fatal',
    ...tls?.settings,
    ...cluster.settings,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawnChild(join(bin, 'postgres'), ['-D', data, ...options], { ...user, ...environmentIn(folder) });
  const hasEnded = (): boolean => server.exitCode !== null || server.signalCode !== null;
  await until('PostgreSQL answers', async () => {
    if (hasEnded()) return true;
    return (await runCommand(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)])).status === 0;
  });
  return hasEnded() ? undefined : server;
}

function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    server.once('exit', () => resolve());
    server.kill(signal);
  });
}

/** Starts a PostgreSQL server of the tests on a free port. With `STEWARD_TEST_POSTGRES=tls` it accepts TLS only. */
export async function startPostgres(bin: string, options: PostgresOptions = {}): Promise<PostgresServer> {
  const cluster = await createCluster(bin, options);
  let port = await freePort();
  let server = await launch(cluster, port);
  for (let tries = 1; server === undefined && tries < MOST_PORTS; tries += 1) {
    port = await freePort();
    server = await launch(cluster, port);
  }
  if (server === undefined) throw new Error(`PostgreSQL did not start on port ${port}.`);
  let running = server;
  const plain = `postgres://steward@127.0.0.1:${port}/postgres`;
  return {
    url: cluster.tls === undefined ? plain : verified(plain, cluster.tls.authority.root),
    port,
    folder: cluster.folder,
    authority: cluster.tls?.authority,
    crash: () => end(running, 'SIGQUIT'),
    async revive() {
      const revived = await launch(cluster, port);
      if (revived === undefined) throw new Error(`PostgreSQL did not start again on port ${port}.`);
      running = revived;
    },
    async stop() {
      await end(running, 'SIGINT');
      cluster.remove();
    },
  };
}

/** The address of another database of a server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs SQL on the server of the tests, to read what the ports of Steward do not show. */
export async function queryPostgres(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** A copy of a database as SQL that replaces what it has then. */
export async function dumpOf(url: string): Promise<string> {
  const program = join(postgresPrograms() ?? '', 'pg_dump');
  const { status, stdout, stderr } = await runCommand(program, [
    '--inserts',
    '--clean',
    '--if-exists',
    '--no-owner',
    url,
  ]);
  if (status !== 0) throw new Error(stderr);
  // Without the commands that only psql knows.
  return stdout.replaceAll(/^\\.*$/gm, '');
}
