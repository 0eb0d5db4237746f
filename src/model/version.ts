import type { VersionDocument } from './manifest/versionSchema.ts';
import { compareVersions } from './versionNumber.ts';

/** A version of the product, as a manifest describes it. */
export type Version = Required<VersionDocument>;

/** Where a deployment is; undefined is unknown. */
export type CurrentVersion = Pick<Version, 'version' | 'build'> | undefined;

/** Of a version only where it stands: the rest of it is long. */
export function versionNumberOf(version: Version | undefined): CurrentVersion {
  return version === undefined ? undefined : { version: version.version, build: version.build };
}

export function versionName(standing: CurrentVersion): string {
  return standing === undefined ? 'unknown' : `${standing.version}.${standing.build}`;
}

function compareStandings(one: NonNullable<CurrentVersion>, other: NonNullable<CurrentVersion>): number {
  return compareVersions(one.version, other.version) || Number(one.build) - Number(other.build);
}

/** Patches are cumulative: one goes over every lower build, from the one it asks for on. */
export function canInstall(version: Version, over: CurrentVersion): boolean {
  const { update, previousVersion, previousBuild, build } = version;
  if (over === undefined) return update === 'release' && previousVersion === '';
  if (previousVersion === '' || compareVersions(previousVersion, over.version) !== 0) return false;
  const isEnough = previousBuild === '' || Number(over.build) >= Number(previousBuild);
  return isEnough && (update === 'release' || Number(build) > Number(over.build));
}

const byAge = (one: Version, other: Version): number => compareStandings(one, other) || one.id.localeCompare(other.id);

/** The patches first, then the releases, each from old to new. */
export function inOrder(versions: readonly Version[]): readonly Version[] {
  const sorted = versions.toSorted(byAge);
  return [...sorted.filter(({ update }) => update === 'patch'), ...sorted.filter(({ update }) => update === 'release')];
}

export function availableFrom(versions: readonly Version[], standing: CurrentVersion): readonly Version[] {
  return inOrder(versions.filter((one) => canInstall(one, standing)));
}

/** The latest patch that goes over this version. */
export function latestPatchOf(versions: readonly Version[], over: NonNullable<CurrentVersion>): Version | undefined {
  return versions
    .filter((one) => one.update === 'patch' && canInstall(one, over))
    .toSorted(byAge)
    .at(-1);
}

/** The fewest steps from here to there, the last one being `wanted`; undefined where none lead there. */
export function upgradePath(
  versions: readonly Version[],
  from: CurrentVersion,
  wanted: Version,
): readonly Version[] | undefined {
  let ways: readonly (readonly Version[])[] = [[]];
  const seen = new Set<string>();
  while (ways.length > 0) {
    const next: (readonly Version[])[] = [];
    for (const way of ways) {
      const at = way.at(-1) ?? from;
      if (canInstall(wanted, at)) return [...way, wanted];
      for (const one of availableFrom(versions, at)) {
        if (seen.has(one.id)) continue;
        seen.add(one.id);
        next.push([...way, one]);
      }
    }
    ways = next;
  }
  return undefined;
}

/** Why it cannot be installed from here, and what can be done instead. */
export function installProblem(
  versions: readonly Version[],
  standing: CurrentVersion,
  wanted: Version,
): string | undefined {
  if (canInstall(wanted, standing)) return undefined;
  const what = `${wanted.id} (${versionName(wanted)})`;
  if (standing === undefined)
    return `${what} cannot be installed, because it is not known which version is installed now. Tell it with adopt first.`;
  if (versionName(standing) === versionName(wanted)) return `${what} is installed already.`;
  const here = `${what} cannot be installed over ${versionName(standing)}`;
  if (compareStandings(wanted, standing) < 0) return `${here}, because that is newer.`;
  const way = upgradePath(versions, standing, wanted);
  if (way === undefined) {
    const over = wanted.previousVersion === '' ? 'a deployment of unknown version' : nameOfPrevious(wanted);
    return `${here}. It goes over ${over}, and nothing that is known leads there. Import a manifest that does.`;
  }
  const first = way.slice(0, -1).map(({ id, version, build }) => `${id} (${versionName({ version, build })})`);
  return `${here} directly. Install ${first.join(', then ')} first.`;
}

function nameOfPrevious({ previousVersion, previousBuild }: Version): string {
  return previousBuild === '' ? previousVersion : `${previousVersion}.${previousBuild} or a later build of it`;
}

/** A version as a number: 10.9.1 is 10.91, 11.0 is 11. */
export function decimalVersion({ version }: NonNullable<CurrentVersion>): number {
  const [major = '0', ...rest] = version.split('.');
  return Number(`${major}.${rest.join('')}`);
}
