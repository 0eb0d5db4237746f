import type { Failure } from '../../../model/failure.ts';
import { OTHER_MANAGER, conflictFault, rolloutFault } from '../state/injectedFault.ts';
import type { Snapshot } from '../state/documents.ts';
import { activeFaults, workloadIn } from '../state/documents.ts';
import { imagesMatch } from '../state/images.ts';
import type { ActOf, BeginResult } from './beginResult.ts';
import { UNCHANGED, countStrike, refused } from './beginResult.ts';
import { rolloutStatus } from './rollout.ts';
import { begunAt, blockedNow, ownershipConflict, startRollout } from './startRollout.ts';

function unknownTarget(reason: string): Failure {
  return { reason, lines: [], advice: 'Compare the manifest with the inventory of the deployment.' };
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
  const { desired: present, running, observation } = rolloutStatus(workload, now);
  if (imagesMatch(present, act.images) && observation.state !== 'failed')
    return { ...UNCHANGED, begun: begunAt(workload) };
  const active = activeFaults(snapshot);
  const conflict = conflictFault(active, workload.name);
  const manager = workload.managers.find(({ reconciles }) => reconciles) ?? (conflict && OTHER_MANAGER);
  if (manager !== undefined && act.isAcknowledged !== true)
    return refused(ownershipConflict(workload.name, manager.name, conflict?.id), countStrike(conflict));
  if (workload.blocked !== undefined) return refused(blockedNow(workload.name, workload.blocked));
  const desired = present.map((one) => act.images.find(({ container }) => container === one.container) ?? one);
  const fault = rolloutFault(active, workload.name, imagesMatch(running, desired));
  return startRollout(workload, { desired, running }, fault, snapshot);
}
