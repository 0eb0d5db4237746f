import type { Version } from '../../model/version.ts';
import { canInstall } from '../../model/version.ts';
import { compareVersions } from '../../model/versionNumber.ts';
import { previousName } from './table.ts';

export interface Chain {
  /** The oldest version that a version of the manifest can be installed over. */
  readonly begins: string;
  /** Versions that a deployment of the oldest version cannot reach. */
  readonly outOfReach: readonly Version[];
}

/** Whether a deployment of version `begins`, in whichever build suits, can install this version first. */
function isFirstStep(one: Version, begins: string): boolean {
  const lowestBuild = one.previousBuild === '' ? '0' : one.previousBuild;
  return one.previousVersion === '' || canInstall(one, { version: begins, build: lowestBuild });
}

/** Finds the versions that can be reached from the oldest one, step by step. */
export function chainOf(versions: readonly Version[]): Chain {
  const starts = versions.map(({ previousVersion, version }) => (previousVersion === '' ? version : previousVersion));
  const begins = starts.reduce((oldest, one) => (compareVersions(one, oldest) < 0 ? one : oldest));
  const reached = new Set(versions.filter((one) => isFirstStep(one, begins)));
  // A set also visits the members that are added during the loop.
  for (const over of reached)
    for (const one of versions) if (!reached.has(one) && canInstall(one, over)) reached.add(one);
  return { begins, outOfReach: versions.filter((one) => !reached.has(one)) };
}

export function chainWarnings({ begins, outOfReach }: Chain): readonly string[] {
  return outOfReach.map((one) => `${one.id} is over ${previousName(one)}, which nothing here leads to from ${begins}.`);
}
