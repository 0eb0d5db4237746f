import { StewardError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/text/counted.ts';
import { listed } from '../../foundation/text/listed.ts';
import type { Mode } from '../../model/mode.ts';
import { OPEN_MODE } from '../../model/mode.ts';
import type { DeployedContainer } from '../../model/version/containerAddress.ts';
import { addressedContainers, containerFinder, isDeployed } from '../../model/version/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Image, Inventory, Workload } from '../../model/workload.ts';
import { acceptsWrites } from '../../model/workload.ts';
import type { ReferenceFor } from './images.ts';
import type { Deployment, ImageFinding } from '../ports/deployment.ts';

/** A container whose running image is not the one of a version. */
export interface Difference {
  readonly container: string;
  /** Empty if no workload has the container. */
  readonly workload: string;
  readonly expected: string;
  readonly running: string;
}

/** An object that is not as a version has it. */
export interface ObjectDifference {
  readonly object: string;
  readonly isAbsent: boolean;
  readonly fields: readonly string[];
  /** Why it could not be applied, so that its fields are not known. */
  readonly reasons: readonly string[];
}

const MAX_DETAILS = 20;
const UNKNOWN = 'unknown';

interface Suspect extends Difference {
  /** What the registry is asked: the reference that is configured, and the checksum of the version. */
  readonly asked: Image;
}

/** The release that a patch belongs to, and the patch: together they name all containers of its version. */
export function wholeVersion(version: Version, known: readonly Version[]): readonly Version[] {
  const release = known.find((one) => one.update === 'release' && one.version === version.version);
  return version.update === 'release' || release === undefined ? [version] : [release, version];
}

/** Compares the running checksums with those of one version. Containers that `later` versions name are left to them. */
function suspectsOf(
  { containers }: Version,
  later: readonly Version[],
  workloads: readonly Workload[],
  referenceFor: ReferenceFor,
): readonly Suspect[] {
  const finders = later.map((one) => containerFinder(one.containers));
  const isLater = ({ workload, image }: DeployedContainer): boolean =>
    finders.some((find) => find(workload, image.container) !== undefined);
  return [...addressedContainers(containers, workloads)].flatMap(([entry, all]) => {
    const running = all.filter((one) => !isLater(one));
    const { name, checksum: expected } = entry;
    const reference = referenceFor(entry.image, expected);
    if (!isDeployed(entry, workloads)) {
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
 * Finds the containers that do not have the images of a version, which may be a release and a patch of it. The registry tells whether another checksum is the same
 * image, such as one platform of an index, and what a container that does not run now would run, such as that of a CronJob.
 */
export async function findDifferences(
  versions: readonly Version[],
  workloads: readonly Workload[],
  { findImages, referenceFor }: Pick<Deployment, 'findImages' | 'referenceFor'>,
): Promise<readonly Difference[]> {
  const suspects = versions.flatMap((version, n) =>
    suspectsOf(version, versions.slice(n + 1), workloads, referenceFor),
  );
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
  const message =
    'When the failed job was abandoned with adopt, no database instance accepted writes. Once one accepts them, set isReadOnly=false at mode.';
  return { isReadOnly: true, message, setBy: 'hand' };
}

/** What differs between a deployment and a version. */
export interface Differences {
  readonly differences: readonly Difference[];
  readonly objects: readonly ObjectDifference[];
  /** What a failed job has left undone. */
  readonly unfinished: readonly string[];
}

function objectText({ object, isAbsent, fields, reasons }: ObjectDifference): string {
  if (isAbsent) return `${object}: does not exist`;
  return fields.length === 0
    ? `${object}: could not be compared: ${reasons.join(' ')}`
    : `${object}: differs in ${listed(fields)}`;
}

export function adoptionRefusal(version: Version, { differences, objects, unfinished }: Differences): StewardError {
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
  const all = [...details, ...objects.map(objectText)];
  const isElsewhere =
    differences.length === version.containers.length && differences.every(({ workload }) => workload === '');
  const message = isElsewhere
    ? `The deployment has no workload with a container of ${name}. Check that Steward is configured for the right deployment and selects its workloads.`
    : `The deployment does not run ${name}: ${differences.length} of ${version.containers.length} containers differ${objects.length === 0 ? '' : `, and ${counted(objects.length, 'object')}`}. Adopt the version that runs, or send force=true to record ${name} anyway.`;
  return new StewardError('conflict', message, { details: all.slice(0, MAX_DETAILS) });
}
