import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bundleChecksum } from '../../../model/objects/bundleText.ts';
import { createFile, readText, replaceFile } from '../files.ts';
import type { Bundle } from './makeBundle.ts';

const READABLE_BY_OWNER = 0o600;
const READABLE_BY_ALL = 0o644;

const OTHER_OBJECTS =
  'It has other objects than this version. If no manifest names it any more, such as after a trial, remove it; otherwise give the version another --id, or write to another folder with --output.';

/** Where the bundle of a version is: beside its manifest, or in the current folder if that is printed. */
export function bundleFileOf(id: string, manifestFile: string | undefined): string {
  return join(dirname(manifestFile ?? id), `${id}.objects.jsonl`);
}

async function isThere(file: string, { checksum }: Bundle): Promise<boolean> {
  const present = await readText(file).catch(() => undefined);
  return present !== undefined && bundleChecksum(present) === checksum;
}

/**
 * Writes a bundle, and then what refers to it. Never overwrites another bundle, unless its version is replaced. If the second fails, a
 * new file is removed.
 */
export async function writeBundle<T>(
  file: string,
  bundle: Bundle,
  isReplaced: boolean,
  writeReference: () => Promise<T>,
): Promise<T> {
  const mode = bundle.hasSecrets ? READABLE_BY_OWNER : READABLE_BY_ALL;
  if (await isThere(file, bundle)) return writeReference();
  const isPresent = isReplaced && (await readText(file).catch(() => undefined)) !== undefined;
  if (isPresent) {
    if (bundle.hasSecrets) await chmod(file, mode);
    await replaceFile(file, bundle.text);
    return writeReference();
  }
  await createFile(file, bundle.text, mode, OTHER_OBJECTS);
  try {
    return await writeReference();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
