import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackChild, workFolder } from '../processes/workspace.ts';

const WRK = '/usr/bin/wrk';

export interface Load {
  readonly url: string;
  /** Sent by POST; without a form or an envelope the load is a GET. */
  readonly form?: Readonly<Record<string, string>>;
  /** A SOAP envelope, sent by POST. */
  readonly envelope?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** 16 by default. */
  readonly connections?: number;
}

export interface Throughput {
  readonly requests: number;
  readonly perSecond: number;
}

export const hasWrk = (): boolean => existsSync(WRK);

function post(body: string, contentType: string): string {
  return `wrk.method = "POST"
wrk.body = ${JSON.stringify(body)}
wrk.headers["Content-Type"] = "${contentType}"
`;
}

function script({ form, envelope, headers = {} }: Load): string {
  const head = [
    form === undefined ? '' : post(new URLSearchParams(form).toString(), 'application/x-www-form-urlencoded'),
    envelope === undefined ? '' : post(envelope, 'text/xml; charset=utf-8'),
    ...Object.entries(headers).map(([name, value]) => `wrk.headers["${name}"] = ${JSON.stringify(value)}\n`),
  ].join('');
  return `${head}function done(s)
  local e = s.errors
  io.write(string.format("served %d %d %d", s.requests, s.duration, e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

/** Loads a server over kept connections. Any answer that is not a success is an error. */
export async function sendLoad(load: Load, seconds: number): Promise<Throughput> {
  const file = join(workFolder(), 'load.lua');
  writeFileSync(file, script(load));
  const connections = String(load.connections ?? 16);
  const limits = ['--threads', '1', '--connections', connections, '--duration', `${seconds}s`, '--timeout', '30s'];
  const args = [...limits, '--script', file, load.url];
  const child = trackChild(spawn(WRK, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  const [, requests, microseconds, errors] = (/served (\d+) (\d+) (\d+)/.exec(output) ?? []).map(Number);
  if (!requests || !microseconds || errors !== 0) throw new Error(`${load.url} was not served well:\n${output}`);
  return { requests, perSecond: requests / (microseconds / 1e6) };
}
