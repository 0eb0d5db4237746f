// Which containers do not run the images of a version although its job succeeded, and why. A version is complete if there are
// none. The plan, the end of a job and drift use the same rule, so that they never disagree.
import type { DeployedContainer } from '../../model/version/containerAddress.ts';
import { containerFinder, isDeployed } from '../../model/version/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import type { Image, Workload } from '../../model/workload.ts';
import type { Omission } from '../values/omission.ts';
import type { ReferenceFor } from './images.ts';
import { imagesOf, imagesToRun, isDrifted } from './images.ts';

type Named = (workload: Workload, container: string) => boolean;

function namedBy(versions: readonly Version[]): Named {
  const finders = versions.map(({ containers }) => containerFinder(containers));
  return (workload, container) => finders.some((find) => find(workload, container) !== undefined);
}

function containersWhere(
  workloads: readonly Workload[],
  is: (workload: Workload, image: Image, n: number) => boolean,
): readonly DeployedContainer[] {
  return workloads.flatMap((workload) =>
    workload.images.filter((image, n) => is(workload, image, n)).map((image) => ({ workload, image })),
  );
}

export function deployedName({ workload, image }: DeployedContainer): string {
  return `${workload.name}/${image.container}`;
}

/** The containers that versions need and no workload has. */
export function absentContainers(versions: readonly Version[], workloads: readonly Workload[]): readonly string[] {
  const entries = versions.flatMap(({ containers }) => containers);
  return [...new Set(entries.filter((entry) => !isDeployed(entry, workloads)).map(({ name }) => name))];
}

/** The versions that make up the current one: the last release and its patches. */
function currentLine(versions: readonly Version[]): number {
  const release = versions.findLastIndex(({ update }) => update === 'release');
  return Math.max(0, release);
}

/** The containers that the last release and its patches do not name although an earlier version does. Versions are oldest first. */
export function leftOutContainers(
  versions: readonly Version[],
  workloads: readonly Workload[],
): readonly DeployedContainer[] {
  const begin = currentLine(versions);
  const [wasNamed, isNamed] = [namedBy(versions.slice(0, begin)), namedBy(versions.slice(begin))];
  return containersWhere(workloads, (workload, { container }) => {
    return wasNamed(workload, container) && !isNamed(workload, container);
  });
}

/** Finds what versions, oldest first, leave out: what the deployment lacks, and what keeps the image of an earlier version. */
export function omissionsOf(versions: readonly Version[], workloads: readonly Workload[]): readonly Omission[] {
  const current = versions.slice(currentLine(versions));
  return [
    ...absentContainers(current, workloads).map((container) => ({ container, why: 'absent' as const })),
    ...leftOutContainers(versions, workloads).map((one) => ({ container: deployedName(one), why: 'leftOut' as const })),
  ];
}

/** Adds the containers that certainly run another image than that of the versions. */
export function incompleteParts(
  versions: readonly Version[],
  workloads: readonly Workload[],
  referenceFor: ReferenceFor,
): readonly Omission[] {
  const imagesFor = imagesOf(referenceFor, versions);
  const others = containersWhere(workloads, (workload, _, n) =>
    isDrifted(imagesToRun(workload).slice(n, n + 1), imagesFor(workload).slice(n, n + 1)),
  );
  return [
    ...omissionsOf(versions, workloads),
    ...others.map((one) => ({ container: deployedName(one), why: 'otherImage' as const })),
  ];
}
