// The npm package of Steward: made by `npm pack` in this repository, and installed in empty folders as a user does.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../run/project.ts';
import { runCommand } from '../run/runFolder.ts';

export interface PackedPackage {
  /** The path of the archive. */
  readonly archive: string;
  /** The paths in it. */
  readonly files: readonly string[];
}

export interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
}

export interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

export function projectManifest(): Manifest {
  return JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as Manifest;
}

/** The packages that package-lock.json has for run time, by their paths. */
export function lockedRuntimePackages(): ReadonlyMap<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return new Map(Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true));
}

/** Runs npm to its end and returns what it prints; throws if it fails. */
export async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand('npm', args, { cwd, env: process.env });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/** Makes the package in a folder. */
export async function pack(folder: string): Promise<PackedPackage> {
  const output = await npm(PROJECT, 'pack', '--json', '--pack-destination', folder);
  // The build before it may print other lines.
  const [made] = JSON.parse(output.slice(output.indexOf('['))) as readonly {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  if (made === undefined) throw new Error('npm pack has made no package');
  return { archive: join(folder, made.filename), files: made.files.map(({ path }) => path) };
}

/** Installs the package without install scripts, for this machine or for another one. */
export async function install(folder: string, archive: string, ...flags: string[]): Promise<void> {
  await npm(folder, 'install', '--ignore-scripts', '--no-audit', '--no-fund', ...flags, archive);
}

const MACHINES: Readonly<Record<number, string>> = { 0x3e: 'x64', 0xb7: 'arm64' };
const MACHINE_AT = 18;

/** The architecture that a program of Linux is for. */
export function machineOf(file: string): string | undefined {
  const head = readFileSync(file);
  return head.toString('latin1', 1, 4) === 'ELF' ? MACHINES[head.readUInt16LE(MACHINE_AT)] : undefined;
}
