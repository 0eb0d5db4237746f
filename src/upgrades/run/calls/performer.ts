// Begins acts and waits for them. A failed request to the deployment is retried until the deadline; only an answer decides.
// Deadlines are counted from a time in the journal, so that a session that takes over does not start them again.
import type { Clock } from '../../../foundation/clock.ts';
import { MINUTE, SECOND } from '../../../foundation/clock.ts';
import { waitKey } from '../../journal/runState.ts';
import type { JournalWriter } from '../journalWriter.ts';
import { SessionStopped } from '../journalWriter.ts';
import type { Failure, Outage } from '../../../model/failure.ts';
import type { Act, BegunAct, Deployment, Observation } from '../../ports/deployment.ts';
import { DeploymentRefusal, outageOf } from '../../../model/failure.ts';
import type { Control } from '../control.ts';
import { afterTrouble, timedOut, unreachable, vanished } from './failures.ts';
import type { Observer } from './observer.ts';

/** Not awaited any longer: something else failed, or a person asked to pause or to cancel. */
export interface Halted {
  readonly kind: 'halted';
}

export interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
}

/** The answer of a call to the deployment that was retried until it succeeded or the deadline passed. */
export type Answered<T> = { readonly kind: 'answered'; readonly value: T } | Failed | Halted;

export type BeginOutcome = { readonly kind: 'begun'; readonly receipt: string | undefined } | Failed | Halted;

export type Performed =
  | { readonly kind: 'done'; readonly lines: readonly string[]; readonly tookMs: number }
  | Failed
  | Halted;

/** How long something may take, and what may end the wait for it. */
export interface Patience {
  readonly control: Control;
  readonly since: number;
}

const RETRY_AFTER_MS = [200, 500, SECOND, 2 * SECOND, 5 * SECOND] as const;
const FIRST_REPORT_MS = 10 * SECOND;

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

type Running = Extract<Observation, { readonly state: 'running' }>;

const HALTED: Halted = { kind: 'halted' };
const failed = (failure: Failure): Failed => ({ kind: 'failed', failure });

/** The number of reports that are due: one after 10 s, then one a minute. */
function reportsAfter(ms: number): number {
  return ms < FIRST_REPORT_MS ? 0 : 1 + Math.floor(ms / MINUTE);
}

/** What runs, and since when nothing has changed if that is long. */
function progressOf({ detail, movedAt }: Running, now: number): string {
  const idleMs = movedAt === undefined ? 0 : now - movedAt;
  return idleMs < MINUTE ? detail : `${detail}; no change for ${Math.floor(idleMs / MINUTE)} min`;
}

function outageText({ reason, isAnswer }: Outage): string {
  return `the deployment ${isAnswer === true ? 'answers with an error' : 'cannot be reached'} (${reason})`;
}

/** Resolves with the promise, or with undefined when the signal aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

export function createPerformer(options: PerformerOptions) {
  const { deployment, observer, writer, clock, deadlineMs, signal } = options;

  /** Reports a long wait, also across a takeover. */
  async function reportWait(what: string, detail: string, since: number): Promise<void> {
    const report = reportsAfter(clock.now() - since);
    if (report <= (writer.state().waits.get(waitKey(what, since)) ?? 0)) return;
    const until = new Date(since + deadlineMs).toISOString();
    await writer.append({ kind: 'waited', what, since, report, detail, until });
  }

  /** Repeats a call that fails, until it is answered or its time is over. */
  async function insist<T>(
    what: string,
    { control, since }: Patience,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<Answered<T>> {
    const halt = control.signal();
    const either = AbortSignal.any([signal, halt]);
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw new SessionStopped();
      if (halt.aborted) return HALTED;
      try {
        return { kind: 'answered', value: await call(either) };
      } catch (error) {
        if (error instanceof DeploymentRefusal) return failed(error.failure);
        if (either.aborted) continue;
        const outage = outageOf(error);
        if (clock.now() - since >= deadlineMs) return failed(unreachable(what, deadlineMs, outage));
        await reportWait(what, outageText(outage), since);
        await clock.sleep(RETRY_AFTER_MS[tries] ?? 5 * SECOND, either);
      }
    }
  }

  async function begin(what: string, act: Act, patience: Patience): Promise<BeginOutcome> {
    const answer = await insist(what, patience, (either) => deployment.begin(act, options.fence, either));
    if (answer.kind !== 'answered') return answer;
    if (answer.value.kind === 'overtaken') throw new SessionStopped();
    if (answer.value.kind === 'refused') return failed(answer.value.failure);
    return { kind: 'begun', receipt: answer.value.receipt };
  }

  /** Waits until an act is done, has failed permanently, its deadline has passed, or it is no longer awaited. */
  async function wait(what: string, act: BegunAct, { control, since }: Patience): Promise<Performed> {
    const halt = control.signal();
    let trouble: Failure | undefined;
    for (;;) {
      const seen = await orAborted(observer.next(act), halt);
      if (signal.aborted) throw new SessionStopped();
      if (seen === undefined) return HALTED;
      if (seen.state === 'done') return { kind: 'done', lines: seen.lines, tookMs: Math.max(1, clock.now() - since) };
      if (seen.state === 'failed') return failed(seen.failure);
      if (seen.state === 'absent')
        return failed({ ...vanished(what, act, seen.changedBy), nextActions: seen.remedy?.nextActions });
      const isSeen = seen.state === 'running';
      if (isSeen) trouble = seen.trouble ?? trouble;
      const detail = isSeen ? progressOf(seen, clock.now()) : outageText(seen);
      if (clock.now() - since >= deadlineMs)
        return failed(
          isSeen
            ? timedOut(what, act, deadlineMs, detail, trouble)
            : afterTrouble(unreachable(what, deadlineMs, seen), trouble),
        );
      await reportWait(what, detail, since);
    }
  }

  /** Begins an act and waits for its end. */
  async function perform(what: string, act: Act, patience: Patience): Promise<Performed> {
    const begun = await begin(what, act, patience);
    return begun.kind === 'begun' ? wait(what, { ...act, receipt: begun.receipt }, patience) : begun;
  }

  return { insist, begin, wait, perform };
}

export type Performer = ReturnType<typeof createPerformer>;
