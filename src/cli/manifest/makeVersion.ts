// `steward manifest make`: builds one version from flags and a list of images, and prints it, adds it to a manifest or
// writes a new manifest.
import { join } from 'node:path';
import { systemClock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { firstProblems, problemsIn } from '../../foundation/schema/schema.ts';
import { readIsoTime } from '../../foundation/text/isoTime.ts';
import { chainProblems } from '../../model/manifest/chainProblems.ts';
import type { Manifest } from '../../model/manifest/manifest.ts';
import { manifestText } from '../../model/manifest/manifest.ts';
import type { Version } from '../../model/version.ts';
import type { VersionInput } from '../../model/version/versionSchema.ts';
import { VERSION_SCHEMA, completeVersion } from '../../model/version/versionSchema.ts';
import type { Print } from '../listen/listener.ts';
import { createFile, manifestFilesIn, parseManifest, readManifestFile, readText, replaceFile } from './files.ts';
import type { FoundImages, Images } from './images.ts';
import { containersOf, findImages, findImagesInFiles } from './images.ts';
import type { OpenRegistry } from './registryDigests.ts';
import { resolveTags } from './registryDigests.ts';
import { describeVersion } from './table.ts';

/** The flags as typed; `makeVersion` checks them. */
export interface MakeOptions {
  readonly update?: string;
  readonly version?: string;
  readonly build?: string;
  readonly previousVersion?: string;
  readonly previousBuild?: string;
  readonly id?: string;
  readonly name?: string;
  readonly description?: string;
  readonly released?: string;
  readonly releaseNotes?: string;
  readonly newLicensesRequired?: boolean;
  readonly product?: string;
  readonly images?: string;
  readonly into?: string;
  readonly output?: string;
}

export interface MakeSurroundings {
  readonly now?: number;
  /** Tells the digests of tags; undefined if every image must be pinned. */
  readonly openRegistry?: OpenRegistry | undefined;
}

const MAX_PROBLEMS = 100;
const RELEASE_DATE_RULE = 'must be a date such as 2026-11-04, a time with zone, or milliseconds';

function readReleaseDate(given: string): number | undefined {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const at = readIsoTime(given)?.at;
  return at === undefined || at < 0 ? undefined : at;
}

function flagOf(field: string): string {
  return `--${field.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`;
}

/** Finds the images in a file, or in all manifests of a folder. */
async function findIn(place: string): Promise<FoundImages> {
  const files = await manifestFilesIn(place);
  if (files === undefined) return findImages(await readText(place));
  if (files.length === 0)
    return { kind: 'unreadable', problem: 'the folder has no file that ends with .yaml, .yml or .json' };
  const texts = await Promise.all(files.map(async (name) => ({ name, text: await readText(join(place, name)) })));
  return findImagesInFiles(texts);
}

/** Reads the containers of a version. Without a registry, an image that is named by tag is a problem. */
async function imagesFrom(
  place: string,
  openRegistry: OpenRegistry | undefined,
  others: readonly Version[],
): Promise<Images> {
  const found = await findIn(place);
  if (found.kind === 'unreadable' || openRegistry === undefined) return containersOf(found, others);
  return containersOf({ ...found, images: await resolveTags(found.images, openRegistry) }, others);
}

/** Names the problems of all fields but the containers, each with its flag. */
function flagProblems(fields: object): readonly string[] {
  return problemsIn(VERSION_SCHEMA, fields)
    .filter(({ path, isInside }) => path[0] !== 'containers' && !isInside)
    .map(({ path, text }) => `${flagOf(String(path[0]))} ${text}`);
}

async function versionFrom(
  options: MakeOptions,
  now: number,
  openRegistry: OpenRegistry | undefined,
  before: readonly Version[],
) {
  const { images: file, into: _into, output: _output, product: _product, ...given } = options;
  const released = readReleaseDate(given.released ?? String(now));
  const fields = {
    ...given,
    id: given.id ?? `${given.update === 'patch' ? 'pat' : 'rel'}_${given.version}.${given.build}`,
    previousVersion: given.previousVersion ?? (given.update === 'patch' ? given.version : ''),
    released,
  };
  const images =
    file === undefined
      ? undefined
      : await imagesFrom(
          file,
          openRegistry,
          before.filter(({ id }) => id !== fields.id),
        );
  const problems = [
    // A generated id is wrong only if a field that it is made of is wrong, and that field has its own problem.
    ...flagProblems(fields).filter((problem) => given.id !== undefined || !problem.startsWith('--id ')),
    ...(released === undefined ? [`--released ${RELEASE_DATE_RULE}`] : []),
    ...(images?.problems.map((problem) => `${file}: ${problem}`) ?? ['--images must name a file or a folder']),
  ];
  if (problems.length > 0)
    throw new StewardError('invalid', 'The version is invalid. Nothing was written.', {
      details: firstProblems(problems, MAX_PROBLEMS),
    });
  return completeVersion({ ...fields, containers: images?.containers } as VersionInput);
}

/** Problems of the other versions of the file among themselves are those of `verify`: they do not keep it from being corrected. */
function refuseMisfit(made: Version, before: readonly Version[]): void {
  const misfits = chainProblems([made], before);
  if (misfits.length > 0)
    throw new StewardError('invalid', 'The version does not fit the others of the manifest. Nothing was written.', {
      details: firstProblems(misfits, MAX_PROBLEMS),
    });
}

function withVersion(before: readonly Version[], made: Version): readonly Version[] {
  const isThere = before.some(({ id }) => id === made.id);
  return isThere ? before.map((one) => (one.id === made.id ? made : one)) : [...before, made];
}

/** Returns the file that was written, or undefined if the manifest was printed. */
async function writeManifest(
  manifest: Manifest,
  { into, output }: MakeOptions,
  print: Print,
): Promise<string | undefined> {
  const text = manifestText(manifest);
  // Refuse to write a manifest that cannot be read back, such as one with too many versions.
  parseManifest(text, 'The manifest');
  const file = output ?? into;
  if (file === undefined) print(text);
  else if (file === into) await replaceFile(file, text);
  else await createFile(file, text);
  return file;
}

/** Runs `steward manifest make`. Notes go to `note`, so that they do not mix with a printed manifest. */
export async function makeVersion(
  options: MakeOptions,
  print: Print,
  note: Print,
  { now = systemClock.now(), openRegistry }: MakeSurroundings = {},
): Promise<void> {
  const before = options.into === undefined ? undefined : (await readManifestFile(options.into)).manifest;
  const made = await versionFrom(options, now, openRegistry, before?.versions ?? []);
  refuseMisfit(made, before?.versions ?? []);
  const { others } = before ?? {};
  const product = options.product ?? before?.product;
  const manifest = {
    ...(others !== undefined && { others }),
    ...(product !== undefined && { product }),
    versions: withVersion(before?.versions ?? [], made),
    signature: undefined,
  };
  const file = await writeManifest(manifest, options, print);
  const isReplaced = before?.versions.some(({ id }) => id === made.id) === true;
  if (file !== undefined)
    print(`${isReplaced ? `Replaced ${made.id} in` : `Added ${made.id} to`} ${file}: ${describeVersion(made)}.\n`);
  if (made.previousVersion === '')
    note(
      'Note: it has no previous version, so it is a first release. It can be adopted, but not installed over another version.\n',
    );
  if (before?.signature !== undefined)
    note(
      `Note: ${options.into} was signed. The signature is no longer valid and was removed. Sign the manifest again with\n  steward manifest sign ${file} --key <private key file>\n`,
    );
}
