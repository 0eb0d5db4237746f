import type { ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { databaseFolder, runCommand, spawnChild } from '../run/runFolder.ts';
import { until } from '../run/until.ts';

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
  /** Ends with the database's name; the server's own database is `postgres`. */
  readonly url: string;
  /** Ends the server at once, in the middle of its work. */
  crash(): Promise<void>;
  /** Starts the server again on its data. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

interface Cluster {
  readonly bin: string;
  readonly folder: string;
  readonly data: string;
  readonly user: User;
}

async function createCluster(bin: string): Promise<Cluster & { remove(): void }> {
  const { path: folder, remove } = databaseFolder();
  const data = join(folder, 'data');
  const user = await unprivileged();
  mkdirSync(data);
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const args = ['-D', data, '-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const made = await runCommand(join(bin, 'initdb'), args, { ...user, cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  return { bin, folder, data, user, remove };
}

/** Starts the server and waits until it answers; undefined if it ended, which it does if the port is taken. */
async function launch({ bin, folder, data, user }: Cluster, port: number): Promise<ChildProcess | undefined> {
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\nfsync = off\nmax_connections = 300\nlog_min_messages = fatal\n`,
  );
  const server = spawnChild(join(bin, 'postgres'), ['-D', data], { ...user, cwd: folder });
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

/** Starts a PostgreSQL server of the tests on a free port. */
export async function startPostgres(bin: string): Promise<PostgresServer> {
  const cluster = await createCluster(bin);
  let port = await freePort();
  let server = await launch(cluster, port);
  for (let tries = 1; server === undefined && tries < MOST_PORTS; tries += 1) {
    port = await freePort();
    server = await launch(cluster, port);
  }
  if (server === undefined) throw new Error(`PostgreSQL did not start on port ${port}.`);
  let running = server;
  return {
    url: `postgres://steward@127.0.0.1:${port}/postgres`,
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
  return serverUrl.replace(/\/postgres$/, `/${name}`);
}

/** Runs SQL on the server of the tests, to read what the ports of Steward do not show. */
export async function queryPostgres(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
