import { StewardError } from '../../foundation/errors.ts';
import type { Mode } from '../../model/mode.ts';
import { OPEN_MODE } from '../../model/mode.ts';
import { addressedContainers } from '../../model/manifest/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { acceptsWrites } from '../../model/workload.ts';

/** A container whose running image is not the one of a version. */
export interface Difference {
  readonly container: string;
  /** Empty if no workload has the container. */
  readonly workload: string;
  readonly expected: string;
  readonly running: string;
}

const MAX_DETAILS = 20;

/** Compares the running checksums with those of a version. */
export function differencesFrom({ containers }: Version, workloads: readonly Workload[]): readonly Difference[] {
  return [...addressedContainers(containers, workloads)].flatMap(([{ name, checksum: expected }, running]) => {
    if (running.length === 0) return [{ container: name, workload: '', expected, running: '' }];
    return running
      .filter(({ image }) => image.checksum !== expected)
      .map(({ workload, image: { checksum = 'unknown' } }) => {
        return { container: name, workload: workload.name, expected, running: checksum };
      });
  });
}

/**
 * The mode after a failed job was given up. If nothing can be written, the mode that the failure left on stays until a person
 * ends it: no later job may end it, because none repairs that database.
 */
export function modeAfterAdoption(mode: Mode, inventory: Inventory): Mode {
  if (mode.setBy !== 'failure') return mode;
  if (acceptsWrites(inventory)) return OPEN_MODE;
  const message = 'No database instance accepts writes. Repair the database, then set isReadOnly=false at mode.';
  return { isReadOnly: true, message, setBy: 'hand' };
}

export function adoptionRefusal(
  version: Version,
  differences: readonly Difference[],
  unfinished: readonly string[],
): StewardError {
  const name = versionName(version);
  if (unfinished.length > 0)
    return new StewardError(
      'conflict',
      `A failed job is not finished. Finish it with retry, or send force=true to record ${name} and abandon the job.`,
      { details: unfinished.slice(0, MAX_DETAILS) },
    );
  const details = differences.map(({ container, workload, expected, running }) =>
    workload === ''
      ? `${container}: no workload has this container`
      : `${container} in ${workload}: runs ${running}, but ${name} has ${expected}`,
  );
  return new StewardError(
    'conflict',
    `The deployment does not run ${name}: ${differences.length} of ${version.containers.length} containers differ. Adopt the version that runs, or send force=true to record ${name} anyway.`,
    { details: details.slice(0, MAX_DETAILS) },
  );
}
