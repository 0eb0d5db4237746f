import type { ImageFinding } from '../../upgrades/ports/deployment.ts';
import type { Image } from '../../model/workload.ts';
import type { PutInFault } from './faults/injectedFault.ts';
import { isOf, isSpent } from './faults/injectedFault.ts';
import type { WorkloadState } from './state/documents.ts';
import { standingOf } from './acts/rollout.ts';
import { differingDigest, pinnedDigest, repositoryOf } from './state/images.ts';

const OF_REGISTRY: ReadonlySet<PutInFault['kind']> = new Set(['imageAbsent', 'checksumDiffers'] as const);

/** A workload takes an image when it has a container of that name, from a repository of that name. */
function takes({ told }: WorkloadState, image: Image): boolean {
  return told.some((one) => one.container === image.container && repositoryOf(one.image) === repositoryOf(image.image));
}

export function registryFaults(faults: readonly PutInFault[], now: number): readonly PutInFault[] {
  return faults.filter((fault) => OF_REGISTRY.has(fault.kind) && !isSpent(fault, now));
}

function strikes(fault: PutInFault, image: Image, workloads: readonly WorkloadState[], now: number): boolean {
  return workloads.some(
    (workload) =>
      isOf(fault, workload.name) &&
      takes(workload, image) &&
      !standingOf(workload, now).running.some((one) => one.container === image.container && one.image === image.image),
  );
}

/** What the simulated registry says: it has every image, as named, unless a fault was put in. */
export function findingOf(
  image: Image,
  {
    faults,
    workloads,
    now,
  }: {
    readonly faults: readonly PutInFault[];
    readonly workloads: readonly WorkloadState[];
    readonly now: number;
  },
): ImageFinding {
  const fault = faults.find((one) => strikes(one, image, workloads, now));
  if (fault?.kind === 'imageAbsent')
    return { kind: 'absent', reason: `the simulated registry answered 404, by the fault ${fault.id}` };
  if (fault?.kind === 'checksumDiffers') return { kind: 'differs', found: differingDigest(image.image) };
  const pinned = pinnedDigest(image.image);
  if (pinned !== undefined && image.checksum !== undefined && pinned !== image.checksum)
    return { kind: 'differs', found: pinned };
  return { kind: 'found' };
}
