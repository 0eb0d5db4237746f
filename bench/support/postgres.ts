import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cpuMicroseconds, track } from './running.ts';

const run = promisify(execFile);
const VERSIONS = '/usr/lib/postgresql';
const STARTS_WITHIN_MS = 20_000;

export interface Postgres {
  /** The address of a database of its own. */
  create(name: string): Promise<string>;
  /** CPU time of all its processes that are there now. */
  cpu(): number;
  /** How many statements with these words are in its log; of those connections only that ask for it. */
  statements(words: string): number;
  end(): Promise<void>;
}

function programs(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).toSorted((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((one) => join(VERSIONS, one, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (found === undefined) throw new Error("There is no PostgreSQL on this machine: install Debian's postgresql.");
  return found;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const ids = ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout));
  const [uid = 0, gid = 0] = await Promise.all(ids);
  return { uid, gid };
}

/** Its processes come and go. */
function cpuOfFamily(parent: number): number {
  const cpuOf = (pid: number): number => {
    try {
      const isOne = new RegExp(`^(${parent} |\\d+ \\(.*\\) \\S ${parent} )`).test(
        readFileSync(`/proc/${pid}/stat`, 'utf8'),
      );
      return isOne ? cpuMicroseconds(pid) : 0;
    } catch {
      return 0;
    }
  };
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

/** A server of our own with the settings it comes with: what it has committed is on disk. */
export async function startPostgres(folder: string): Promise<Postgres> {
  const [bin, port, user] = [programs(), await freePort(), await unprivileged()];
  const home = join(folder, 'postgres');
  const data = join(home, 'data');
  mkdirSync(data, { recursive: true });
  chmodSync(folder, 0o711);
  const { uid, gid } = user;
  if (uid !== undefined && gid !== undefined) for (const path of [home, data]) chownSync(path, uid, gid);
  const options = ['-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await run(join(bin, 'initdb'), ['-D', data, ...options], { ...user, cwd: home });
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${home}'\n`,
  );
  const log = join(folder, 'postgres.log');
  const logged = openSync(log, 'a');
  const stdio = ['ignore', 'ignore', logged] as const;
  const server = track(spawn(join(bin, 'postgres'), ['-D', data], { ...user, cwd: home, stdio: [...stdio] }));
  closeSync(logged);
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const at = ['-h', '127.0.0.1', '-p', String(port)];
  const isUp = () =>
    run(join(bin, 'pg_isready'), at).then(
      () => true,
      () => false,
    );
  for (const began = performance.now(); !(await isUp()); await sleep(50))
    if (performance.now() - began > STARTS_WITHIN_MS) throw new Error('PostgreSQL does not start');
  return {
    async create(name) {
      await run(join(bin, 'createdb'), [...at, '-U', 'steward', name]);
      return `postgres://steward@127.0.0.1:${port}/${name}`;
    },
    cpu: () => cpuOfFamily(server.pid ?? 0),
    statements: (words) => readFileSync(log, 'utf8').split(words).length - 1,
    async end() {
      server.kill('SIGINT');
      await ended;
    },
  };
}
