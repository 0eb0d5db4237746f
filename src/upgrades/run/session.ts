import { localActor } from '../../model/actor.ts';
import type { Clock } from '../../foundation/clock.ts';
import type { Decision } from '../../model/decision.ts';
import type { Log } from '../../foundation/log.ts';
import type { Job, JobStore, Journal, Lease, Progress, Said } from '../../jobs/jobStore.ts';
import type { JobKind, StepResult } from '../../jobs/jobRunner.ts';
import { createActing } from './act.ts';
import { CANCELLED, causeOf, failed, faultMessages, succeeded, undone, undoneInPart } from './finish.ts';
import type { Deployment, Failure } from '../ports/deployment.ts';
import { createLookout } from './observer.ts';
import { message } from '../journal/messages.ts';
import type { Plan, Step } from '../plan/plan.ts';
import { PLAN } from '../plan/plan.ts';
import { createPreparing } from './prepare.ts';
import { remainingMs } from '../plan/estimate.ts';
import { Stopped, createRunJournal } from '../journal/journalWriter.ts';
import type { StepNeeds } from './step.ts';
import { runStep } from './step.ts';
import type { Cursor, TaskLeg } from '../task.ts';
import { LEGS, cursorOf } from '../task.ts';
import { undo } from './undo.ts';
import type { LockedFacts, UpgradeChange, UpgradeStore } from '../ports/upgradeStore.ts';
import type { Wish } from './controlRequests.ts';
import { watchWish } from './controlRequests.ts';

export interface UpgradeJobNeeds {
  readonly deployment: Deployment;
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  /** The content of an upload. */
  readonly licence: (upload: string) => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** How many workloads are updated at once. */
  readonly parallel: number;
  /** How long one step may take. */
  readonly deadlineMs: number;
  readonly lookEveryMs: number;
}

/** After a person's resume or retry (which ends with read-only mode) nobody has taken it from anybody. */
const RESUMED: ReadonlySet<number | undefined> = new Set([2902, 2165]);

const PUTTING_BACK = 'putting back';

/** How far a job came. */
type Way =
  | { readonly kind: 'done'; readonly plan: Plan }
  | { readonly kind: 'fault'; readonly fault: Failure; readonly step: string }
  /** Someone wants it to pause or to be cancelled. */
  | { readonly kind: 'halted' };

interface Held {
  readonly job: Job;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  readonly wish: Wish;
  readonly initial: Journal;
}

function toolsOf(needs: UpgradeJobNeeds, { job, lease, signal, wish, initial }: Held, isTurned: () => boolean) {
  const { deployment, jobs, clock, parallel, deadlineMs } = needs;
  const { attempt } = cursorOf(job);
  const journal = createRunJournal({
    jobs,
    lease,
    initial,
    done: job.done,
    clock,
    endsAt: () => {
      const plan = journal.result(PLAN) as Plan | undefined;
      return plan === undefined || isTurned() ? undefined : clock.now() + remainingMs(plan, journal.has, parallel);
    },
  });
  const lookout = createLookout({ deployment, clock, everyMs: needs.lookEveryMs, signal });
  const acting = createActing({ deployment, lookout, journal, clock, signal, fence: lease.fence, deadlineMs });
  return { acting, journal, clock, parallel, attempt, signal, halt: wish };
}

/** One hold of a job: from where the journal ends to the end of the job, or until it is taken from us. */
function createHold(needs: UpgradeJobNeeds, held: Held) {
  const { deployment, store, clock } = needs;
  const { job, lease, wish, initial } = held;
  const legs = initial.steps.get(LEGS) as readonly TaskLeg[];
  let cursor: Cursor = cursorOf(job);
  const tools = toolsOf(needs, held, () => cursor.cause !== undefined);
  const { acting, journal, attempt } = tools;
  const running: StepNeeds = { ...tools, job: job.id, started: job.started, licence: needs.licence };

  async function conclude(
    decide: (seen: LockedFacts) => Decision<UpgradeChange & { readonly progress: Progress }>,
  ): Promise<boolean> {
    const appended = await store.conclude(lease, localActor(job.startedBy), decide);
    if (appended === 'lost') throw new Stopped();
    return appended === 'written';
  }

  async function passPointOfNoReturn({ title }: Step): Promise<boolean> {
    const next = { ...cursor, isPastReturn: true };
    const hasPassed = await journal.pass({
      cursor: next,
      say: [message(2925, { step: title }, '2925')],
      onlyIf: 'notCancelled',
    });
    if (hasPassed) cursor = next;
    return hasPassed;
  }

  async function runSteps(plan: Plan): Promise<Way> {
    for (const step of plan.steps) {
      if (journal.has(step.key)) continue;
      if (!wish.mayBegin()) return { kind: 'halted' };
      if (step.isFinal && !cursor.isPastReturn && !(await passPointOfNoReturn(step))) return { kind: 'halted' };
      const fault = await runStep(step, running);
      if (fault !== undefined) return { kind: 'fault', fault, step: step.title };
      if (!journal.has(step.key)) return { kind: 'halted' };
    }
    return { kind: 'done', plan };
  }

  async function forward(): Promise<Way> {
    const plan = await createPreparing({ ...tools, job, legs, deployment, store }).prepare();
    if (plan === undefined) return { kind: 'halted' };
    if ('reason' in plan) return { kind: 'fault', fault: plan, step: 'preparation' };
    return runSteps(plan);
  }

  async function putBack(): Promise<void> {
    const plan = journal.result(PLAN) as Plan | undefined;
    const { hasChanged, faults } =
      plan === undefined ? { hasChanged: false, faults: [] } : await undo(plan, deployment, running);
    await conclude(({ mode }) =>
      faults.length === 0
        ? undone(job, mode, { cause: cursor.cause, hasChanged, stays: staying() })
        : undoneInPart(job, mode, faults),
    );
  }

  /** What is not put back, because it does no harm. */
  const staying = (): readonly string[] =>
    [
      journal.has('volumes') ? 'volumes that were made or grown' : '',
      journal.has('licence') ? 'the licence' : '',
    ].filter((one) => one !== '');

  const puttingBack = (): readonly Said[] => (journal.has(PLAN) ? [message(2930, {}, `undo#${attempt}:2930`)] : []);

  async function turnBack(said: readonly Said[], cause: string): Promise<void> {
    cursor = { ...cursor, cause };
    await journal.turn({ state: 'undoing', phase: PUTTING_BACK, cursor, say: [...said, ...puttingBack()] });
    await putBack();
  }

  async function end(way: Exclude<Way, { readonly kind: 'halted' }>): Promise<void> {
    if (way.kind === 'done') {
      const isEnded = await conclude(({ mode }) => succeeded(job, mode, way.plan, legs, clock.now()));
      return isEnded ? undefined : turnBack([], CANCELLED);
    }
    if (!cursor.isPastReturn) return turnBack(faultMessages(way.fault, `fault#${attempt}`), causeOf(way.fault));
    const { total = 0 } = (journal.result(PLAN) as Plan | undefined) ?? {};
    const stop = { step: way.step, done: journal.units(), total };
    await conclude(({ mode }) => failed(job, mode, way.fault, stop));
  }

  /** False where it is to go on after all. */
  async function halt(): Promise<boolean> {
    const say = [message(2901, { job: job.id })];
    if (await journal.pass({ state: 'paused', say, onlyIf: 'pausing' })) return true;
    await wish.look();
    if (!wish.isCancelled()) return false;
    await turnBack([], CANCELLED);
    return true;
  }

  async function goForward(): Promise<void> {
    if (journal.saidAt('2168') === undefined) await journal.write({ say: [message(2168, {}, '2168')] });
    else if (!RESUMED.has(initial.last)) await journal.write({ say: [message(2905, {}, `takeover#${lease.fence}`)] });
    for (;;) {
      const way = await forward();
      if (way.kind !== 'halted') return end(way);
      if (await halt()) return;
    }
  }

  return {
    async goOn(): Promise<void> {
      const fault = await acting.insist('beginning', () => deployment.takeOver(lease.fence));
      if (job.state === 'undoing') {
        await journal.write({ phase: PUTTING_BACK, say: puttingBack() });
        return putBack();
      }
      return fault === undefined ? goForward() : end({ kind: 'fault', fault, step: 'preparation' });
    },
  };
}

export function upgradeJob(needs: UpgradeJobNeeds): JobKind {
  const { jobs, clock, log } = needs;
  return {
    cancelsItself: true,
    async step(job, lease, signal): Promise<StepResult> {
      const wish = await watchWish({ jobs, job: job.id, clock, log });
      // Whatever ends a hold ends all that works for it.
      const over = new AbortController();
      const until = AbortSignal.any([signal, over.signal]);
      try {
        await createHold(needs, { job, lease, signal: until, wish, initial: await jobs.journal(job.id) }).goOn();
        return { kind: 'ended' };
      } catch (error) {
        if (error instanceof Stopped) return signal.aborted ? { kind: 'more', afterMs: 0 } : { kind: 'lost' };
        throw error;
      } finally {
        over.abort();
        await wish.loop.stop();
      }
    },
  };
}
