import type { CompleteVersion } from './version/versionSchema.ts';
import { compareVersions } from './versionNumber.ts';

/** A version of the product, as a manifest describes it. */
export type Version = CompleteVersion;

export type VersionNumber = Pick<Version, 'version' | 'build'>;

/** The version of a deployment; undefined if it is unknown. */
export type CurrentVersion = VersionNumber | undefined;

export function versionNumberOf(version: Version | undefined): CurrentVersion {
  return version === undefined ? undefined : { version: version.version, build: version.build };
}

/** Shows a version as `version.build`. */
export function versionName(version: CurrentVersion): string {
  return version === undefined ? 'unknown' : `${version.version}.${version.build}`;
}

function compareNumbers(one: VersionNumber, other: VersionNumber): number {
  return compareVersions(one.version, other.version) || Number(one.build) - Number(other.build);
}

/**
 * Whether a version can be installed over another one. A patch is cumulative: it can be installed over every lower build, from
 * `previousBuild` on. Nothing is installed over an unknown version: a person tells it with `adopt` first.
 */
export function canInstall(version: Version, over: CurrentVersion): boolean {
  const { update, previousVersion, previousBuild, build } = version;
  if (over === undefined || previousVersion === '' || compareVersions(previousVersion, over.version) !== 0)
    return false;
  const isBuildEnough = previousBuild === '' || Number(over.build) >= Number(previousBuild);
  return isBuildEnough && (update === 'release' || Number(build) > Number(over.build));
}

const byAge = (one: Version, other: Version): number => compareNumbers(one, other) || one.id.localeCompare(other.id);

/** Sorts patches first, then releases, each from oldest to newest. */
export function inOrder(versions: readonly Version[]): readonly Version[] {
  const sorted = versions.toSorted(byAge);
  return [...sorted.filter(({ update }) => update === 'patch'), ...sorted.filter(({ update }) => update === 'release')];
}

export function availableFrom(versions: readonly Version[], current: CurrentVersion): readonly Version[] {
  return inOrder(versions.filter((one) => canInstall(one, current)));
}

/** Finds the latest patch that can be installed over a version. */
export function latestPatchOf(versions: readonly Version[], over: VersionNumber): Version | undefined {
  const patches = versions.filter((one) => one.update === 'patch' && canInstall(one, over));
  return patches.toSorted(byAge).at(-1);
}

/** Finds the shortest sequence of versions to install that ends with `target`; undefined if there is none. */
export function upgradePath(
  versions: readonly Version[],
  from: CurrentVersion,
  target: Version,
): readonly Version[] | undefined {
  let paths: readonly (readonly Version[])[] = [[]];
  const seen = new Set<string>();
  while (paths.length > 0) {
    const longer: (readonly Version[])[] = [];
    for (const path of paths) {
      const at = path.at(-1) ?? from;
      if (canInstall(target, at)) return [...path, target];
      for (const next of availableFrom(versions, at)) {
        if (seen.has(next.id)) continue;
        seen.add(next.id);
        longer.push([...path, next]);
      }
    }
    paths = longer;
  }
  return undefined;
}

/** Lists the ways from a version to every later one that can be reached, as the versions to install in their order. */
export function upgradePaths(versions: readonly Version[], from: CurrentVersion): readonly (readonly Version[])[] {
  if (from === undefined) return [];
  const later = inOrder(versions.filter((one) => compareNumbers(one, from) > 0));
  return later.map((target) => upgradePath(versions, from, target)).filter((path) => path !== undefined);
}

function requiredPrevious({ previousVersion, previousBuild }: Version): string {
  if (previousVersion === '') return 'no other version';
  return previousBuild === '' ? previousVersion : `${previousVersion}.${previousBuild} or a later build of it`;
}

/** Explains why a version cannot be installed now, and what can be done instead. Undefined if it can be installed. */
export function installProblem(
  versions: readonly Version[],
  current: CurrentVersion,
  target: Version,
): string | undefined {
  if (canInstall(target, current)) return undefined;
  const what = `${target.id} (${versionName(target)})`;
  if (current === undefined)
    return `${what} cannot be installed, because the installed version is unknown. Record it with adopt first.`;
  if (versionName(current) === versionName(target)) return `${what} is installed already.`;
  const here = `${what} cannot be installed over ${versionName(current)}`;
  if (compareNumbers(target, current) < 0) return `${here}, because that is newer.`;
  const path = upgradePath(versions, current, target);
  if (path === undefined)
    return `${here}. It requires ${requiredPrevious(target)}, and no known version leads there. Import a manifest with the versions in between.`;
  const first = path.slice(0, -1).map((one) => `${one.id} (${versionName(one)})`);
  return `${here} directly. Install ${first.join(', then ')} first.`;
}

/** Shows a version as a decimal number: 10.9.1 is 10.91, 11.0 is 11. */
export function decimalVersion({ version }: VersionNumber): number {
  const [major = '0', ...rest] = version.split('.');
  return Number(`${major}.${rest.join('')}`);
}
