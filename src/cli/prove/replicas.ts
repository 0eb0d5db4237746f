// The replicas under test: processes of this program on one store, which are killed, frozen and started again.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessOperations } from '../../wire/operations/accessOperations.ts';
import type { Connection } from '../remote/connection.ts';
import { openConnection } from '../remote/connection.ts';
import { CommandFailure } from '../remote/exitCodes.ts';
import { callOperation } from '../remote/typedCall.ts';

const READY_WITHIN_MS = 120_000;
const LAST_LINES = 5;
const READY = /"address":"([^"]+)","msg":"ready"/;

export interface Replica {
  readonly n: number;
  readonly connection: Connection;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export interface Replicas {
  /** Those that answer: not killed and not frozen. */
  running(): readonly Replica[];
  start(n: number): Promise<Replica>;
  kill(replica: Replica): Promise<void>;
  freeze(replica: Replica): void;
  thaw(replica: Replica): void;
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  readonly folder: string;
  /** `sqlite`, or the address of a database. */
  readonly store: string;
  readonly flags: readonly string[];
}

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
}

function startProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Started> {
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => {
      child.kill('SIGKILL');
      reject(new CommandFailure('failed', `A replica ${what}:`, log.trim().split('\n').slice(-LAST_LINES)));
    };
    const late = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
    const onExit = (): void => fail('did not start');
    const onLog = (chunk: Buffer): void => {
      log += chunk.toString();
      const url = READY.exec(log)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      child.off('exit', onExit);
      child.stderr.off('data', onLog).resume();
      resolve({ child, url });
    };
    child.once('exit', onExit);
    child.stderr.on('data', onLog);
  });
}

async function tokenOf(url: string, password: string): Promise<string> {
  const connection = openConnection({ url, token: undefined, caFile: undefined });
  try {
    const fields = { username: 'admin', password, expiration: 1440 };
    return (await callOperation(connection, accessOperations.generateToken, { fields })).token;
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exit === 'noServer') throw error;
    throw new CommandFailure('usage', 'The database belongs to another installation. Give an empty one with --store.');
  } finally {
    await connection.close();
  }
}

/** Creates the replicas of one run. They share a master key and a first administrator. */
export function createReplicas({ folder, store, flags }: ReplicaOptions): Replicas {
  const password = randomBytes(18).toString('base64url');
  const keyFile = join(folder, 'master.key');
  writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
  const running = new Map<number, Replica>();
  const processes = new Map<number, ChildProcess>();
  let token: string | undefined;

  function replicaOf(n: number, { child, url }: Started): Replica {
    const connection = openConnection({ url, token, caFile: undefined });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return {
      n,
      connection,
      freeze: () => void child.kill('SIGSTOP'),
      thaw: () => void child.kill('SIGCONT'),
      async kill() {
        child.kill('SIGKILL');
        await exited;
        await connection.close().catch(() => undefined);
      },
    };
  }

  return {
    running: () => [...running.values()],
    async start(n) {
      const own = [
        '--port',
        '0',
        '--data',
        join(folder, store === 'sqlite' ? 'data' : String(n)),
        '--log-format',
        'json',
      ];
      const started = await startProcess([process.argv[1] ?? '', 'serve', ...own, ...flags], {
        PATH: process.env['PATH'],
        STEWARD_STORE: store,
        STEWARD_MASTER_KEY_FILE: keyFile,
        STEWARD_ADMIN_PASSWORD: password,
        STEWARD_WEBHOOK_ALLOW: '127.0.0.1',
      });
      processes.set(n, started.child);
      token ??= await tokenOf(started.url, password);
      const replica = replicaOf(n, started);
      running.set(n, replica);
      return replica;
    },
    async kill(replica) {
      running.delete(replica.n);
      await replica.kill();
    },
    freeze(replica) {
      running.delete(replica.n);
      replica.freeze();
    },
    thaw(replica) {
      replica.thaw();
      running.set(replica.n, replica);
    },
    async stop() {
      for (const child of processes.values()) child.kill('SIGKILL');
      await Promise.all([...running.values()].map(({ connection }) => connection.close().catch(() => undefined)));
    },
  };
}
