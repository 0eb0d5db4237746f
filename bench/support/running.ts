import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

export interface Running {
  readonly pid: number;
  readonly url: string;
  /** From the start of the process to the words that say it is ready. */
  readonly readyMs: number;
  end(): Promise<void>;
}

const children = new Set<ChildProcess>();

export function track<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Below build/ and not in /tmp, which may be kept in memory, where a flush to disk costs nothing. */
export function openFolder(project: string): string {
  mkdirSync(join(project, 'build'), { recursive: true });
  const folder = mkdtempSync(join(project, 'build', 'bench-'));
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  return folder;
}

/** Starts a server; `ready` matches its standard output when it is, and finds its address. Standard error goes to the file `log`. */
export function startServer(
  args: readonly string[],
  ready: RegExp,
  log: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const logged = openSync(log, 'a');
  const began = performance.now();
  const child = track(
    spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', logged],
    }),
  );
  closeSync(logged);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  return new Promise((resolve, reject) => {
    let output = '';
    const endedEarly = (): void => {
      reject(new Error(`${args.join(' ')} ended early:\n${readFileSync(log, 'utf8').slice(-2000)}`));
    };
    child.once('exit', endedEarly);
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = ready.exec(output)?.[1];
      if (url === undefined) return;
      child.off('exit', endedEarly);
      resolve({
        pid: child.pid ?? 0,
        url,
        readyMs: performance.now() - began,
        end: () => {
          child.kill('SIGTERM');
          return exited;
        },
      });
    });
  });
}

/** CPU time of all threads. The scheduler's own nanoseconds; the ticks of /proc/PID/stat are 10 ms each. */
export function cpuMicroseconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]);
  return nanoseconds.reduce((sum, each) => sum + Number(each), 0) / 1000;
}

export function residentMb(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}
