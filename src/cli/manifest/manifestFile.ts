import pico from 'picocolors';
import { counted } from '../../foundation/text/counted.ts';
import { StewardError } from '../../foundation/errors.ts';
import { firstProblems } from '../../foundation/schema/schema.ts';
import type { Manifest } from '../../model/manifest/manifest.ts';
import { manifestText } from '../../model/manifest/manifest.ts';
import { chainProblems } from '../../model/manifest/chainProblems.ts';
import { isSignedBy, signManifest } from '../../model/manifest/signature.ts';
import type { Print } from '../listen/listener.ts';
import { chainOf } from '../../model/versionChain.ts';
import { readManifestFile, readText, replaceFile } from './files.ts';
import { manifestTable, objectsTable, previousName } from './table.ts';

export interface KeyOptions {
  readonly key?: string;
}

const MAX_PROBLEMS = 100;

async function withKey<T>(file: string, use: (pem: string) => T): Promise<T> {
  const pem = await readText(file);
  try {
    return use(pem);
  } catch (error) {
    throw error instanceof StewardError ? new StewardError(error.code, `${file}: ${error.message}`) : error;
  }
}

function printWarnings(warnings: readonly string[], print: Print): void {
  for (const warning of warnings) print(`${pico.yellow('Warning')}: ${warning}\n`);
}

/** Runs `steward manifest sign`, which rewrites the file. */
export async function signFile(file: string, key: string, print: Print): Promise<void> {
  const { manifest, warnings } = await readManifestFile(file);
  const { versions, signature, ...envelope } = manifest;
  const signed = await withKey(key, (pem) => signManifest(pem, versions, envelope));
  printWarnings(warnings, print);
  await replaceFile(file, manifestText(signed));
  const before =
    signature === undefined || signature === signed.signature ? '' : ' It replaces the previous signature.';
  print(`Signed ${file} with ${key}: ${counted(versions.length, 'version')}.${before}\n`);
}

async function signatureProblem(file: string, manifest: Manifest, key: string): Promise<string | undefined> {
  const isSigned = await withKey(key, (pem) => isSignedBy(pem, manifest));
  if (isSigned) return undefined;
  return manifest.signature === undefined
    ? `${file} is not signed.`
    : `The signature of ${file} does not match ${key}: it was made with another key, or the manifest was changed since.`;
}

function signatureNote({ signature }: Manifest): string {
  return signature === undefined
    ? 'It is not signed.'
    : `It is signed; the signature was not verified. Use ${pico.bold('--key <public key file>')} to check.`;
}

/** Runs `steward manifest verify`. Throws if the manifest must not be used; versions out of reach are warnings. */
export async function verifyFile(file: string, { key }: KeyOptions, print: Print): Promise<void> {
  const { manifest, warnings } = await readManifestFile(file);
  const problem = key === undefined ? undefined : await signatureProblem(file, manifest, key);
  const misfits = chainProblems(manifest.versions);
  const { begins, outOfReach } = chainOf(manifest.versions);
  const unreachable = outOfReach.map(
    (one) => `${one.id} is over ${previousName(one)}, and no version in this manifest leads to that build.`,
  );
  print(`${file} has ${counted(manifest.versions.length, 'version')}, from ${begins.join(' or ')} on:\n\n`);
  print(`${manifestTable(manifest.versions)}\n`);
  const objects = objectsTable(manifest.versions);
  if (objects !== '') print(`Objects:\n\n${objects}\n`);
  printWarnings([...warnings, ...unreachable], print);
  if (misfits.length > 0)
    throw new StewardError('invalid', `The versions of ${file} do not fit together.`, {
      details: [...(problem === undefined ? [] : [problem]), ...firstProblems(misfits, MAX_PROBLEMS)],
    });
  if (problem !== undefined) throw new StewardError('invalid', problem);
  print(key === undefined ? `${signatureNote(manifest)}\n` : `${pico.green('✓')} The signature matches ${key}.\n`);
}
