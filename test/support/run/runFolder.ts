// Everything that a test run leaves on the machine, in one folder: files, and the process ids of its children. Databases of
// PostgreSQL are in a second one. globalSetup.ts makes them; reaper.mjs removes them when the run is over.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const VARIABLE = 'STEWARD_TEST_RUN_FOLDER';
const DATABASE_VARIABLE = 'STEWARD_TEST_DATABASE_FOLDER';
const CHILDREN = 'children';
const MEMORY = '/dev/shm';
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;

/** Undefined outside a test run: the benchmarks use some of the same helpers. */
function runFolder(): string | undefined {
  return process.env[VARIABLE];
}

/** Each test has a database of several hundred files. In memory, `npm test` takes 40 s less than on ext4. */
function databaseRoot(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize >= MEMORY_NEEDED_BYTES ? MEMORY : tmpdir();
}

function makeFolder(root: string, variable: string): string {
  const path = mkdtempSync(join(root, 'steward-test-'));
  // PostgreSQL runs as another user where the tests run as root.
  chmodSync(path, 0o755);
  process.env[variable] = path;
  return path;
}

/** Makes the folders, for this process and all that it starts. */
export function makeRunFolders(): { readonly folder: string; readonly databases: string } {
  const folder = makeFolder(tmpdir(), VARIABLE);
  mkdirSync(join(folder, CHILDREN));
  return { folder, databases: makeFolder(databaseRoot(), DATABASE_VARIABLE) };
}

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

export function temporaryFolder(root = runFolder() ?? tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(root, 'steward-folder-'));
  // A run that stops after its third failure removes folders that a child still writes to; retries get past that.
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }) };
}

/** A folder for the data of a PostgreSQL server. */
export function databaseFolder(): TemporaryFolder {
  return temporaryFolder(process.env[DATABASE_VARIABLE]);
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Whether it leads a process group, which then ends as a whole. */
  readonly isGroup?: boolean;
}

/**
 * What the kernel says of a process: its 20th number after the name is its start. With its id, it names one process: ids are used again,
 * within minutes where suites run beside each other. Empty if the system does not tell.
 */
function factsOf(processId: number): string {
  try {
    return readFileSync(`/proc/${processId}/stat`, 'utf8');
  } catch {
    return '';
  }
}

/** Makes sure that a child does not outlive the test run. */
export function markChild(child: ChildProcess, isGroup = false): void {
  const folder = runFolder();
  if (folder === undefined || child.pid === undefined) return;
  const mark = join(folder, CHILDREN, String(isGroup ? -child.pid : child.pid));
  writeFileSync(mark, factsOf(child.pid));
  child.once('exit', () => rmSync(mark, { force: true }));
}

/** Starts a process that does not outlive the test run. */
export function spawnChild(command: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const { isGroup = false, ...rest } = options;
  const child = spawn(command, args, { ...rest, detached: isGroup, stdio: ['ignore', 'pipe', 'pipe'] });
  markChild(child, isGroup);
  return child;
}

export interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export function runCommand(command: string, args: readonly string[], options: ChildOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawnChild(command, args, options);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** The process ids of children that still run. */
export function runningChildren(folder: string): readonly string[] {
  return readdirSync(join(folder, CHILDREN));
}
