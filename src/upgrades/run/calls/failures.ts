import { SECOND } from '../../../foundation/clock.ts';
import { imageNames } from '../../plan/images.ts';
import type { Failure } from '../../../model/failure.ts';
import type { Act } from '../../ports/deployment.ts';

export function timedOut(what: string, deadlineMs: number, detail: string): Failure {
  return {
    reason: `${what} was not done within ${Math.round(deadlineMs / SECOND)} s, the limit: ${detail}.`,
    lines: [],
    advice: `Find out why ${what} takes so long (events and logs of its pods), or allow it more with STEWARD_UPGRADE_DEADLINE_SECONDS; then try again.`,
  };
}

export function unreachable(what: string, deadlineMs: number, reason: string): Failure {
  return {
    reason: `The deployment did not answer as it should for ${Math.round(deadlineMs / SECOND)} s (${what}). The last answer: ${reason}.`,
    lines: [],
    advice: 'See whether the API of the deployment is up and can be reached from Steward, then try again.',
  };
}

export function vanished(what: string, act: Act): Failure {
  if (act.kind !== 'images')
    return {
      reason: `${what} was begun and has vanished.`,
      lines: [],
      advice: 'Find out who removed it, then try again.',
    };
  return {
    reason: `Somebody else changed the image of ${what} while the job was running; it should be ${imageNames(act.images)}.`,
    lines: [],
    advice: `Find out who manages ${what} besides Steward (a GitOps tool, an operator, a person), stop that for the time of the upgrade, then try again.`,
  };
}
