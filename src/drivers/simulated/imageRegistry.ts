import type { Image } from '../../model/workload.ts';
import type { ImageFinding } from '../../upgrades/ports/deployment.ts';
import { rolloutStatus } from './acts/rollout.ts';
import type { InjectedFault } from './state/injectedFault.ts';
import { affectsWorkload, faultRemedy } from './state/injectedFault.ts';
import type { WorkloadState } from './state/documents.ts';
import { differingDigest, isMismatched, pinnedDigest, repositoryOf } from './state/images.ts';

export function registryFaults(active: readonly InjectedFault[]): readonly InjectedFault[] {
  return active.filter(({ kind }) => kind === 'imageAbsent' || kind === 'checksumDiffers');
}

/** Whether a workload has a container of the same name with an image from the same repository. */
function usesRepository({ desired }: WorkloadState, { container, image }: Image): boolean {
  return desired.some((one) => one.container === container && repositoryOf(one.image) === repositoryOf(image));
}

/** Images that run already are not affected: the nodes have them. */
function affectsImage(fault: InjectedFault, image: Image, workloads: readonly WorkloadState[], now: number): boolean {
  const isImage = (one: Image): boolean => one.container === image.container && one.image === image.image;
  return workloads.some(
    (workload) =>
      affectsWorkload(fault, workload.name) &&
      usesRepository(workload, image) &&
      !rolloutStatus(workload, now).running.some(isImage),
  );
}

/** Looks an image up in the simulated registry, which has every image unless an injected fault says otherwise. */
export function findImage(
  image: Image,
  context: {
    readonly faults: readonly InjectedFault[];
    readonly workloads: readonly WorkloadState[];
    readonly now: number;
  },
): ImageFinding {
  const fault = context.faults.find((one) => affectsImage(one, image, context.workloads, context.now));
  if (fault !== undefined) {
    const remedy = faultRemedy(fault.id);
    return fault.kind === 'imageAbsent'
      ? { kind: 'absent', reason: `the simulated registry answered 404 because of the fault ${fault.id}`, remedy }
      : { kind: 'differs', found: differingDigest(image.image), remedy };
  }
  return isMismatched(image)
    ? { kind: 'differs', found: pinnedDigest(image.image) ?? '' }
    : { kind: 'found', aliases: [] };
}
