import type { Version } from './version.ts';
import { canInstall } from './version.ts';
import { compareVersions } from './versionNumber.ts';

/** How far the versions of a manifest lead. */
export interface Chain {
  /** The versions of deployments that can install a version of the manifest, oldest first, without those that the manifest itself installs. */
  readonly begins: readonly string[];
  /** Versions that cannot be installed over any build that the manifest leads to. */
  readonly outOfReach: readonly Version[];
}

function isIn(versions: readonly string[], one: string): boolean {
  return versions.some((other) => compareVersions(one, other) === 0);
}

/** Whether a deployment of version `begins`, in whichever build suits, can install this version first. */
function isFirstStep(one: Version, begins: readonly string[]): boolean {
  const build = one.previousBuild === '' ? '0' : one.previousBuild;
  return one.previousVersion === '' || begins.some((version) => canInstall(one, { version, build }));
}

/**
 * Finds the versions that can be reached step by step, by the rule that the server applies. A deployment may have any version that the manifest
 * does not install; a version that it does install is had in the builds of the manifest.
 */
export function chainOf(versions: readonly Version[]): Chain {
  const releases = versions.filter(({ update }) => update === 'release').map(({ version }) => version);
  const firsts = versions.filter(({ previousVersion }) => previousVersion === '').map(({ version }) => version);
  const previous = versions.map(({ previousVersion }) => previousVersion).filter((one) => one !== '');
  const starts = previous.filter((one) => !isIn(releases, one));
  const begins = [...starts, ...firsts]
    .toSorted(compareVersions)
    .filter((one, n, all) => n === 0 || compareVersions(one, all[n - 1] ?? one) !== 0);
  const reached = new Set(versions.filter((one) => isFirstStep(one, starts)));
  // A set also visits the members that are added during the loop.
  for (const over of reached)
    for (const one of versions) if (!reached.has(one) && canInstall(one, over)) reached.add(one);
  return { begins, outOfReach: versions.filter((one) => !reached.has(one)) };
}
