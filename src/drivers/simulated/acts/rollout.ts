import type { Failure, Observation } from '../../../upgrades/ports/deployment.ts';
import type { Image } from '../../../model/workload.ts';
import { faultDurationMs } from '../faults/injectedFault.ts';
import { isSameImage, mismatchedImage, withDigest } from '../state/images.ts';
import { failureOf, mismatchFailure } from '../faults/rolloutFailures.ts';
import type { Rollout, WorkloadState } from '../state/documents.ts';

export interface RolloutStatus {
  /** What it is told now: another than was begun, once somebody has put the images back. */
  readonly desired: readonly Image[];
  readonly running: readonly Image[];
  readonly observation: Exclude<Observation, { readonly state: 'absent' }>;
}

const DONE = { state: 'done', lines: [] } as const;

/** About a second after they were set, and in any case before their rollout is complete. */
function putBackAfter(durationMs: number): number {
  return Math.min(1000, durationMs);
}

function detailOf({ replicas }: WorkloadState, share: number, more = ''): string {
  const updated = Math.min(replicas - 1, Math.floor(share * replicas));
  return `${updated} of ${replicas} replicas run the new image${more}`;
}

function failureAt(
  workload: WorkloadState,
  { durationMs, fault: struck }: Rollout,
  elapsed: number,
): Failure | undefined {
  const wrong = mismatchedImage(workload.desired);
  if (wrong !== undefined && elapsed >= durationMs) return mismatchFailure(workload.name, wrong);
  if (struck === undefined) return undefined;
  const isNew = (image: Image): boolean => !workload.previous.some((one) => isSameImage(one, image));
  const image = (workload.desired.find(isNew) ?? workload.desired[0])?.image ?? '';
  const failure = failureOf(struck.kind, { workload: workload.name, image, id: struck.id, durationMs });
  return failure !== undefined && elapsed >= failure.afterMs ? failure.fault : undefined;
}

/** Once put back, the images that ran before run again after one more rollout. */
function afterPutBack({ previous: before }: WorkloadState, { durationMs }: Rollout, elapsed: number): RolloutStatus {
  const isOver = elapsed >= putBackAfter(durationMs) + durationMs;
  const seen = isOver ? DONE : ({ state: 'running', detail: 'the former images are put back' } as const);
  return { desired: before, running: before, observation: seen };
}

function detailNow(workload: WorkloadState, { durationMs, fault: struck }: Rollout, elapsed: number): string {
  if (struck?.kind === 'slow')
    return detailOf(workload, 0, '; the newest one has started, but its readiness probe fails again and again');
  const half = durationMs / 2;
  if (struck?.kind !== 'nodeLost' || elapsed < half) return detailOf(workload, elapsed / Math.max(durationMs, 1));
  const lost = faultDurationMs(struck);
  if (elapsed < half + lost) return detailOf(workload, 0.5, '; a node was lost, and the others wait for another');
  return detailOf(workload, (elapsed - lost) / Math.max(durationMs, 1));
}

/** Where a workload stands at an instant: a function of what was written when its rollout was begun. */
export function rolloutStatus(workload: WorkloadState, now: number): RolloutStatus {
  const { desired: told, previous: before, rollout } = workload;
  if (rollout === undefined) return { desired: told, running: told, observation: DONE };
  const elapsed = now - rollout.begun;
  const { durationMs, fault: struck } = rollout;
  if (struck?.kind === 'putBack' && elapsed >= putBackAfter(durationMs))
    return afterPutBack(workload, rollout, elapsed);
  const fault = failureAt(workload, rollout, elapsed);
  if (fault !== undefined) return { desired: told, running: before, observation: { state: 'failed', fault } };
  const endsAfter = durationMs + (struck?.kind === 'nodeLost' ? faultDurationMs(struck) : 0);
  if (struck?.kind !== 'slow' && elapsed >= endsAfter)
    return { desired: told, running: told.map(withDigest), observation: DONE };
  return {
    desired: told,
    running: before,
    observation: { state: 'running', detail: detailNow(workload, rollout, elapsed) },
  };
}
