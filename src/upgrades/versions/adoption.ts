import { StewardError } from '../../foundation/errors.ts';
import type { Mode } from '../../model/mode.ts';
import { OPEN_MODE } from '../../model/mode.ts';
import { addressedContainers } from '../../model/manifest/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Image, Inventory, Workload } from '../../model/workload.ts';
import { acceptsWrites } from '../../model/workload.ts';
import type { ReferenceFor } from '../plan/images.ts';
import type { Deployment, ImageFinding } from '../ports/deployment.ts';

/** A container whose running image is not the one of a version. */
export interface Difference {
  readonly container: string;
  /** Empty if no workload has the container. */
  readonly workload: string;
  readonly expected: string;
  readonly running: string;
}

const MAX_DETAILS = 20;
const UNKNOWN = 'unknown';

interface Suspect extends Difference {
  /** What the registry is asked: the reference that is configured, and the checksum of the version. */
  readonly asked: Image;
}

/** Compares the running checksums with those of a version. */
function suspectsOf(
  { containers }: Version,
  workloads: readonly Workload[],
  referenceFor: ReferenceFor,
): readonly Suspect[] {
  return [...addressedContainers(containers, workloads)].flatMap(([entry, running]) => {
    const { name, checksum: expected } = entry;
    const reference = referenceFor(entry.image, expected);
    if (running.length === 0) {
      const asked = { container: name, image: reference, checksum: expected };
      return [{ container: name, workload: '', expected, running: '', asked }];
    }
    return running
      .filter(({ image }) => image.checksum !== expected)
      .map(({ workload, image }) => {
        const asked = { ...image, image: image.checksum === undefined ? image.image : reference, checksum: expected };
        return { container: name, workload: workload.name, expected, running: image.checksum ?? UNKNOWN, asked };
      });
  });
}

/** Whether the registry proves that a container has the image of the version. */
function isProven({ workload, running }: Suspect, finding: ImageFinding | undefined): boolean {
  if (workload === '' || finding?.kind !== 'found') return false;
  return running === UNKNOWN || finding.aliases.includes(running);
}

/**
 * Finds the containers that do not have the images of a version. The registry tells whether another checksum is the same
 * image, such as one platform of an index, and what a container that does not run now would run, such as that of a CronJob.
 */
export async function findDifferences(
  version: Version,
  workloads: readonly Workload[],
  { findImages, referenceFor }: Pick<Deployment, 'findImages' | 'referenceFor'>,
): Promise<readonly Difference[]> {
  const suspects = suspectsOf(version, workloads, referenceFor);
  // Without an answer of the registry, the checksums count as they are.
  const findings = suspects.length === 0 ? [] : await findImages(suspects.map(({ asked }) => asked)).catch(() => []);
  return suspects
    .filter((suspect, n) => !isProven(suspect, findings[n]))
    .map(({ container, workload, expected, running }) => ({ container, workload, expected, running }));
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
  const isElsewhere =
    differences.length === version.containers.length && differences.every(({ workload }) => workload === '');
  const message = isElsewhere
    ? `The deployment has no workload with a container of ${name}. Check that Steward is configured for the right deployment and selects its workloads.`
    : `The deployment does not run ${name}: ${differences.length} of ${version.containers.length} containers differ. Adopt the version that runs, or send force=true to record ${name} anyway.`;
  return new StewardError('conflict', message, { details: details.slice(0, MAX_DETAILS) });
}
