// PostgreSQL for benchmarks. Unlike the server of the tests it flushes to disk, with its default settings, and keeps a
// log, in which statements are counted. The programs and the account are found by the same code as in the tests.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, postgresPrograms, unprivileged } from '../../../test/support/store/postgres.ts';
import { makeServerTls, verified } from '../../../test/support/store/postgresTls.ts';
import { cpuMicroseconds, processFields, processIds } from '../measure/processUsage.ts';
import { sum } from '../measure/statistics.ts';
import { trackChild, workFolder } from './workspace.ts';

const run = promisify(execFile);
const STARTS_WITHIN_MS = 20_000;
/** Of /proc/PID/stat, after the name: the parent, and the ticks of 10 ms that ended children used, in user and system mode. */
const [PARENT, CHILDREN_USER, CHILDREN_SYSTEM] = [1, 13, 14];
const TICK_MICROSECONDS = 10_000;

export interface Postgres {
  /** Returns the addresses of the new database, without TLS and with it. */
  createDatabase(name: string): Promise<{ readonly plain: string; readonly overTls: string }>;
  /** Vacuums and analyzes all databases that were created, as the server does once a minute. */
  vacuumDatabases(): Promise<void>;
  /** Drops all databases that were created: otherwise their vacuum would be counted for those that follow. */
  dropDatabases(): Promise<void>;
  /** CPU time of all processes of the server, in µs. */
  cpu(): number;
  /** Counts the matches in the log, which has the statements of those connections that ask for it. */
  countStatements(pattern: RegExp): number;
  end(): Promise<void>;
}

/** A process may end between two looks. */
function cpuIfRunning(pid: number): number {
  try {
    return cpuMicroseconds(pid);
  } catch {
    return 0;
  }
}

function cpuWithChildren(parent: number): number {
  const pids = processIds().filter((pid) => pid === parent || processFields(pid)?.[PARENT] === parent);
  const fields = processFields(parent);
  const ended = (fields?.[CHILDREN_USER] ?? 0) + (fields?.[CHILDREN_SYSTEM] ?? 0);
  return sum(pids.map(cpuIfRunning)) + ended * TICK_MICROSECONDS;
}

interface Cluster {
  readonly data: string;
  /** The file of the authority that has signed the certificate of the server. */
  readonly root: string;
}

/** Creates an empty cluster that the account of the server can reach. */
async function createCluster(bin: string, home: string, port: number): Promise<Cluster> {
  const user = await unprivileged();
  const data = join(home, 'data');
  mkdirSync(data, { recursive: true });
  chmodSync(join(home, '..'), 0o711);
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) for (const path of [home, data]) chownSync(path, uid, gid);
  const options = ['-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await run(join(bin, 'initdb'), ['-D', data, ...options], { ...user, cwd: home });
  const tls = await makeServerTls(home, user);
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: home, ...tls.settings };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  writeFileSync(join(data, 'postgresql.auto.conf'), lines.join(''));
  return { data, root: tls.authority.root };
}

/** Starts a server on a free port, with its data in the work folder. */
export async function startPostgres(): Promise<Postgres> {
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error("There is no PostgreSQL on this machine: install Debian's postgresql.");
  const [home, port] = [join(workFolder(), 'postgres'), await freePort()];
  const { data, root } = await createCluster(bin, home, port);
  const log = join(workFolder(), 'postgres.log');
  const stderr = openSync(log, 'a');
  const options = { ...(await unprivileged()), cwd: home };
  const server = trackChild(
    spawn(join(bin, 'postgres'), ['-D', data], { ...options, stdio: ['ignore', 'ignore', stderr] }),
  );
  closeSync(stderr);
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const at = ['-h', '127.0.0.1', '-p', String(port)];
  const isUp = () =>
    run(join(bin, 'pg_isready'), at).then(
      () => true,
      () => false,
    );
  for (const began = performance.now(); !(await isUp()); await sleep(50))
    if (performance.now() - began > STARTS_WITHIN_MS) throw new Error('PostgreSQL does not start');
  const names = new Set<string>();
  return {
    async createDatabase(name) {
      await run(join(bin, 'createdb'), [...at, '-U', 'steward', name]);
      names.add(name);
      const plain = `postgres://steward@127.0.0.1:${port}/${name}`;
      return { plain, overTls: verified(plain, root) };
    },
    async vacuumDatabases() {
      for (const name of names) await run(join(bin, 'vacuumdb'), [...at, '-U', 'steward', '--analyze', name]);
    },
    async dropDatabases() {
      for (const name of names) await run(join(bin, 'dropdb'), [...at, '-U', 'steward', '--force', name]);
      names.clear();
    },
    cpu: () => cpuWithChildren(server.pid ?? 0),
    countStatements: (pattern) => readFileSync(log, 'utf8').match(pattern)?.length ?? 0,
    async end() {
      server.kill('SIGINT');
      await ended;
    },
  };
}
