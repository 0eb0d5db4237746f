import { SECOND } from '../../../foundation/clock.ts';
import { imageNames } from '../../plan/images.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Act } from '../../ports/deployment.ts';

export function timedOut(what: string, deadlineMs: number, detail: string): Failure {
  return {
    reason: `\`${what}\` was not done within ${Math.round(deadlineMs / SECOND)} s, the time limit of a step. Steward does not know why. Last state: ${detail}.`,
    lines: [],
    advice:
      'Correct what the last state names. If it names no cause, read the logs of its pods during the next try. If it only needs more time, raise STEWARD_UPGRADE_DEADLINE_SECONDS.',
  };
}

export function unreachable(what: string, deadlineMs: number, reason: string): Failure {
  return {
    reason: `The deployment did not answer for ${Math.round(deadlineMs / SECOND)} s, while Steward waited for \`${what}\`. Last error: ${reason}.`,
    lines: [],
    advice: 'Check that the API of the deployment is up and that Steward can reach it.',
  };
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
        : `Pause \`${changedBy}\` for the time of the job, or change the image in its source.`,
  };
}
