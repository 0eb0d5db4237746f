import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BINARIES = '/usr/lib/postgresql';

/** The folder of the newest server's programs on this machine, if there is one. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(BINARIES) ? readdirSync(BINARIES).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(BINARIES, version, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

/** PostgreSQL refuses to run as root. */
export async function unprivileged(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  );
  return { uid, gid };
}

export interface PostgresServer {
  /** Ends with the database's name; the server's own database is `postgres`. */
  readonly url: string;
  /** Ends it at once, in the middle of whatever it does. */
  crash(): Promise<void>;
  /** Starts it again, on what it had on disk. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** A real server of our own, on a free port, gone afterwards. */
export async function startPostgres(bin: string, port?: number): Promise<PostgresServer> {
  const at = port ?? (await freePort());
  const folder = mkdtempSync(join(tmpdir(), 'steward-postgres-'));
  const data = join(folder, 'data');
  const user = await unprivileged();
  mkdirSync(data);
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'steward', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { ...user, cwd: folder },
  );
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `port = ${at}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\nfsync = off\nmax_connections = 300\nlog_min_messages = fatal\n`,
  );
  async function launch(): Promise<(signal: NodeJS.Signals) => Promise<void>> {
    const server = spawn(join(bin, 'postgres'), ['-D', data], { ...user, cwd: folder, stdio: 'ignore' });
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    for (let tries = 0; ; tries += 1) {
      const isUp = await run(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(at)]).then(
        () => true,
        () => false,
      );
      if (isUp) break;
      if (tries > 200) throw new Error('the test PostgreSQL did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (signal) => {
      server.kill(signal);
      return ended;
    };
  }
  let end = await launch();
  return {
    url: `postgres://steward@127.0.0.1:${at}/postgres`,
    crash: () => end('SIGQUIT'),
    revive: async () => {
      end = await launch();
    },
    stop: async () => {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
