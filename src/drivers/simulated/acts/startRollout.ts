import type { Failure } from '../../../model/failure.ts';
import type { Image } from '../../../model/workload.ts';
import type { Begun } from '../../../upgrades/ports/deployment.ts';
import { rolloutMsOf } from '../state/durations.ts';
import type { Rollout, Snapshot, WorkloadState } from '../state/documents.ts';
import { settingsIn, workloadName } from '../state/documents.ts';
import type { FaultKind, InjectedFault } from '../state/injectedFault.ts';
import { faultRemedy } from '../state/injectedFault.ts';
import type { BeginResult } from './beginResult.ts';
import { countStrike, started } from './beginResult.ts';

export function ownershipConflict(workload: string, manager: string, faultId: string | undefined): Failure {
  const advice = `Pause \`${manager}\`, or change the image in its source.`;
  return {
    reason: `The images of the simulated workload \`${workload}\` are managed by \`${manager}\`, which would revert a change.`,
    lines: [`[simulated] 409 Conflict: field manager "${manager}" owns the image field`],
    ...(faultId === undefined ? { advice } : faultRemedy(faultId, advice)),
  };
}

export function blockedNow(workload: string, reason: string): Failure {
  return {
    reason: `The images of the simulated workload \`${workload}\` cannot be changed now: ${reason}.`,
    lines: [],
    advice: 'Remove this obstacle.',
  };
}

/** The generation is the receipt: an observation that shows an older one is stale. */
export function begunAt({ generation }: { readonly generation: number }): Begun {
  return { kind: 'begun', receipt: String(generation) };
}

/** What a fault of an object does to the rollout of its workload. */
const ROLLOUT_KINDS: Partial<Readonly<Record<FaultKind, FaultKind>>> = {
  objectReverted: 'putBack',
  objectNeverReady: 'slow',
};

interface RolloutImages {
  readonly desired: readonly Image[];
  /** Those that run now. */
  readonly running: readonly Image[];
}

/** Starts a new rollout, or the same one again after it failed. */
export function startRollout(
  workload: WorkloadState,
  { desired, running }: RolloutImages,
  fault: InjectedFault | undefined,
  { documents, now }: Snapshot,
): BeginResult {
  const rollout: Rollout = {
    begun: now,
    durationMs: rolloutMsOf(workload.name, settingsIn(documents)),
    ...(fault && { fault: { id: fault.id, kind: ROLLOUT_KINDS[fault.kind] ?? fault.kind, seconds: fault.seconds } }),
  };
  const { trouble: _, ...kept } = workload;
  const generation = kept.generation + 1;
  // A manager that wrote the image fields once does not own them any more.
  const next: WorkloadState = { ...kept, generation, managers: [], desired, previous: running, rollout };
  return { ...started([[workloadName(next.name), next], ...countStrike(fault)]), begun: begunAt(next) };
}
