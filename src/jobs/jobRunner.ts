import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import { reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { Loop } from '../foundation/loop.ts';
import { startLoop } from '../foundation/loop.ts';
import type { Job, JobStore, Lease } from './jobStore.ts';

const LEASE_MS = 15 * SECOND;
const RENEW_EVERY_MS = 3 * SECOND;
/** Who could not renew for so long stops before anyone else may begin. */
const HELD_SURELY_MS = 10 * SECOND;
const LOOK_EVERY_MS = 100;
const PAUSE_AFTER_TROUBLE_MS = SECOND;

/** `more`: the job is given back, and not to be taken up before that time has passed. */
export type StepResult = { readonly kind: 'more'; readonly afterMs: number } | { readonly kind: 'ended' | 'lost' };

/**
 * One kind of job. A step does something and writes down how far it came; it may be run again. It may take as long as it
 * likes, for its lease is renewed meanwhile; when the signal aborts it stops where it is.
 */
export interface JobKind {
  step(job: Job, lease: Lease, signal: AbortSignal): Promise<StepResult>;
  /** Whether it looks after being cancelled itself. */
  readonly cancelsItself?: true;
}

export type JobKinds = Readonly<Record<string, JobKind>>;

export interface RunnerNeeds {
  readonly store: JobStore;
  readonly kinds: JobKinds;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
}

/** Renews until it is stopped, and aborts when the lease is lost or may be, also while an answer is waited for. */
function keepLease({ store, clock, log }: RunnerNeeds, lease: Lease, lost: AbortController): Loop {
  let heldSince = clock.now();
  return startLoop({
    name: 'lease of a job',
    pauseMs: RENEW_EVERY_MS,
    clock,
    log,
    turn: async () => {
      const asked = clock.now();
      const answered = new AbortController();
      const tooLate = (async () => {
        await clock.sleep(heldSince + HELD_SURELY_MS - asked, answered.signal);
        if (!answered.signal.aborted) lost.abort();
      })();
      try {
        if ((await store.renew(lease, asked + LEASE_MS)) === 'lost') lost.abort();
        else heldSince = asked;
      } finally {
        answered.abort();
        await tooLate;
        if (clock.now() - heldSince > HELD_SURELY_MS) lost.abort();
      }
    },
  });
}

async function takeStep(needs: RunnerNeeds, job: Job, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { store, kinds, clock } = needs;
  const kind = kinds[job.kind];
  if (kind === undefined) return;
  if (job.isCancelled && kind.cancelsItself === undefined) {
    const text = `Cancelled after ${job.done} of ${job.total}.`;
    await store.append(lease, { state: 'cancelled', say: [{ code: undefined, text }] });
    return;
  }
  const lost = new AbortController();
  const keeping = keepLease(needs, lease, lost);
  let afterMs = PAUSE_AFTER_TROUBLE_MS;
  let isOver = false;
  try {
    const result = await kind.step(job, lease, AbortSignal.any([stopping, lost.signal]));
    if (result.kind === 'more') ({ afterMs } = result);
    else isOver = true;
  } finally {
    await keeping.stop();
    // Who cannot give it back lets its lease run out; why it ended is told all the same.
    if (!isOver && !lost.signal.aborted) await store.renew(lease, clock.now() + afterMs).catch(() => undefined);
  }
}

/** Works on every job that can be had, each beside the others. */
export function startJobRunner(needs: RunnerNeeds): Loop {
  const { store, clock, kinds, log } = needs;
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();

  async function work(job: Job, lease: Lease): Promise<void> {
    try {
      await takeStep(needs, job, lease, stopping.signal);
    } catch (error) {
      log.warn({ job: job.id, reason: reasonOf(error) }, 'a job could not go on; it will be taken up');
    }
  }

  const loop = startLoop({
    name: 'jobs',
    pauseMs: LOOK_EVERY_MS,
    clock,
    log,
    turn: async (signal) => {
      while (!signal.aborted) {
        // Only kinds that this version knows: a newer replica may have started others.
        const claimed = await store.claimJob(needs.owner, Object.keys(kinds), clock.now(), clock.now() + LEASE_MS);
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
