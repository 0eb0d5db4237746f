import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningServer } from './childServer.ts';
import { residentMb } from '../measure/processUsage.ts';
import { PROJECT, trackChild } from './workspace.ts';

export const ADMINISTRATOR = { username: 'admin', password: 'correct horse battery' };
const PROGRAM = join(PROJECT, 'dist', 'steward.js');
const READY = /Catalog +(\S+)\/services[^]*Stop with/;

type Fields = Readonly<Record<string, string>>;

interface Process extends RunningServer {
  /** From the start of the process to the output that says that it is ready. */
  readonly readyMs: number;
  /** The memory at that moment: the first sign-in takes more. */
  readonly readyMb: number;
}

/** A running Steward, with an administrator's token. */
export interface Steward extends Process {
  readonly token: string;
  /** The address of the SOAP catalog, with the token. */
  readonly catalog: string;
  /** Posts a form to {root}/path and returns the JSON answer as text. Files are sent as JSON. */
  post(path: string, fields?: Fields, files?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Any answer but 200 is an error. */
async function post(url: string, body: URLSearchParams | FormData): Promise<string> {
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 2000)}`);
  return text;
}

function multipart(fields: Fields, files: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  for (const [name, content] of Object.entries(files))
    form.set(
      name,
      new Blob([Buffer.isBuffer(content) ? new Uint8Array(content) : JSON.stringify(content)], {
        type: 'application/json',
      }),
      `${name}.json`,
    );
  return form;
}

/** Standard error goes to a file, so that reading the log costs the benchmark nothing. */
function launch(folder: string, environment: Fields, program: string): Promise<Process> {
  const log = join(folder, 'steward.log');
  const stderr = openSync(log, 'a');
  const args = [program, 'serve', '--port', '0', '--data', join(folder, 'data')];
  const began = performance.now();
  const child = trackChild(spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', stderr] }));
  closeSync(stderr);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = (): Promise<void> => {
    child.kill('SIGTERM');
    return exited;
  };
  return new Promise((resolve, reject) => {
    let output = '';
    const endedEarly = (): void =>
      reject(new Error(`${args.join(' ')} ended early:\n${readFileSync(log, 'utf8').slice(-2000)}`));
    child.once('exit', endedEarly);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = READY.exec(output)?.[1];
      if (url === undefined) return;
      child.off('exit', endedEarly);
      const { pid = 0 } = child;
      resolve({ pid, url, readyMs: performance.now() - began, readyMb: residentMb(pid), end });
    });
  });
}

/** Starts the built program, or a copy of it, in this folder, which keeps its data and its log. */
export async function startSteward(folder: string, environment: Fields = {}, program = PROGRAM): Promise<Steward> {
  const defaults = {
    PATH: process.env['PATH'] ?? '',
    NO_COLOR: '1',
    STEWARD_ADMIN_PASSWORD: ADMINISTRATOR.password,
    STEWARD_WEBHOOK_ALLOW: '127.0.0.0/8',
    STEWARD_LOG_FORMAT: 'json',
    STEWARD_LOG_LEVEL: 'info',
  };
  const running = await launch(folder, { ...defaults, ...environment }, program);
  const { url } = running;
  const answered = await post(`${url}/tokens/generateToken`, new URLSearchParams(ADMINISTRATOR));
  const { token } = JSON.parse(answered) as { readonly token: string };
  return {
    ...running,
    token,
    catalog: `${url}/services?token=${encodeURIComponent(token)}`,
    post(path, fields = {}, files) {
      const all = { token, f: 'json', ...fields };
      return post(`${url}/admin${path}`, files === undefined ? new URLSearchParams(all) : multipart(all, files));
    },
  };
}
