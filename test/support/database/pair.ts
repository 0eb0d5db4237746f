// A real pair of PostgreSQL servers: a primary and its standby, administered by the example of the command.
import { chmodSync, chownSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../../../src/drivers/database/command.ts';
import { createCommand } from '../../../src/drivers/database/command.ts';
import type { InstanceAddress } from '../../../src/drivers/database/instance.ts';
import { PROJECT } from '../run/project.ts';
import { runCommand, temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import { environmentIn, freePort, postgresPrograms, queryPostgres, unprivileged } from '../store/postgres.ts';
import type { ServerTls } from '../store/postgresTls.ts';
import { isOverTls, makeServerTls, verified } from '../store/postgresTls.ts';

/** Steward's account. Clients use the role `app`. */
const ADMINISTRATOR = 'steward';
const CLIENT = 'app';

interface Server {
  readonly name: string;
  readonly port: number;
  readonly data: string;
  readonly hba: string;
}

export interface PostgresPair {
  readonly instances: readonly [InstanceAddress, InstanceAddress];
  readonly command: RunCommand;
  /** The program that `command` runs. */
  readonly commandPath: string;
  /** The address of a server for clients. */
  clientUrl(name: string): string;
  /** Sends a statement as the administrator. */
  query(name: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Sends a signal to all processes of a server: SIGKILL, SIGSTOP or SIGCONT. */
  signal(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Runs pg_ctl on a server. */
  control(name: string, ...args: readonly string[]): Promise<void>;
  /** What psql prints as a client that wants to write, with the addresses of both servers. */
  asWriter(sql: string): Promise<string>;
  stop(): Promise<void>;
}

interface Place {
  readonly project: string;
  readonly folder: string;
  readonly bin: string;
  readonly user: User;
  readonly tls: ServerTls | undefined;
}

type User = Awaited<ReturnType<typeof unprivileged>>;

function own(path: string, { uid, gid }: User): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

function writeOwned(path: string, text: string, user: User): void {
  writeFileSync(path, text);
  own(path, user);
}

/** What follows the address of a server in a conninfo. */
function tlsInfo({ tls }: Place): string {
  return tls === undefined ? '' : ` sslmode=verify-full sslrootcert=${tls.authority.root}`;
}

/** The command as the user that owns the data, with the files that it reads. */
function writeCommand(place: Place, servers: readonly Server[], isDurable: boolean): string {
  const { project, folder, bin, user, tls } = place;
  const host = tls === undefined ? 'host' : 'hostssl';
  const [script, wrapper] = [join(folder, 'database-command.sh'), join(folder, 'command.sh')];
  copyFileSync(join(project, 'deploy/database-command.sh'), script);
  chmodSync(script, 0o755);
  const as = user.uid === undefined ? '' : `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups `;
  writeFileSync(
    wrapper,
    `#!/bin/sh\ncd ${folder}\nexec ${as}env HOME=${folder} STEWARD_DATABASE_CONFIG=${folder} ${script} "$@"\n`,
  );
  chmodSync(wrapper, 0o755);
  for (const { name, port, data, hba } of servers) {
    const settings = [
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c hba_file=${hba}`,
      '-c wal_log_hints=on -c wal_keep_size=256MB -c max_wal_senders=10 -c hot_standby=on -c max_connections=50',
      `-c fsync=${isDurable ? 'on' : 'off'}`,
      ...Object.entries(tls?.settings ?? {}).map(([setting, value]) => `-c ${setting}=${value}`),
    ];
    const conninfo = `host=127.0.0.1 port=${port} user=${ADMINISTRATOR}${tlsInfo(place)}`;
    const lines = {
      DATA: data,
      BIN: bin,
      LOG: join(folder, `${name}.log`),
      HBA: hba,
      OPTIONS: settings.join(' '),
      CONNINFO: conninfo,
    };
    const text = Object.entries(lines).map(([key, value]) => `${key}='${value}'\n`);
    writeOwned(join(folder, `${name}.env`), text.join(''), user);
    const rules = (who: string): string =>
      ['all', 'replication'].map((database) => `${host} ${database} ${who} 127.0.0.1/32 trust\n`).join('');
    writeOwned(hba, rules('all'), user);
    writeOwned(`${hba}.closed`, rules(ADMINISTRATOR), user);
  }
  return wrapper;
}

export interface PairOptions {
  /** Whether the servers flush to disk, as real ones do. Tests need not. */
  readonly isDurable?: boolean;
  /** The folder of the repository. */
  readonly project?: string;
  /** The parent folder of the data of `b`; for a test that fills its disk. */
  readonly standbyFolder?: string;
}

async function makeServers(folder: string, standbyFolder = folder): Promise<readonly [Server, Server]> {
  const make = async (name: string, parent: string): Promise<Server> => ({
    name,
    port: await freePort(),
    data: join(parent, name),
    hba: join(folder, `${name}.hba`),
  });
  return [await make('a', folder), await make('b', standbyFolder)];
}

/** Runs a program of PostgreSQL as the user that owns the data. */
async function runAs({ folder, bin, user }: Place, program: string, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand(join(bin, program), args, { ...user, ...environmentIn(folder) });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** Makes the data of a server. */
async function initialize(place: Place, { data }: Server): Promise<void> {
  mkdirSync(data);
  own(data, place.user);
  const args = ['-U', ADMINISTRATOR, '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  await runAs(place, 'initdb', '-D', data, ...args);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Signals the postmaster first, so that it starts no further process. */
async function signalServer({ data }: Server, signal: NodeJS.Signals): Promise<void> {
  const postmaster = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const { stdout } = await runCommand('ps', ['-o', 'pid=', '--ppid', String(postmaster)]);
  for (const pid of [postmaster, ...stdout.split('\n').filter(Boolean).map(Number)])
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  if (signal === 'SIGKILL') await until('the server has ended', () => !isAlive(postmaster));
}

/**
 * Starts a pair: `a` is the primary and `b` its standby, with a table `writes` that clients write to. If a run is killed, its
 * folder is removed, and a server that misses its lock file ends within a minute.
 */
export async function startPair(options: PairOptions = {}): Promise<PostgresPair> {
  const { isDurable = false, project = PROJECT, standbyFolder } = options;
  const bin = postgresPrograms();
  if (bin === undefined) throw new Error('there is no PostgreSQL on this machine');
  const { path: folder, remove } = temporaryFolder();
  const user = await unprivileged();
  const tls = isOverTls() ? await makeServerTls(folder, user) : undefined;
  const place = { project, folder, bin, user, tls };
  own(folder, user);
  const servers = await makeServers(folder, standbyFolder);
  const [first, second] = servers;
  const commandPath = writeCommand(place, servers, isDurable);
  const command = createCommand(commandPath);
  const serverOf = (name: string): Server => (name === 'a' ? first : second);
  const url = (name: string, role: string): string => {
    const plain = `postgres://${role}@127.0.0.1:${serverOf(name).port}/postgres`;
    return tls === undefined ? plain : verified(plain, tls.authority.root);
  };
  const query = (name: string, sql: string) => queryPostgres(url(name, ADMINISTRATOR), sql);

  await initialize(place, first);
  // `engine` starts a server that is stopped.
  await command({ verb: 'engine', instance: 'a', argument: '', fence: 0 });
  const table = 'CREATE TABLE writes (n bigint PRIMARY KEY)';
  await query('a', `CREATE ROLE ${CLIENT} LOGIN; ${table}; GRANT ALL ON writes TO ${CLIENT}`);
  await command({ verb: 'reseed', instance: 'b', argument: 'a', fence: 0 });

  return {
    instances: [
      { name: 'a', url: url('a', ADMINISTRATOR) },
      { name: 'b', url: url('b', ADMINISTRATOR) },
    ],
    command,
    commandPath,
    clientUrl: (name) => url(name, CLIENT),
    query,
    // With a log file: a server that keeps the output of pg_ctl open would keep the test waiting.
    control: async (name, ...args) =>
      void (await runAs(
        place,
        'pg_ctl',
        '-D',
        serverOf(name).data,
        '-w',
        '-s',
        '-l',
        `${folder}/${name}.log`,
        ...args,
      )),
    asWriter(sql) {
      const addresses = `host=127.0.0.1,127.0.0.1 port=${first.port},${second.port} user=${CLIENT} dbname=postgres`;
      return runAs(place, 'psql', `${addresses} target_session_attrs=read-write${tlsInfo(place)}`, '-Atc', sql);
    },
    signal: (name, signal) => signalServer(serverOf(name), signal),
    async stop() {
      for (const server of servers) await signalServer(server, 'SIGCONT').catch(() => undefined);
      for (const { data } of servers)
        await runAs(place, 'pg_ctl', '-D', data, '-m', 'immediate', '-s', 'stop').catch(() => '');
      remove();
    },
  };
}
