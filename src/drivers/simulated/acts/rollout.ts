import type { Image } from '../../../model/workload.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import { faultDurationMs, faultRemedy } from '../state/injectedFault.ts';
import { mismatchFailure, rolloutFailure } from '../faults/rolloutFailures.ts';
import type { Rollout, WorkloadState } from '../state/documents.ts';
import { isMismatched, isSameImage, withDigest } from '../state/images.ts';

export interface RolloutStatus {
  /** The images of the workload's specification: the previous ones again, once another manager has put them back. */
  readonly desired: readonly Image[];
  readonly running: readonly Image[];
  readonly observation: Exclude<Observation, { readonly state: 'absent' }>;
  /** While replicas are replaced. */
  readonly progress?: { readonly done: number; readonly total: number };
}

const DONE = { state: 'done', lines: [] } as const;

/** One second after they were set, and in any case before their rollout is complete. */
function putBackAfter(durationMs: number): number {
  return Math.min(1000, durationMs);
}

/** The last replica is replaced when the rollout is complete. */
function updatedReplicas({ replicas }: WorkloadState, rollout: Rollout, elapsed: number): number {
  return Math.min(replicas - 1, Math.floor(shareAt(rollout, elapsed) * replicas));
}

function failureAt(workload: WorkloadState, { durationMs, fault }: Rollout, elapsed: number): Failure | undefined {
  const { name, desired, previous } = workload;
  const mismatched = desired.find(isMismatched);
  if (mismatched !== undefined && elapsed >= durationMs) return mismatchFailure(name, mismatched);
  if (fault === undefined) return undefined;
  const isNew = (image: Image): boolean => !previous.some((one) => isSameImage(one, image));
  const image = (desired.find(isNew) ?? desired[0])?.image ?? '';
  const failing = rolloutFailure(fault.kind, { workload: name, image, faultId: fault.id, durationMs });
  if (failing === undefined || elapsed < failing.afterMs) return undefined;
  if (fault.kind === 'heals' && elapsed >= failing.afterMs + faultDurationMs(fault)) return undefined;
  const { afterMs: _, ...failure } = failing;
  return failure;
}

/** The images that were put back run again after a second rollout. */
function afterPutBack({ previous }: WorkloadState, { durationMs }: Rollout, elapsed: number): RolloutStatus {
  const isOver = elapsed >= putBackAfter(durationMs) + durationMs;
  const observation = isOver ? DONE : ({ state: 'running', detail: 'the previous images are being restored' } as const);
  return { desired: previous, running: previous, observation };
}

/** The part of the replicas that is replaced. With the fault `slow` it stays at none; with `nodeLost` it stops half-way for a while. */
function shareAt({ durationMs, fault }: Rollout, elapsed: number): number {
  if (fault?.kind === 'slow') return 0;
  const share = (ms: number): number => ms / Math.max(durationMs, 1);
  if (fault?.kind !== 'nodeLost' || elapsed < durationMs / 2) return share(elapsed);
  return isNodeAway(fault, durationMs, elapsed) ? 0.5 : share(elapsed - faultDurationMs(fault));
}

function isNodeAway(fault: NonNullable<Rollout['fault']>, durationMs: number, elapsed: number): boolean {
  const half = durationMs / 2;
  return fault.kind === 'nodeLost' && elapsed >= half && elapsed < half + faultDurationMs(fault);
}

function noteAt({ durationMs, fault }: Rollout, elapsed: number): string {
  if (fault?.kind === 'slow')
    return `; the newest one has started, but its readiness probe GET /ready answers 503 (a simulated fault: remove it with POST demo/faults/remove and id=${fault.id})`;
  const isAway = fault !== undefined && isNodeAway(fault, durationMs, elapsed);
  return isAway ? '; a node was lost, and the other replicas wait for a new one' : '';
}

/** What keeps a rollout from going on, as far as it is known. */
function troubleOf({ fault }: Rollout, detail: string): Failure | undefined {
  if (fault?.kind !== 'slow') return undefined;
  return {
    reason: `${detail}.`,
    lines: ['[simulated] GET /ready 503: waiting for the cache'],
    ...faultRemedy(fault.id, 'Correct what keeps the newest replica from being ready.'),
  };
}

/**
 * The time of the last progress. A rollout replaces its replicas one by one, at equal intervals. With the fault `slow` it replaces
 * none; with `nodeLost` it stops half-way until the node is back.
 */
function movedAt({ replicas }: WorkloadState, { begun, durationMs, fault }: Rollout, now: number): number {
  if (fault?.kind === 'slow') return begun;
  const perReplicaMs = Math.max(1, durationMs / replicas);
  const isNodeLost = fault?.kind === 'nodeLost' && now < begun + durationMs / 2 + faultDurationMs(fault);
  const until = isNodeLost ? Math.min(now, begun + durationMs / 2) : now;
  return begun + Math.floor((until - begun) / perReplicaMs) * perReplicaMs;
}

/** Derives the status of a workload at a time from what was written when its rollout began. */
export function rolloutStatus(workload: WorkloadState, now: number): RolloutStatus {
  const { desired, previous, rollout } = workload;
  if (rollout === undefined) return { desired, running: desired, observation: DONE };
  const elapsed = now - rollout.begun;
  const { durationMs, fault } = rollout;
  if (fault?.kind === 'putBack' && elapsed >= putBackAfter(durationMs)) return afterPutBack(workload, rollout, elapsed);
  const failure = failureAt(workload, rollout, elapsed);
  if (failure !== undefined) return { desired, running: previous, observation: { state: 'failed', failure } };
  const endsAfter = durationMs + (fault?.kind === 'nodeLost' ? faultDurationMs(fault) : 0);
  if (fault?.kind !== 'slow' && elapsed >= endsAfter)
    return { desired, running: desired.map(withDigest), observation: DONE };
  const progress = { done: updatedReplicas(workload, rollout, elapsed), total: workload.replicas };
  const detail = `${progress.done} of ${progress.total} replicas run the requested image${noteAt(rollout, elapsed)}`;
  const trouble = troubleOf(rollout, detail);
  return {
    desired,
    running: previous,
    observation: { state: 'running', detail, movedAt: movedAt(workload, rollout, now), ...(trouble && { trouble }) },
    progress,
  };
}
