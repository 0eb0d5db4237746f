import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The root of the repository, seen from build/bench/harness. */
export const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');

const children = new Set<ChildProcess>();
let folder: string | undefined;

/** Registers a child process to be killed when the benchmark exits. */
export function trackChild<T extends ChildProcess>(child: T): T {
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** Returns the folder of this run. It is below build/ because /tmp may be in memory, where a flush to disk is free. */
export function workFolder(): string {
  folder ??= mkdtempSync(join(PROJECT, 'build', 'bench-'));
  return folder;
}

/** Kills the children and removes the folder of this run when the process exits. */
export function cleanUpOnExit(): void {
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}
