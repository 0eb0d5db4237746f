import { StewardError } from '../../foundation/errors.ts';
import type { Workload } from '../../model/workload.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';

export interface Difference {
  readonly container: string;
  /** Empty where no workload has the container. */
  readonly workload: string;
  readonly expected: string;
  readonly running: string;
}

/** What runs, held against a version by the checksums of its containers. */
export function adoption(
  version: Version,
  workloads: readonly Workload[],
): { readonly differences: readonly Difference[]; readonly refusal: StewardError | undefined } {
  const differences = version.containers.flatMap(({ name: container, checksum: expected }): readonly Difference[] => {
    const having = workloads.flatMap(({ name: workload, images }) =>
      images.filter((image) => image.container === container).map(({ checksum }) => ({ workload, checksum })),
    );
    if (having.length === 0) return [{ container, workload: '', expected, running: '' }];
    return having
      .filter(({ checksum }) => checksum !== expected)
      .map(({ workload, checksum }) => ({ container, workload, expected, running: checksum ?? 'unknown' }));
  });
  if (differences.length === 0) return { differences, refusal: undefined };
  const details = differences.map(({ container, workload, expected, running }) =>
    workload === ''
      ? `${container}: no workload has this container`
      : `${container} in ${workload}: ${running} runs, ${versionName(version)} has ${expected}`,
  );
  const refusal = new StewardError(
    'conflict',
    `What runs is not ${versionName(version)}: ${differences.length} of ${version.containers.length} containers differ. Adopt the version that runs, or send force=true to record this one all the same.`,
    { details: details.slice(0, 20) },
  );
  return { differences, refusal };
}
