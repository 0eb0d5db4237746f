import type { Image } from '../../../model/workload.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Begun } from '../../../upgrades/ports/deployment.ts';
import { OTHER_MANAGER, conflictFault, faultRemedy, rolloutFault } from '../state/injectedFault.ts';
import type { Rollout, Snapshot, WorkloadState } from '../state/documents.ts';
import { activeFaults, settingsIn, workloadIn, workloadName } from '../state/documents.ts';
import { imagesMatch } from '../state/images.ts';
import { rolloutMsOf } from '../state/durations.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from './beginResult.ts';
import { rolloutStatus } from './rollout.ts';

function ownershipConflict(workload: string, manager: string, faultId: string | undefined): Failure {
  const advice = `Pause \`${manager}\`, or change the image in its source.`;
  return {
    reason: `The images of the simulated workload \`${workload}\` are managed by \`${manager}\`, which would revert a change.`,
    lines: [`[simulated] 409 Conflict: field manager "${manager}" owns the image field`],
    ...(faultId === undefined ? { advice } : faultRemedy(faultId, advice)),
  };
}

function blockedNow(workload: string, reason: string): Failure {
  return {
    reason: `The images of the simulated workload \`${workload}\` cannot be changed now: ${reason}.`,
    lines: [],
    advice: 'Remove this obstacle.',
  };
}

function unknownTarget(reason: string): Failure {
  return { reason, lines: [], advice: 'Compare the manifest with the inventory of the deployment.' };
}

/** The generation is the receipt: an observation that shows an older one is stale. */
function begunAt({ generation }: WorkloadState): Begun {
  return { kind: 'begun', receipt: String(generation) };
}

/** Starts a new rollout, or the same one again after it failed. */
function startRollout(workload: WorkloadState, requested: readonly Image[], snapshot: Snapshot): BeginResult {
  const { documents, now } = snapshot;
  const { desired: present, running } = rolloutStatus(workload, now);
  const desired = present.map((one) => requested.find(({ container }) => container === one.container) ?? one);
  const isRollback = imagesMatch(running, desired);
  const fault = rolloutFault(activeFaults(snapshot), workload.name, isRollback);
  const rollout: Rollout = {
    begun: now,
    durationMs: rolloutMsOf(workload.name, settingsIn(documents)),
    ...(fault && { fault: { id: fault.id, kind: fault.kind, seconds: fault.seconds } }),
  };
  const { trouble: _, ...kept } = workload;
  const generation = kept.generation + 1;
  // A manager that wrote the image fields once does not own them any more.
  const next: WorkloadState = { ...kept, generation, managers: [], desired, previous: running, rollout };
  return { ...started([[workloadName(next.name), next], ...countStrike(fault)]), begun: begunAt(next) };
}

export function beginImages(act: ActOf<'images'>, snapshot: Snapshot): BeginResult {
  const { documents, now } = snapshot;
  const workload = workloadIn(documents, act.workload);
  if (workload === undefined)
    return refused(unknownTarget(`The simulated deployment has no workload \`${act.workload}\`.`));
  const unknown = act.images.find(({ container }) => !workload.desired.some((one) => one.container === container));
  if (unknown !== undefined)
    return refused(
      unknownTarget(
        `The simulated workload \`${act.workload}\` has no container \`${unknown.container}\` for ${unknown.image}.`,
      ),
    );
  const { desired, observation } = rolloutStatus(workload, now);
  if (imagesMatch(desired, act.images) && observation.state !== 'failed')
    return { ...UNCHANGED, begun: begunAt(workload) };
  const conflict = conflictFault(activeFaults(snapshot), workload.name);
  const manager = workload.managers.find(({ reconciles }) => reconciles) ?? (conflict && OTHER_MANAGER);
  if (manager !== undefined && act.isAcknowledged !== true)
    return refused(ownershipConflict(workload.name, manager.name, conflict?.id), countStrike(conflict));
  if (workload.blocked !== undefined) return refused(blockedNow(workload.name, workload.blocked));
  return startRollout(workload, act.images, snapshot);
}
