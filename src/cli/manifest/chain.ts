import { compareVersions } from '../../model/versionNumber.ts';
import type { Version } from '../../model/version.ts';
import { shownPrevious } from './table.ts';

export interface Chain {
  /** The oldest version that something here can be installed over. */
  readonly begins: string;
  /** What no deployment that begins there comes to. */
  readonly outOfReach: readonly Version[];
}

function isOver(one: Version, reached: readonly Version[], begins: string): boolean {
  const { previousVersion, previousBuild } = one;
  if (previousVersion === '' || compareVersions(previousVersion, begins) === 0) return true;
  return reached.some(
    ({ version, build }) =>
      compareVersions(version, previousVersion) === 0 && (previousBuild === '' || previousBuild === build),
  );
}

/** Which versions can be come to, step by step, from the oldest. It is taken to be there, in any build. */
export function chainOf(versions: readonly Version[]): Chain {
  const starts = versions.map(({ previousVersion, version }) => (previousVersion === '' ? version : previousVersion));
  const begins = starts.reduce((oldest, one) => (compareVersions(one, oldest) < 0 ? one : oldest));
  let reached: readonly Version[] = [];
  for (;;) {
    const next = versions.filter((one) => isOver(one, reached, begins));
    if (next.length === reached.length) break;
    reached = next;
  }
  return { begins, outOfReach: versions.filter((one) => !reached.includes(one)) };
}

export function chainWarnings({ begins, outOfReach }: Chain): readonly string[] {
  return outOfReach.map((one) => `${one.id} is over ${shownPrevious(one)}, which nothing here leads to from ${begins}`);
}
