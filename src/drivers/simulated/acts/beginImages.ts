import type { Failure } from '../../../upgrades/ports/deployment.ts';
import type { Image } from '../../../model/workload.ts';
import type { ActOf, BeginResult, Snapshot } from './beginResult.ts';
import { UNCHANGED, countStrike, refused, started } from './beginResult.ts';
import { OTHER_MANAGER, conflictFault, rolloutFault, removalAdvice } from '../faults/injectedFault.ts';
import { imagesMatch } from '../state/images.ts';
import { rolloutStatus } from './rollout.ts';
import type { Rollout, WorkloadState } from '../state/documents.ts';
import { faultsIn, settingsIn, workloadIn, workloadName } from '../state/documents.ts';
import { rolloutMsOf } from '../state/timing.ts';

function ownershipConflict(workload: string, owner: string, id: string | undefined): Failure {
  return {
    reason: `The images of the simulated workload ${workload} belong to another manager, ${owner}, which would put them back.`,
    lines: [`[simulated] 409 Conflict: field manager "${owner}" owns the image field`],
    advice: `Let ${owner} give up the image field of ${workload}, or change the image there. ${id === undefined ? 'Then retry.' : removalAdvice(id)}`,
  };
}

function unknownTarget(reason: string): Failure {
  return { reason, lines: [], advice: 'Compare the manifest with the inventory of the deployment, and start again.' };
}

function mergeImages(told: readonly Image[], asked: readonly Image[]): readonly Image[] {
  return told.map((one) => asked.find(({ container }) => container === one.container) ?? one);
}

/** A new rollout, or the same once more where it has failed. */
function startRollout(
  workload: WorkloadState,
  asked: readonly Image[],
  { documents: found, now }: Snapshot,
): BeginResult {
  const { desired: before, running } = rolloutStatus(workload, now);
  const told = mergeImages(before, asked);
  const fault = rolloutFault(faultsIn(found), workload.name, { now, isGoingBack: imagesMatch(running, told) });
  const rollout: Rollout = {
    begun: now,
    durationMs: rolloutMsOf(workload.name, settingsIn(found)),
    ...(fault && { fault: { id: fault.id, kind: fault.kind, seconds: fault.seconds } }),
  };
  const { trouble: _, ...kept } = workload;
  const next: WorkloadState = { ...kept, generation: kept.generation + 1, desired: told, previous: running, rollout };
  return started(new Map<string, unknown>([[workloadName(next.name), next], ...countStrike(fault)]));
}

export function beginImages(act: ActOf<'images'>, moment: Snapshot): BeginResult {
  const { documents: found, now } = moment;
  const workload = workloadIn(found, act.workload);
  if (workload === undefined) return refused(unknownTarget(`There is no simulated workload ${act.workload}.`));
  const stray = act.images.find(({ container }) => !workload.desired.some((one) => one.container === container));
  if (stray !== undefined)
    return refused(
      unknownTarget(`The simulated workload ${act.workload} has no container ${stray.container} for ${stray.image}.`),
    );
  const { desired: told, observation: seen } = rolloutStatus(workload, now);
  if (imagesMatch(told, act.images) && seen.state !== 'failed') return UNCHANGED;
  const other = conflictFault(faultsIn(found), workload.name, now);
  const owner = workload.owner ?? (other && OTHER_MANAGER);
  if (owner !== undefined) return refused(ownershipConflict(workload.name, owner, other?.id), countStrike(other));
  return startRollout(workload, act.images, moment);
}
