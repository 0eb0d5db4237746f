import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { PROJECT } from '../run/project.ts';
import { runCommand } from '../run/runFolder.ts';

const PROGRAM = join(PROJECT, 'dist', 'steward.js');
const ON_TERMINAL = join(PROJECT, 'test', 'support', 'cli', 'onTerminal.py');

export interface Screen {
  readonly code: number | null;
  /** What was written, line by line. A line that was drawn again is there once for each time. */
  readonly lines: readonly string[];
}

export interface TerminalOptions {
  readonly home: string;
  readonly width: number;
  /** What is typed at the first question. */
  readonly typed?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs the program on a terminal, through the pty of Python. */
export async function runOnTerminal(args: readonly string[], options: TerminalOptions): Promise<Screen> {
  const { home, width, typed = '', environment = {} } = options;
  const env = { PATH: process.env['PATH'], HOME: home, TERM: 'xterm', ...environment };
  const command = [ON_TERMINAL, String(width), typed, process.execPath, PROGRAM, ...args];
  const { status, stdout, stderr } = await runCommand('/usr/bin/python3', command, { env });
  if (stderr !== '') throw new Error(stderr);
  return { code: status, lines: stdout.split(/[\r\n]+/).map(stripVTControlCharacters) };
}
