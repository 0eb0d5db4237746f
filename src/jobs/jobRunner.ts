// Runs durable jobs. Each replica claims the jobs that have no holder, renews their leases while it works, and stops as soon
// as a lease may be lost. Another replica then continues the job from its journal.
import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import { reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { Loop } from '../foundation/flow/loop.ts';
import { startLoop } from '../foundation/flow/loop.ts';
import type { Job, JobStore, Lease } from './jobStore.ts';

const LEASE_MS = 15 * SECOND;
const RENEW_EVERY_MS = 3 * SECOND;
/** A holder that could not renew for this long stops, well before another may claim the job. */
const SURE_MS = 10 * SECOND;
const POLL_EVERY_MS = 100;
const PAUSE_AFTER_ERROR_MS = SECOND;

/** `more`: the lease is given back, and the job may be claimed again after this time. */
export type StepResult = { readonly kind: 'more'; readonly afterMs: number } | { readonly kind: 'ended' | 'lost' };

/**
 * One kind of job. A step works and records how far it came; it may be run again. It may take any time, because its lease is
 * renewed, and it stops when the signal aborts.
 */
export interface JobKind {
  step(job: Job, lease: Lease, signal: AbortSignal): Promise<StepResult>;
  /** Set if the kind handles a cancel by itself. Other jobs are ended between two steps. */
  readonly cancelsItself?: true;
}

export type JobKinds = Readonly<Record<string, JobKind>>;

export interface JobRunnerOptions {
  readonly store: JobStore;
  readonly kinds: JobKinds;
  readonly clock: Clock;
  readonly log: Log;
  /** Identifies this replica. */
  readonly owner: string;
}

/** Renews a lease until it is stopped. Aborts when the lease is lost, or may be because no answer has come in time. */
function keepLease({ store, clock, log }: JobRunnerOptions, lease: Lease, lost: AbortController): Loop {
  let renewedAt = clock.now();
  return startLoop({
    name: 'lease of a job',
    pauseMs: RENEW_EVERY_MS,
    clock,
    log,
    turn: async () => {
      const asked = clock.now();
      const answered = new AbortController();
      const timeout = (async () => {
        await clock.sleep(renewedAt + SURE_MS - asked, answered.signal);
        if (!answered.signal.aborted) lost.abort();
      })();
      try {
        if ((await store.renew(lease, asked + LEASE_MS)) === 'lost') lost.abort();
        else renewedAt = asked;
      } finally {
        answered.abort();
        await timeout;
        if (clock.now() - renewedAt > SURE_MS) lost.abort();
      }
    },
  });
}

async function endCancelled({ store }: JobRunnerOptions, { done, total }: Job, lease: Lease): Promise<void> {
  const text = `Cancelled after ${done} of ${total}.`;
  await store.append(lease, () => ({ state: 'cancelled', messages: [{ code: undefined, text }] }));
}

async function takeStep(options: JobRunnerOptions, job: Job, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { store, kinds, clock } = options;
  const kind = kinds[job.kind];
  if (kind === undefined) return;
  if (job.isCancelled && kind.cancelsItself === undefined) return endCancelled(options, job, lease);
  const lost = new AbortController();
  const renewal = keepLease(options, lease, lost);
  let afterMs = PAUSE_AFTER_ERROR_MS;
  let isOver = false;
  try {
    const result = await kind.step(job, lease, AbortSignal.any([stopping, lost.signal]));
    if (result.kind === 'more') ({ afterMs } = result);
    else isOver = true;
  } finally {
    await renewal.stop();
    // If the release fails, the lease expires. The original error is reported anyway.
    if (!isOver && !lost.signal.aborted) await store.renew(lease, clock.now() + afterMs).catch(() => undefined);
  }
}

/** Starts working on jobs, several at a time. */
export function startJobRunner(options: JobRunnerOptions): Loop {
  const { store, clock, kinds, log } = options;
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();

  async function work(job: Job, lease: Lease): Promise<void> {
    try {
      await takeStep(options, job, lease, stopping.signal);
    } catch (error) {
      log.warn({ job: job.id, reason: reasonOf(error) }, 'a job failed to continue; it will be retried');
    }
  }

  const loop = startLoop({
    name: 'jobs',
    pauseMs: POLL_EVERY_MS,
    clock,
    log,
    turn: async (signal) => {
      while (!signal.aborted) {
        // Only the kinds that this version knows: a newer replica may have started others.
        const claimed = await store.claimJob(options.owner, Object.keys(kinds), clock.now(), clock.now() + LEASE_MS);
        if (claimed === undefined) return;
        const done = work(claimed.job, claimed.lease);
        working.add(done);
        void done.finally(() => working.delete(done));
      }
    },
  });

  return {
    stop: async () => {
      stopping.abort();
      await loop.stop();
      await Promise.all(working);
    },
  };
}
