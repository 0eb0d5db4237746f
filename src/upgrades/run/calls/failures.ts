import { SECOND } from '../../../foundation/clock.ts';
import { sentence } from '../../../foundation/text/sentence.ts';
import { imageNames } from '../../versions/images.ts';
import type { Failure, Outage } from '../../../model/failure.ts';
import type { Act } from '../../ports/deployment.ts';

function longerText(deadlineMs: number): string {
  return `If it only needs longer, raise STEWARD_UPGRADE_DEADLINE_SECONDS (now ${Math.round(deadlineMs / SECOND)}) and restart the server.`;
}

/** Where a person finds out why an act does not finish, and what limits it. */
function timeoutAdvice(what: string, { kind }: Act, deadlineMs: number): string {
  const longer = longerText(deadlineMs);
  if (kind === 'images')
    return `Read the logs of the pods of \`${what}\` while its rollout runs (after a rollback: during the next attempt), and correct the cause that they or the last state show. ${longer}`;
  if (kind === 'object')
    return `Correct what keeps \`${what}\` from being ready: the last state, its events and its conditions show it. ${longer}`;
  if (kind === 'hook')
    return `Read the logs of this hook, and correct the cause that they or the last state show. ${longer}`;
  if (kind === 'database')
    return `Read the logs of the database instances, and correct the cause that they or the last state show. ${longer}`;
  return `Correct what the last state names. ${longer}`;
}

/** `trouble` is the last one that the deployment has told. Without one, a person has to find it. */
export function timedOut(what: string, act: Act, deadlineMs: number, detail: string, trouble?: Failure): Failure {
  const late = `\`${what}\` was not done within ${Math.round(deadlineMs / SECOND)} s, the time limit of a step`;
  if (trouble === undefined)
    return {
      reason: `${late}. Steward does not know why. Last state: ${sentence(detail)}`,
      lines: [],
      advice: timeoutAdvice(what, act, deadlineMs),
    };
  return { ...trouble, reason: `${late}: ${trouble.reason}`, advice: `${trouble.advice} ${longerText(deadlineMs)}` };
}

export function unreachable(what: string, deadlineMs: number, { reason, remedy, isAnswer }: Outage): Failure {
  const seconds = Math.round(deadlineMs / SECOND);
  if (isAnswer === true)
    return {
      reason: `The deployment has answered with errors for ${seconds} s, while Steward waited for \`${what}\`. Last error: ${sentence(reason)}`,
      lines: [],
      advice: remedy?.advice ?? 'Correct what the error names.',
      nextActions: remedy?.nextActions,
    };
  return {
    reason: `The deployment did not answer for ${seconds} s, while Steward waited for \`${what}\`. Last error: ${sentence(reason)}`,
    lines: [],
    advice: `Check that the API of the deployment is up and that Steward can reach it.${remedy === undefined ? '' : ` ${remedy.advice}`}`,
    nextActions: remedy?.nextActions,
  };
}

/** Adds the last trouble that was seen before the deployment could not be observed any more. */
export function afterTrouble(failure: Failure, trouble: Failure | undefined): Failure {
  if (trouble === undefined) return failure;
  const { reason, lines, advice } = trouble;
  return { reason: `${failure.reason} Before that: ${reason}`, lines, advice: `${failure.advice} ${advice}` };
}

/** Names the workload that could not be changed, if the deployment did not name it. */
export function namingWorkload(workload: string, failure: Failure): Failure {
  if (failure.reason.includes(`\`${workload}\``)) return failure;
  return { ...failure, reason: `\`${workload}\` could not be changed. ${failure.reason}` };
}

function changedObject(what: string, changedBy: string | undefined): Failure {
  return {
    reason: `\`${what}\` was changed by ${changedBy === undefined ? 'another controller or a person' : `\`${changedBy}\``} during the job, and is not what the job has made it.`,
    lines: [],
    advice:
      changedBy === undefined
        ? `Find out what else manages \`${what}\` (a GitOps tool, an operator, a person) and pause it for the time of the job.`
        : `Stop what writes as \`${changedBy}\` for the time of the job, or change the field in its source.`,
  };
}

/** `changedBy` is who changed it, if the deployment knows. */
export function vanished(what: string, act: Act, changedBy?: string): Failure {
  if (act.kind === 'object') return changedObject(what, changedBy);
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
