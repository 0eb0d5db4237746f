import type { ImageFinding } from '../../upgrades/ports/deployment.ts';
import type { Image } from '../../model/workload.ts';
import type { InjectedFault } from './faults/injectedFault.ts';
import { affectsWorkload, isSpent } from './faults/injectedFault.ts';
import type { WorkloadState } from './state/documents.ts';
import { rolloutStatus } from './acts/rollout.ts';
import { differingDigest, pinnedDigest, repositoryOf } from './state/images.ts';

const REGISTRY_FAULTS: ReadonlySet<InjectedFault['kind']> = new Set(['imageAbsent', 'checksumDiffers'] as const);

/** A workload takes an image when it has a container of that name, from a repository of that name. */
function usesRepository({ desired: told }: WorkloadState, image: Image): boolean {
  return told.some((one) => one.container === image.container && repositoryOf(one.image) === repositoryOf(image.image));
}

export function registryFaults(faults: readonly InjectedFault[], now: number): readonly InjectedFault[] {
  return faults.filter((fault) => REGISTRY_FAULTS.has(fault.kind) && !isSpent(fault, now));
}

function affectsImage(fault: InjectedFault, image: Image, workloads: readonly WorkloadState[], now: number): boolean {
  return workloads.some(
    (workload) =>
      affectsWorkload(fault, workload.name) &&
      usesRepository(workload, image) &&
      !rolloutStatus(workload, now).running.some(
        (one) => one.container === image.container && one.image === image.image,
      ),
  );
}

/** What the simulated registry says: it has every image, as named, unless a fault was put in. */
export function findImage(
  image: Image,
  {
    faults,
    workloads,
    now,
  }: {
    readonly faults: readonly InjectedFault[];
    readonly workloads: readonly WorkloadState[];
    readonly now: number;
  },
): ImageFinding {
  const fault = faults.find((one) => affectsImage(one, image, workloads, now));
  if (fault?.kind === 'imageAbsent')
    return { kind: 'absent', reason: `the simulated registry answered 404, by the fault ${fault.id}` };
  if (fault?.kind === 'checksumDiffers') return { kind: 'differs', found: differingDigest(image.image) };
  const pinned = pinnedDigest(image.image);
  if (pinned !== undefined && image.checksum !== undefined && pinned !== image.checksum)
    return { kind: 'differs', found: pinned };
  return { kind: 'found' };
}
