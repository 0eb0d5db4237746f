import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { ReadManifest } from '../../model/manifest/manifest.ts';
import { readManifest } from '../../model/manifest/manifest.ts';
import { firstProblems } from '../../foundation/schema/schema.ts';

const MAX_PROBLEMS = 100;
/** Files without secrets are readable by all, whatever the umask of this process. */
const READABLE_BY_ALL = 0o644;

const MANIFEST_NAME = /\.(?:ya?ml|json)$/i;

async function isFolder(place: string): Promise<boolean> {
  return (await stat(place).catch(() => undefined))?.isDirectory() === true;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new StewardError('notFound', `The file ${file} does not exist.`);
    const isText = codeOf(error) !== 'ERR_ENCODING_INVALID_ENCODED_DATA';
    throw new StewardError('invalid', isText ? `${file} cannot be read: ${reasonOf(error)}` : `${file} is not UTF-8.`);
  }
}

/** Finds the files below a folder. Links to files are followed, links to folders are not: they may lead in a circle. */
async function filesBelow(folder: string, path: string, found: string[] = []): Promise<string[]> {
  for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (entry.isDirectory()) await filesBelow(folder, name, found);
    else if (MANIFEST_NAME.test(name) && !(entry.isSymbolicLink() && (await isFolder(join(folder, name)))))
      found.push(name);
  }
  return found;
}

/** Lists the manifests in a folder and below it, in order; undefined if the place is not a folder. */
export async function manifestFilesIn(place: string): Promise<readonly string[] | undefined> {
  return (await isFolder(place)) ? (await filesBelow(place, '')).toSorted() : undefined;
}

type ValidManifest = Extract<ReadManifest, { kind: 'valid' }>;

export function parseManifest(text: string, file: string): ValidManifest {
  const read = readManifest(text);
  if (read.kind === 'valid') return read;
  const details = firstProblems(read.problems, MAX_PROBLEMS);
  throw new StewardError('invalid', `${file} is not a version manifest.`, { details });
}

export async function readManifestFile(file: string): Promise<ValidManifest> {
  return parseManifest(await readText(file), file);
}

async function writeAndSync(handle: FileHandle, text: string, mode: number): Promise<void> {
  try {
    await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function writeError(file: string, error: unknown, advice = ''): StewardError {
  return codeOf(error) === 'EEXIST'
    ? new StewardError('conflict', `${file} already exists and was not changed.${advice}`)
    : new StewardError('invalid', `${file} cannot be written: ${reasonOf(error)}`);
}

/** Creates a file completely or not at all. Never overwrites a file; `advice` says what to do then. */
export async function createFile(file: string, text: string, mode = READABLE_BY_ALL, advice?: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw writeError(file, error, advice === undefined ? '' : ` ${advice}`);
  });
  try {
    await writeAndSync(handle, text, mode);
  } catch (error) {
    await rm(file, { force: true });
    throw writeError(file, error);
  }
}

/** Replaces the content of a file atomically, also across a power failure. Follows links. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const place = await realpath(file);
  const temporary = `${place}.${randomUUID()}.new`;
  const { mode } = await stat(place);
  await createFile(temporary, text, mode & 0o777);
  try {
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(file, error);
  }
}
