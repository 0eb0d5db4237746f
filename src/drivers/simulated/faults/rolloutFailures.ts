import type { Failure } from '../../../model/failure.ts';
import type { Image } from '../../../model/workload.ts';
import type { FaultKind } from '../state/injectedFault.ts';
import { faultRemedy } from '../state/injectedFault.ts';
import { differingDigest, pinnedDigest } from '../state/images.ts';

interface FaultContext {
  readonly workload: string;
  readonly image: string;
  readonly faultId: string;
  /** How long the rollout would take without the fault. */
  readonly durationMs: number;
}

interface RolloutFailure extends Failure {
  readonly afterMs: number;
}

const RESTARTS = 5;

function crashLoop({ workload, image, faultId, durationMs }: FaultContext): RolloutFailure {
  return {
    afterMs: durationMs,
    reason: `The simulated workload \`${workload}\` does not start with the image ${image}: its container failed with exit code 1 and was restarted ${RESTARTS} times.`,
    lines: [
      `[simulated] ${workload} is starting`,
      '[simulated] FATAL: the setting "storage.address" is not set',
      '[simulated] exit code 1',
      `[simulated] CrashLoopBackOff after ${RESTARTS} restarts`,
    ],
    ...faultRemedy(faultId, `Set "storage.address" in the settings of \`${workload}\`, or correct its image.`),
  };
}

/** A kind that is not listed does not make a rollout fail. */
const FAILURES: Partial<Readonly<Record<FaultKind, (context: FaultContext) => RolloutFailure>>> = {
  imageAbsent: ({ workload, image, faultId, durationMs }) => ({
    afterMs: Math.min(1000, durationMs),
    reason: `The rollout of the simulated workload \`${workload}\` cannot succeed: the registry has no image ${image}.`,
    lines: [
      `[simulated] Pulling image "${image}"`,
      `[simulated] ErrImagePull: the registry answered 404 for "${image}"`,
    ],
    ...faultRemedy(faultId, `Push ${image} to the registry, or correct the manifest.`),
  }),
  imageUnpullable: ({ workload, image, faultId, durationMs }) => ({
    afterMs: Math.min(2000, durationMs),
    reason: `The rollout of the simulated workload \`${workload}\` cannot succeed: the registry has the image ${image}, but node-2 cannot pull it: the registry answered 401 Unauthorized.`,
    lines: [
      `[simulated] Pulling image "${image}"`,
      '[simulated] ErrImagePull: the registry answered 401 to node-2',
      '[simulated] ImagePullBackOff',
    ],
    ...faultRemedy(faultId, 'Give node-2 a pull secret that the registry accepts.'),
  }),
  checksumDiffers: ({ workload, image, faultId, durationMs }) => ({
    afterMs: durationMs,
    reason: `The simulated workload \`${workload}\` ran another build than the manifest names: the registry served ${differingDigest(image)} for ${image}.`,
    lines: [`[simulated] imageID ${differingDigest(image)}`],
    ...faultRemedy(
      faultId,
      'Find out why the registry serves another build under this name, and push the released one again.',
    ),
  }),
  crashLoop,
  heals: crashLoop,
};

/** When and how a rollout fails because of a fault; undefined for a fault that only delays it. */
export function rolloutFailure(kind: FaultKind, context: FaultContext): RolloutFailure | undefined {
  return FAILURES[kind]?.(context);
}

/** The failure of an image that is pinned to another digest than its expected checksum. */
export function mismatchFailure(workload: string, { image, checksum }: Image): Failure {
  return {
    reason: `The simulated workload \`${workload}\` ran another build than the manifest names: ${image} does not have the checksum ${checksum ?? '(unknown)'}.`,
    lines: [`[simulated] imageID ${pinnedDigest(image) ?? 'unknown'}`],
    advice: `Correct the checksum or the image of \`${workload}\` in the manifest, and import it again.`,
  };
}
