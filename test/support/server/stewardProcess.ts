import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { StoreLocation } from '../../../src/store/store.ts';
import { PROJECT } from '../run/project.ts';
import type { ChildOptions, Finished } from '../run/runFolder.ts';
import { runCommand, spawnChild } from '../run/runFolder.ts';
import type { Client, Fields } from './client.ts';
import { createClient, networkTransport } from './client.ts';

const PROGRAM = join(PROJECT, 'dist', 'steward.js');
const READY = /"address":"([^"]+)","msg":"ready"/;
export const ADMIN_PASSWORD = 'correct horse battery';

export interface StewardProcess extends Client {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  output(): string;
  log(): string;
  /** Sends a signal, waits for the end and answers the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** A token of the first administrator. */
  token(fields?: Fields): Promise<string>;
}

export function storeSetting(place: StoreLocation): string {
  return place.kind === 'sqlite' ? 'sqlite' : place.at;
}

/** Runs a command of the program to its end. */
export function runSteward(args: readonly string[], options: ChildOptions = {}): Promise<Finished> {
  const env = { PATH: process.env['PATH'], NO_COLOR: '1', ...options.env };
  return runCommand(process.execPath, [PROGRAM, ...args], { ...options, env });
}

interface StartOptions {
  readonly data: string;
  /** What runs the program, with its first arguments; the built program unless given. */
  readonly command?: readonly [file: string, ...args: string[]];
  readonly cwd?: string;
  /** Whether signals go to everything that the command starts, as those of a terminal or of systemd do. */
  readonly isGroup?: boolean;
  readonly env?: Fields;
  readonly args?: readonly string[];
  /** Shell commands that run before, such as `ulimit -n 80`. */
  readonly before?: string;
  /** Called with the whole log whenever it grows, also before the program is ready. */
  readonly onLog?: (log: string) => void;
  /** Whether somebody reads the standard output; if not, its pipe is closed from the beginning. */
  readonly hasReader?: boolean;
}

function spawnSteward(options: StartOptions): ChildProcess {
  const { data, env: more, args: others = [], before, cwd, isGroup = false } = options;
  const [file, ...first] = options.command ?? [process.execPath, PROGRAM];
  const args = [...first, 'serve', '--data', data, '--port', '0', ...others];
  const env = {
    PATH: process.env['PATH'],
    STEWARD_ADMIN_PASSWORD: ADMIN_PASSWORD,
    // The receivers of the tests are on this machine.
    STEWARD_WEBHOOK_ALLOW: '127.0.0.1',
    NO_COLOR: '1',
    ...more,
  };
  const how = { env, isGroup, ...(cwd !== undefined && { cwd }) };
  if (before === undefined) return spawnChild(file, args, how);
  return spawnChild('sh', ['-c', `${before}; exec "$0" "$@"`, file, ...args], how);
}

/** Starts the program as users run it, on a free port, and waits until it is ready. */
export function startSteward(options: StartOptions): Promise<StewardProcess> {
  const child = spawnSteward(options);
  let output = '';
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
    options.onLog?.(log);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));

  function running(url: string): StewardProcess {
    const client = createClient(networkTransport(url));
    return {
      ...client,
      url,
      pid: child.pid ?? 0,
      process: child,
      output: () => output,
      log: () => log,
      end: (signal) => {
        if (options.isGroup === true && child.pid !== undefined) process.kill(-child.pid, signal);
        else child.kill(signal);
        return exited;
      },
      token: async (fields = {}) =>
        (await client.must('/tokens/generateToken', { username: 'admin', password: ADMIN_PASSWORD, ...fields })).token,
    };
  }

  return new Promise((resolve, reject) => {
    void exited.then((code) => reject(new Error(`Steward ended with ${code} before it was ready:\n${log}`)));
    if (options.hasReader === false) child.stdout?.destroy();
    child.stderr?.on('data', () => {
      const url = READY.exec(log)?.[1];
      if (url !== undefined && options.hasReader === false) resolve(running(url));
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = (/Listening on +(\S+)/.exec(output) ?? /Catalog +(\S+)\/services/.exec(output))?.[1];
      if (url !== undefined && output.includes('Stop with')) resolve(running(url));
    });
  });
}
