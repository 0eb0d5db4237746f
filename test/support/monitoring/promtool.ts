import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, temporaryFolder } from '../run/runFolder.ts';

/** Where Debian's package `prometheus` has it. */
const PROGRAM = '/usr/bin/promtool';

/** Whether this machine has promtool. */
export function hasPromtool(): boolean {
  return existsSync(PROGRAM);
}

/** Runs promtool on files that are made for it. Returns what it reports; empty if it finds no problem. */
export async function promtool(args: readonly string[], files: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
  const { status, stdout, stderr } = await runCommand(PROGRAM, args, { cwd: folder.path });
  folder.remove();
  return status === 0 ? '' : stdout + stderr;
}
