import type { Clock } from '../../foundation/clock.ts';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import type { Act, Deployment, Failure } from '../ports/deployment.ts';
import type { Lookout } from './observer.ts';
import { message } from '../journal/messages.ts';
import type { RunJournal } from '../journal/journalWriter.ts';
import { Stopped } from '../journal/journalWriter.ts';

export type Outcome =
  | { readonly kind: 'done'; readonly lines: readonly string[] }
  | { readonly kind: 'failed'; readonly fault: Failure }
  /** Something else has failed, or the job was cancelled: nobody waits for it any more. */
  | { readonly kind: 'abandoned' };

const TRY_AGAIN_AFTER_MS = [200, 500, SECOND, 2 * SECOND, 5 * SECOND] as const;

export interface ActingNeeds {
  readonly deployment: Deployment;
  readonly lookout: Lookout;
  readonly journal: RunJournal;
  readonly clock: Clock;
  readonly fence: number;
  readonly deadlineMs: number;
  /** The server stops, or the job is no longer ours. */
  readonly signal: AbortSignal;
}

function givenUp(what: string, deadlineMs: number, detail: string): Failure {
  return {
    reason: `${what} was not done within ${Math.round(deadlineMs / SECOND)} s, the limit: ${detail}.`,
    lines: [],
    advice: `Find out why ${what} takes so long (events and logs of its pods), or allow it more with STEWARD_UPGRADE_DEADLINE_SECONDS; then try again.`,
  };
}

function unreachable(what: string, deadlineMs: number, reason: string): Failure {
  return {
    reason: `The deployment did not answer as it should for ${Math.round(deadlineMs / SECOND)} s (${what}). The last answer: ${reason}.`,
    lines: [],
    advice: 'See whether the API of the deployment is up and can be reached from Steward, then try again.',
  };
}

function vanished(what: string, act: Act): Failure {
  if (act.kind !== 'images')
    return {
      reason: `${what} was begun and has vanished.`,
      lines: [],
      advice: 'Find out who removed it, then try again.',
    };
  return {
    reason: `Somebody else changed the image of ${what} while the job was running; it should be ${act.images.map(({ image }) => image).join(', ')}.`,
    lines: [],
    advice: `Find out who manages ${what} besides Steward (a GitOps tool, an operator, a person), stop that for the time of the upgrade, then try again.`,
  };
}

/** Begins acts and waits for them; trouble in asking is no verdict, only time is. */
export function createActing(needs: ActingNeeds) {
  const { deployment, lookout, journal, clock, signal } = needs;

  /** Tries for as long as a step may take; what the deployment answers is the end of it. */
  async function insist<T>(what: string, ask: () => Promise<T>): Promise<T | Failure> {
    const giveUpAt = clock.now() + needs.deadlineMs;
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw new Stopped();
      try {
        return await ask();
      } catch (error) {
        if (clock.now() >= giveUpAt) return unreachable(what, needs.deadlineMs, reasonOf(error));
        await clock.sleep(TRY_AGAIN_AFTER_MS[tries] ?? 5 * SECOND, signal);
      }
    }
  }

  async function begin(what: string, act: Act): Promise<Failure | undefined> {
    const begun = await insist(what, () => deployment.begin(act, needs.fence));
    if (!('kind' in begun)) return begun;
    if (begun.kind === 'overtaken') throw new Stopped();
    return begun.kind === 'refused' ? begun.fault : undefined;
  }

  async function tellOfWaiting(what: string, detail: string, beganAt: number, toldAt: number): Promise<number> {
    const minute = Math.floor((clock.now() - beganAt) / MINUTE);
    if (minute <= toldAt) return toldAt;
    const until = new Date(beganAt + needs.deadlineMs).toISOString();
    await journal.write({ say: [message(2960, { what, detail, until }, `waiting:${what}:${beganAt}:${minute}`)] });
    return minute;
  }

  /** Until it is done, has failed for good, or the deadline has passed. */
  async function wait(what: string, act: Act, beganAt: number, halt: AbortSignal): Promise<Outcome> {
    let told = 0;
    for (;;) {
      const look = await lookout.next(act);
      if (signal.aborted) throw new Stopped();
      if (look.state === 'done') return { kind: 'done', lines: look.lines };
      if (look.state === 'failed') return { kind: 'failed', fault: look.fault };
      if (look.state === 'absent') return { kind: 'failed', fault: vanished(what, act) };
      if (halt.aborted) return { kind: 'abandoned' };
      const detail = look.state === 'running' ? look.detail : `the deployment cannot be reached, ${look.reason}`;
      if (clock.now() - beganAt >= needs.deadlineMs)
        return {
          kind: 'failed',
          fault: (look.state === 'running' ? givenUp : unreachable)(what, needs.deadlineMs, detail),
        };
      told = await tellOfWaiting(what, detail, beganAt, told);
    }
  }

  return { insist, begin, wait };
}

export type Acting = ReturnType<typeof createActing>;
