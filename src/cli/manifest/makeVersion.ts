import { systemClock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Manifest } from '../../wire/documents/manifestDocument.ts';
import { firstProblems, manifestText } from '../../wire/documents/manifestDocument.ts';
import type { ManifestVersion } from '../../wire/documents/manifestVersion.ts';
import { fieldProblems, versionOf } from '../../wire/documents/manifestVersion.ts';
import type { Print } from '../listen/listener.ts';
import { createFile, manifestOf, readManifestFile, readText, replaceFile } from './files.ts';
import { readImages } from './images.ts';
import { RELEASED_RULE, readReleased } from './releaseDate.ts';
import { inWords } from './table.ts';

/** As they are typed; what is wrong with them is said here. */
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
  readonly images?: string;
  readonly into?: string;
  readonly output?: string;
}

const PROBLEMS_AT_MOST = 100;

function flagOf(problem: string): string {
  return problem.replace(/^\w+/, (field) => `--${field.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}`);
}

async function madeVersion(options: MakeOptions, now: number): Promise<ManifestVersion> {
  const { images: file, ...given } = options;
  const released = readReleased(given.released ?? String(now));
  const fields = {
    ...given,
    id: given.id ?? `${given.update === 'patch' ? 'pat' : 'rel'}_${given.version}.${given.build}`,
    previousVersion: given.previousVersion ?? (given.update === 'patch' ? given.version : ''),
    released,
  };
  const images = file === undefined ? undefined : readImages(await readText(file));
  const problems = [
    // An id of our making is wrong only where what it is made of is, and that is told.
    ...fieldProblems(fields)
      .filter((problem) => given.id !== undefined || !problem.startsWith('id '))
      .map(flagOf),
    ...(released === undefined ? [`--released ${RELEASED_RULE}`] : []),
    ...(images?.problems.map((problem) => `${file}: ${problem}`) ?? ['--images must name a file']),
  ];
  if (problems.length > 0)
    throw new StewardError('invalid', 'The version cannot be made.', {
      details: firstProblems(problems, PROBLEMS_AT_MOST),
    });
  return versionOf({ ...fields, containers: images?.containers });
}

function placed(before: readonly ManifestVersion[], made: ManifestVersion): readonly ManifestVersion[] {
  const isThere = before.some(({ id }) => id === made.id);
  return isThere ? before.map((one) => (one.id === made.id ? made : one)) : [...before, made];
}

/** Where it is written; undefined where it is only printed. */
async function write(manifest: Manifest, { into, output }: MakeOptions, print: Print): Promise<string | undefined> {
  const text = manifestText(manifest);
  // What is written can be read: too many versions, for one, show only here.
  manifestOf(text, 'What would be written');
  const file = output ?? into;
  if (file === undefined) print(text);
  else if (file === into) await replaceFile(file, text);
  else await createFile(file, text);
  return file;
}

/** `steward manifest make`: notes go to where they do not mix with a manifest that is printed. */
export async function makeVersion(
  options: MakeOptions,
  print: Print,
  note: Print,
  now = systemClock.now(),
): Promise<void> {
  const made = await madeVersion(options, now);
  const before = options.into === undefined ? undefined : await readManifestFile(options.into);
  const versions = placed(before?.versions ?? [], made);
  const file = await write({ versions, signature: undefined }, options, print);
  const isReplaced = before?.versions.some(({ id }) => id === made.id) === true;
  if (file !== undefined)
    print(`${isReplaced ? `Replaced ${made.id} in` : `Added ${made.id} to`} ${file}: ${inWords(made)}.\n`);
  if (made.previousVersion === '')
    note('Note: it names no previous version, so it is a first release, or one for a deployment of unknown version.\n');
  if (before?.signature !== undefined)
    note(
      `Note: ${options.into} was signed. The signature does not fit any more and is left out; sign again with\n  steward manifest sign ${file} --key <private key file>\n`,
    );
}
