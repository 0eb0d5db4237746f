import { SECOND } from '../../../foundation/clock.ts';
import { imageNames } from '../../plan/images.ts';
import type { Failure, Remedy } from '../../../model/failure.ts';
import type { Act } from '../../ports/deployment.ts';

/** Where a person finds out why an act does not finish, and what limits it. */
function timeoutAdvice(what: string, { kind }: Act, deadlineMs: number): string {
  const longer = `If it only needs longer, raise STEWARD_UPGRADE_DEADLINE_SECONDS (now ${Math.round(deadlineMs / SECOND)}) and restart the server.`;
  if (kind === 'images')
    return `Read the logs of the pods of \`${what}\` while its rollout runs (after a rollback: during the next attempt), and correct the cause that they or the last state show. ${longer}`;
  if (kind === 'hook')
    return `Read the logs of this hook, and correct the cause that they or the last state show. ${longer}`;
  if (kind === 'database')
    return `Read the logs of the database instances, and correct the cause that they or the last state show. ${longer}`;
  return `Correct what the last state names. ${longer}`;
}

export function timedOut(what: string, act: Act, deadlineMs: number, detail: string): Failure {
  return {
    reason: `\`${what}\` was not done within ${Math.round(deadlineMs / SECOND)} s, the time limit of a step. Steward does not know why. Last state: ${detail}.`,
    lines: [],
    advice: timeoutAdvice(what, act, deadlineMs),
  };
}

/** `remedy` is what the driver says about it, if it says anything. */
export function unreachable(what: string, deadlineMs: number, reason: string, remedy?: Remedy): Failure {
  return {
    reason: `The deployment did not answer for ${Math.round(deadlineMs / SECOND)} s, while Steward waited for \`${what}\`. Last error: ${reason}.`,
    lines: [],
    advice: `Check that the API of the deployment is up and that Steward can reach it.${remedy === undefined ? '' : ` ${remedy.advice}`}`,
    nextActions: remedy?.nextActions,
  };
}

/** Names the workload that could not be changed, if the deployment did not name it. */
export function namingWorkload(workload: string, failure: Failure): Failure {
  if (failure.reason.includes(`\`${workload}\``)) return failure;
  return { ...failure, reason: `\`${workload}\` could not be changed. ${failure.reason}` };
}

/** `changedBy` is who changed it, if the deployment knows. */
export function vanished(what: string, act: Act, changedBy?: string): Failure {
  if (act.kind !== 'images')
    return {
      reason: `\`${what}\` was started and no longer exists in the deployment.`,
      lines: [],
      advice: 'Find out who removed it.',
    };
  return {
    reason: `The image of \`${what}\` was changed by ${changedBy === undefined ? 'another controller or a person' : `\`${changedBy}\``} during the job. The job had set it to ${imageNames(act.images)}.`,
    lines: [],
    advice:
      changedBy === undefined
        ? `Find out what else manages \`${what}\` (a GitOps tool, an operator, a person) and pause it for the time of the job.`
        : `Stop what writes as \`${changedBy}\` for the time of the job, or change the image in its source.`,
  };
}
