import { text } from '../operations/fields.ts';
import type { Found, ManifestContainer } from './manifestContainer.ts';
import { containersProblems, isObject, unknownFields } from './manifestContainer.ts';
import { compareVersions } from '../../model/versionNumber.ts';
import { BUILD_RULE, VERSION_RULE, isBuild, isVersion } from './manifestNumbers.ts';

/** One version object, in the order in which it is written. */
export interface ManifestVersion {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly update: 'patch' | 'release';
  readonly version: string;
  readonly build: string;
  /** Of a patch its own version. Empty for a release that needs none: the first, or one for an unknown version. */
  readonly previousVersion: string;
  /** Empty where any build of the previous version will do. */
  readonly previousBuild: string;
  /** Milliseconds since the Unix epoch. */
  readonly released: number;
  readonly releaseNotes: string;
  readonly newLicensesRequired: boolean;
  readonly containers: readonly ManifestContainer[];
}

type Rule = (value: unknown, of: Found) => string | undefined;

const ID = /^(?:rel|pat)_[\w.-]{1,100}$/;
const LATEST_DATE = 8.64e15;
const CONTAINERS_AT_MOST = 5000;

function words(atMost: number): Rule {
  const reader = text(atMost);
  return (value) => {
    if (value === undefined) return undefined;
    const read = typeof value === 'string' ? reader.read(value) : { problem: 'must be a text' };
    return 'problem' in read ? read.problem : undefined;
  };
}

function previousVersionProblem(value: unknown, { update, version }: Found): string | undefined {
  if (update === 'patch') {
    const isOwn = value === undefined || value === version;
    return isOwn ? undefined : 'of a patch must be its own version, or be left out';
  }
  if (value === '') return undefined;
  if (!isVersion(value)) return `${VERSION_RULE}, or "" for a release that needs no previous one`;
  const isOlder = !isVersion(version) || compareVersions(value, version) < 0;
  return isOlder ? undefined : 'must be older than version';
}

function previousBuildProblem(value: unknown, { update, build, previousVersion }: Found): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (!isBuild(value)) return BUILD_RULE;
  if (update !== 'patch') return previousVersion === '' ? 'needs a previousVersion' : undefined;
  return !isBuild(build) || Number(value) < Number(build) ? undefined : 'of a patch must be lower than build';
}

/** Every field but the containers, in the order in which they are written. */
const FIELDS: Readonly<Record<Exclude<keyof ManifestVersion, 'containers'>, Rule>> = {
  id: (value, { update }) => {
    if (typeof value !== 'string' || !ID.test(value))
      return 'must be rel_ or pat_ and at most 100 letters, digits, "_", "-" or "."';
    const kind = update === 'patch' ? 'pat_' : 'rel_';
    return value.startsWith(kind)
      ? undefined
      : `of a ${update === 'patch' ? 'patch' : 'release'} must begin with ${kind}`;
  },
  name: words(200),
  description: words(4000),
  update: (value) => (value === 'patch' || value === 'release' ? undefined : 'must be patch or release'),
  version: (value) => (isVersion(value) ? undefined : VERSION_RULE),
  build: (value) => (isBuild(value) ? undefined : BUILD_RULE),
  previousVersion: previousVersionProblem,
  previousBuild: previousBuildProblem,
  released: (value) =>
    value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LATEST_DATE)
      ? undefined
      : 'must be a time in milliseconds',
  releaseNotes: words(4000),
  newLicensesRequired: (value) =>
    value === undefined || typeof value === 'boolean' ? undefined : 'must be true or false',
};

/** What is wrong with all but the containers; each problem begins with the name of its field. */
export function fieldProblems(found: Found): readonly string[] {
  return Object.entries(FIELDS).flatMap(([field, rule]) => {
    const problem = rule(found[field], found);
    return problem === undefined ? [] : [`${field} ${problem}`];
  });
}

/** Everything that is wrong with one version object, in words. */
export function versionProblems(found: unknown): readonly string[] {
  if (!isObject(found)) return ['must be an object'];
  return [
    ...fieldProblems(found),
    ...containersProblems(found['containers'], CONTAINERS_AT_MOST),
    ...unknownFields(found, [...Object.keys(FIELDS), 'containers']),
  ];
}

/** Of an object without problems: what was left out has its default, and every field its place. */
export function versionOf(found: Found): ManifestVersion {
  const said = (field: string, otherwise = ''): string => (typeof found[field] === 'string' ? found[field] : otherwise);
  const isPatch = found['update'] === 'patch';
  return {
    id: said('id'),
    name: said('name', said('id')),
    description: said('description'),
    update: isPatch ? 'patch' : 'release',
    version: said('version'),
    build: said('build'),
    previousVersion: said('previousVersion', said('version')),
    previousBuild: said('previousBuild'),
    released: Number(found['released'] ?? 0),
    releaseNotes: said('releaseNotes'),
    newLicensesRequired: found['newLicensesRequired'] === true,
    containers: (found['containers'] as readonly ManifestContainer[]).map(({ name, checksum, image }) => ({
      name,
      checksum,
      image,
    })),
  };
}
