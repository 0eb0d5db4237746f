import type { Clock } from '../../foundation/clock.ts';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import { reasonOf } from '../../foundation/errors.ts';
import { waitKey } from '../journal/runState.ts';
import type { JournalWriter } from '../journal/journalWriter.ts';
import { SessionStopped } from '../journal/journalWriter.ts';
import { imageNames } from '../plan/images.ts';
import type { Act, Deployment, Failure } from '../ports/deployment.ts';
import type { Control } from './control.ts';
import type { Observer } from './observer.ts';

/** The answer of a call to the deployment that was retried until it succeeded or the deadline passed. */
export type Answered<T> = { readonly kind: 'answered'; readonly value: T } | Failed;

export type Performed =
  | { readonly kind: 'done'; readonly lines: readonly string[]; readonly tookMs: number }
  | Failed
  /** Not awaited any longer: something else failed, or the job was cancelled. */
  | { readonly kind: 'halted' };

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
}

const RETRY_AFTER_MS = [200, 500, SECOND, 2 * SECOND, 5 * SECOND] as const;

export interface PerformerOptions {
  readonly deployment: Deployment;
  readonly observer: Observer;
  readonly writer: JournalWriter;
  readonly clock: Clock;
  readonly fence: number;
  readonly deadlineMs: number;
  /** Aborts when the server stops or the lease is lost. */
  readonly signal: AbortSignal;
}

const failed = (failure: Failure): Failed => ({ kind: 'failed', failure });

function timedOut(what: string, deadlineMs: number, detail: string): Failure {
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
    reason: `Somebody else changed the image of ${what} while the job was running; it should be ${imageNames(act.images)}.`,
    lines: [],
    advice: `Find out who manages ${what} besides Steward (a GitOps tool, an operator, a person), stop that for the time of the upgrade, then try again.`,
  };
}

/**
 * Begins acts and waits for them. A failed request to the deployment is retried until the deadline; only an answer decides.
 */
export function createPerformer(options: PerformerOptions) {
  const { deployment, observer, writer, clock, deadlineMs, signal } = options;

  /** Repeats a call that fails, for as long as a step may take. */
  async function insist<T>(what: string, call: () => Promise<T>): Promise<Answered<T>> {
    const giveUpAt = clock.now() + deadlineMs;
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw new SessionStopped();
      try {
        return { kind: 'answered', value: await call() };
      } catch (error) {
        if (clock.now() >= giveUpAt) return failed(unreachable(what, deadlineMs, reasonOf(error)));
        await clock.sleep(RETRY_AFTER_MS[tries] ?? 5 * SECOND, signal);
      }
    }
  }

  /** Begins an act; undefined if the deployment accepted it. */
  async function begin(what: string, act: Act): Promise<Failed | undefined> {
    const answer = await insist(what, () => deployment.begin(act, options.fence));
    if (answer.kind === 'failed') return answer;
    if (answer.value.kind === 'overtaken') throw new SessionStopped();
    return answer.value.kind === 'refused' ? failed(answer.value.failure) : undefined;
  }

  /** Reports a long wait, at most once a minute, also across a takeover. */
  async function reportWait(what: string, detail: string, since: number): Promise<void> {
    const minute = Math.floor((clock.now() - since) / MINUTE);
    if (minute <= (writer.state().waits.get(waitKey(what, since)) ?? 0)) return;
    const until = new Date(since + deadlineMs).toISOString();
    await writer.append({ kind: 'waited', what, since, minute, detail, until });
  }

  /** Waits until an act is done, has failed permanently, or its deadline has passed. */
  async function wait(what: string, act: Act, since: number, control: Control): Promise<Performed> {
    for (;;) {
      const sighting = await observer.next(act);
      if (signal.aborted) throw new SessionStopped();
      if (sighting.state === 'done')
        return { kind: 'done', lines: sighting.lines, tookMs: Math.max(1, clock.now() - since) };
      if (sighting.state === 'failed') return failed(sighting.failure);
      if (sighting.state === 'absent') return failed(vanished(what, act));
      if (control.signal.aborted) return { kind: 'halted' };
      const isSeen = sighting.state === 'running';
      const detail = isSeen ? sighting.detail : `the deployment cannot be reached, ${sighting.reason}`;
      if (clock.now() - since >= deadlineMs)
        return failed(isSeen ? timedOut(what, deadlineMs, detail) : unreachable(what, deadlineMs, detail));
      await reportWait(what, detail, since);
    }
  }

  /** Begins an act and waits for its end. */
  async function perform(what: string, act: Act, control: Control): Promise<Performed> {
    const since = clock.now();
    return (await begin(what, act)) ?? wait(what, act, since, control);
  }

  return { insist, begin, wait, perform };
}

export type Performer = ReturnType<typeof createPerformer>;
