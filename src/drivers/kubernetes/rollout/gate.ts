// When the rollout of a workload is complete: by the counters of its controller, for the generation that the change made.
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { numberAt } from '../api/objectFields.ts';
import type { WorkloadKind } from '../workloads/podTemplate.ts';

/** The counters of a controller. `missing` says what is not complete yet; undefined if all is. */
export interface RolloutCount {
  readonly done: number;
  readonly total: number;
  readonly missing: string | undefined;
}

function counter({ status }: ClusterObject, name: string): number {
  return numberAt(status, name) ?? 0;
}

function replicasOf({ spec }: ClusterObject): number {
  return numberAt(spec, 'replicas') ?? 1;
}

function firstOf(...checks: readonly (readonly [boolean, string])[]): string | undefined {
  return checks.find(([isMissing]) => isMissing)?.[1];
}

function countDeployment(object: ClusterObject): RolloutCount {
  const total = replicasOf(object);
  const [updated, replicas] = [counter(object, 'updatedReplicas'), counter(object, 'replicas')];
  const available = counter(object, 'availableReplicas');
  const terminating = counter(object, 'terminatingReplicas');
  const done = Math.min(updated, available, total);
  const missing = firstOf(
    [updated < total, `${updated} of ${total} replicas run the requested image`],
    [available < total, `${available} of ${total} replicas are available`],
    // The old replicas stay until the new ones are available; all are counted as available together.
    [
      replicas > updated && available < replicas,
      `${replicas - available} of ${replicas} replicas, old and new, are not available`,
    ],
    [replicas > updated, `old replicas that are being removed: ${replicas - updated}`],
    [terminating > 0, `old replicas that are ending: ${terminating}`],
  );
  return { done, total, missing };
}

function countStatefulSet(object: ClusterObject): RolloutCount {
  const total = replicasOf(object);
  const [updated, ready] = [counter(object, 'updatedReplicas'), counter(object, 'readyReplicas')];
  // Servers before 1.22 do not have availableReplicas.
  const available = numberAt(object.status, 'availableReplicas') ?? ready;
  const { currentRevision: current, updateRevision: update } = isObject(object.status) ? object.status : {};
  const isRevisionOld = total > 0 && current !== update;
  const missing = firstOf(
    // A set whose revision is complete counts its replicas as current, not as updated.
    [isRevisionOld && updated < total, `${updated} of ${total} replicas run the requested image`],
    [ready < total, `${ready} of ${total} replicas are ready`],
    [available < total, `${available} of ${total} replicas are available`],
    [isRevisionOld, 'the controller has not confirmed the new revision yet'],
  );
  return { done: Math.min(isRevisionOld ? updated : total, ready, total), total, missing };
}

function countDaemonSet(object: ClusterObject): RolloutCount {
  const total = counter(object, 'desiredNumberScheduled');
  const [updated, available] = [counter(object, 'updatedNumberScheduled'), counter(object, 'numberAvailable')];
  const missing = firstOf(
    [updated < total, `${updated} of ${total} nodes run the requested image`],
    [available < total, `${available} of ${total} nodes are available`],
  );
  return { done: Math.min(updated, available, total), total, missing };
}

/** A CronJob runs its new image the next time; there is nothing to wait for. */
const COUNTS: Readonly<Record<WorkloadKind, (object: ClusterObject) => RolloutCount>> = {
  Deployment: countDeployment,
  StatefulSet: countStatefulSet,
  DaemonSet: countDaemonSet,
  CronJob: () => ({ done: 1, total: 1, missing: undefined }),
};

/** What is missing for a workload to be healthy, whatever its controller has still to see; undefined if nothing is. */
export function shortageOf(kind: WorkloadKind, object: ClusterObject): string | undefined {
  return COUNTS[kind](object).missing;
}

/** How far a rollout is; undefined if it is complete. */
export function runningRollout(
  kind: WorkloadKind,
  object: ClusterObject,
): Pick<RolloutCount, 'done' | 'total'> | undefined {
  const { done, total, missing } = COUNTS[kind](object);
  return missing === undefined ? undefined : { done, total };
}

/** Counts a rollout. `generation` is the one that the change made; undefined for the present one. */
export function countRollout(kind: WorkloadKind, object: ClusterObject, generation: number | undefined): RolloutCount {
  const expected = Math.max(generation ?? 0, object.metadata.generation ?? 0);
  const isSeen = kind === 'CronJob' || counter(object, 'observedGeneration') >= expected;
  const count = COUNTS[kind](object);
  return isSeen ? count : { ...count, done: 0, missing: 'the controller has not seen the change yet' };
}
