// `steward manifest make`: builds one version from flags and a list of images, and prints it, adds it to a manifest or
// writes a new manifest.
import { join } from 'node:path';
import { systemClock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/text/counted.ts';
import { firstProblems, problemsIn } from '../../foundation/schema/schema.ts';
import { readIsoTime } from '../../foundation/text/isoTime.ts';
import { chainProblems } from '../../model/manifest/chainProblems.ts';
import { OBJECTS_FEATURE } from '../../model/manifest/features.ts';
import type { Manifest } from '../../model/manifest/manifest.ts';
import { manifestText } from '../../model/manifest/manifest.ts';
import type { Version } from '../../model/version.ts';
import type { VersionInput } from '../../model/version/versionSchema.ts';
import { VERSION_SCHEMA, completeVersion } from '../../model/version/versionSchema.ts';
import type { Print } from '../listen/listener.ts';
import { createFile, manifestFilesIn, parseManifest, readManifestFile, readText, replaceFile } from './files.ts';
import type { ImageRules } from './clusterImages.ts';
import type { FoundImages, Images } from './images.ts';
import { containersOf, findImages, findImagesInFiles } from './images.ts';
import { bundleFileOf, writeBundle } from './objects/bundleFile.ts';
import type { Bundle, MadeBundle } from './objects/makeBundle.ts';
import { makeBundle } from './objects/makeBundle.ts';
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
  /** A file or a folder. */
  readonly objects?: string;
  /** Where a registry has the bundle. */
  readonly objectsImage?: string;
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
async function findIn(place: string, rules: ImageRules): Promise<FoundImages> {
  const files = await manifestFilesIn(place);
  if (files === undefined) return findImages(await readText(place), rules);
  if (files.length === 0)
    return { kind: 'unreadable', problem: 'the folder has no file that ends with .yaml, .yml or .json' };
  const texts = await Promise.all(files.map(async (name) => ({ name, text: await readText(join(place, name)) })));
  return findImagesInFiles(texts, rules);
}

/** Reads the containers of a version. Without a registry, an image that is named by tag is a problem. */
async function imagesFrom(
  place: string,
  openRegistry: OpenRegistry | undefined,
  others: readonly Version[],
  rules: ImageRules,
): Promise<Images> {
  const found = await findIn(place, rules);
  if (found.kind === 'unreadable' || openRegistry === undefined) return containersOf(found, others);
  return containersOf({ ...found, images: await resolveTags(found.images, openRegistry) }, others);
}

/** Names the problems of all fields but the containers, each with its flag. */
function flagProblems(fields: object): readonly string[] {
  return problemsIn(VERSION_SCHEMA, fields)
    .filter(({ path, isInside }) => path[0] !== 'containers' && !isInside)
    .map(({ path, text }) => `${path[0] === 'objects' ? '--objects-image' : flagOf(String(path[0]))} ${text}`);
}

/** A version, and the bundle that it refers to. */
interface Made {
  readonly version: Version;
  readonly bundle: Bundle | undefined;
}

/** The fields of a version with objects. Servers from before objects reject it, rather than installing images alone. */
function objectFields(checksum: string, image: string | undefined): object {
  return {
    objects: { checksum, ...(image !== undefined && { image }) },
    requires: [OBJECTS_FEATURE],
  };
}

/** A checksum in place of that of a bundle that was not made. */
const ANY_CHECKSUM = `sha256:${'0'.repeat(64)}`;

function objectsProblems({ objects, objectsImage }: MakeOptions, made: MadeBundle | undefined): readonly string[] {
  if (made?.kind === 'invalid') return made.problems;
  return objects === undefined && objectsImage !== undefined ? ['--objects-image needs --objects'] : [];
}

/** The fields that are given by flags alone. */
function fieldsOf(options: MakeOptions, released: number | undefined) {
  const { images: _images, objects: _objects, objectsImage: _image, into: _into, output: _output, ...rest } = options;
  const { product: _product, ...given } = rest;
  return {
    ...given,
    id: given.id ?? `${given.update === 'patch' ? 'pat' : 'rel'}_${given.version}.${given.build}`,
    previousVersion: given.previousVersion ?? (given.update === 'patch' ? given.version : ''),
    released,
  };
}

async function versionFrom(
  options: MakeOptions,
  now: number,
  openRegistry: OpenRegistry | undefined,
  before: readonly Version[],
): Promise<Made> {
  const released = readReleaseDate(options.released ?? String(now));
  const fields = fieldsOf(options, released);
  const file = options.images ?? options.objects;
  const rules = { withHooks: options.objects !== undefined };
  const others = before.filter(({ id }) => id !== fields.id);
  const images = file === undefined ? undefined : await imagesFrom(file, openRegistry, others, rules);
  const containers = images?.problems.length === 0 ? images.containers : undefined;
  const made = options.objects === undefined ? undefined : await makeBundle(options.objects, containers);
  const bundle = made?.kind === 'made' ? made.bundle : undefined;
  const all = { ...fields, ...(made && objectFields(bundle?.checksum ?? ANY_CHECKSUM, options.objectsImage)) };
  const problems = [
    // A generated id is wrong only if a field that it is made of is wrong, and that field has its own problem.
    ...flagProblems(all).filter((problem) => options.id !== undefined || !problem.startsWith('--id ')),
    ...(released === undefined ? [`--released ${RELEASE_DATE_RULE}`] : []),
    ...(images?.problems.map((problem) => `${file}: ${problem}`) ?? ['--images must name a file or a folder']),
    ...objectsProblems(options, made),
  ];
  if (problems.length > 0)
    throw new StewardError('invalid', 'The version is invalid. Nothing was written.', {
      details: firstProblems(problems, MAX_PROBLEMS),
    });
  return { version: completeVersion({ ...all, containers } as VersionInput), bundle };
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
  else await createFile(file, text, undefined, 'To add the version to it, use --into instead of --output.');
  return file;
}

function withVersionMade(made: Version, options: MakeOptions, before: Manifest | undefined): Manifest {
  const product = options.product ?? before?.product;
  return {
    ...(before?.others !== undefined && { others: before.others }),
    ...(product !== undefined && { product }),
    versions: withVersion(before?.versions ?? [], made),
    signature: undefined,
  };
}

function noteBundle({ bundle, version }: Made, file: string | undefined, note: Print): void {
  if (bundle === undefined) return;
  note(`Wrote ${bundleFileOf(version.id, file)}: ${counted(bundle.count, 'object')}, ${bundle.checksum}.\n`);
  for (const one of bundle.notes) note(`Note: ${one}\n`);
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
  const { version, bundle } = made;
  refuseMisfit(version, before?.versions ?? []);
  const manifest = withVersionMade(version, options, before);
  const isReplaced = before?.versions.some(({ id }) => id === version.id) === true;
  const bundleFile = bundleFileOf(version.id, options.output ?? options.into);
  const write = async () => writeManifest(manifest, options, print);
  const file = bundle === undefined ? await write() : await writeBundle(bundleFile, bundle, isReplaced, write);
  if (file !== undefined)
    print(
      `${isReplaced ? `Replaced ${version.id} in` : `Added ${version.id} to`} ${file}: ${describeVersion(version)}.\n`,
    );
  noteBundle(made, file, note);
  if (version.previousVersion === '')
    note(
      'Note: it has no previous version, so it is a first release. It can be adopted, but not installed over another version.\n',
    );
  if (before?.signature !== undefined)
    note(
      `Note: ${options.into} was signed. The signature is no longer valid and was removed. Sign the manifest again with\n  steward manifest sign ${file} --key <private key file>\n`,
    );
}
