import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { StoreLocation } from '../../../src/store/store.ts';
import { PROJECT } from '../run/project.ts';

export const PROGRAM = join(PROJECT, 'dist', 'steward.js');
export const ADMIN_PASSWORD = 'correct horse battery';

export interface Running {
  readonly url: string;
  readonly pid: number;
  readonly process: ChildProcess;
  output(): string;
  log(): string;
  /** Sends a signal and waits for the end; answers the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** A POST to {root}/path with form fields; answers status and JSON. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answered>;
  token(fields?: Readonly<Record<string, string>>): Promise<string>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read answers of many shapes
  readonly body: any;
}

export async function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

export function storeSetting(place: StoreLocation): string {
  return place.kind === 'sqlite' ? 'sqlite' : place.at;
}

/** The program as people run it, in a process of its own, on a free port. */
export function startSteward(options: {
  readonly data: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}): Promise<Running> {
  const child = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--data', options.data, '--port', '0', ...(options.args ?? [])],
    {
      env: { PATH: process.env['PATH'] ?? '', STEWARD_ADMIN_PASSWORD: ADMIN_PASSWORD, NO_COLOR: '1', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return new Promise((resolve, reject) => {
    void exited.then((code) => reject(new Error(`Steward ended with ${code} before it was ready:\n${log}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = (/Listening on +(\S+)/.exec(output) ?? /Catalog +(\S+)\/services/.exec(output))?.[1];
      if (url === undefined || !output.includes('Stop with')) return;
      const running: Running = {
        url,
        pid: child.pid ?? 0,
        process: child,
        output: () => output,
        log: () => log,
        end: (signal) => {
          child.kill(signal);
          return exited;
        },
        post: (path, fields, headers) => post(`${url}/admin${path}`, fields, headers),
        token: async (fields = {}) => {
          const { status, body } = await post(`${url}/tokens/generateToken`, {
            username: 'admin',
            password: ADMIN_PASSWORD,
            ...fields,
          });
          if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
          return body.token as string;
        },
      };
      resolve(running);
    });
  });
}
