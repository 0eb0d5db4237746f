import type { Actor } from '../foundation/actor.ts';
import type { Clock } from '../foundation/clock.ts';
import { SECOND } from '../foundation/clock.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import type { Log } from '../foundation/log.ts';
import type { Loop } from '../foundation/loop.ts';
import { startLoop } from '../foundation/loop.ts';
import type { Job, JobEntry, JobStore, Lease } from './jobStore.ts';

const LEASE_MS = 15 * SECOND;
const LOOK_EVERY_MS = 100;

export type StepResult = { readonly kind: 'more'; readonly afterMs: number } | { readonly kind: 'ended' | 'lost' };

/** One kind of job. A step does a little and writes down how far it came; it may be run again. */
export interface JobKind {
  step(job: Job, lease: Lease): Promise<StepResult>;
}

export type JobKinds = Readonly<Record<string, JobKind>>;

/** Any durable job: whoever holds its lease goes on from where the journal ends. */
export function createJobs(needs: { readonly store: JobStore }) {
  const { store } = needs;
  return {
    list: (limit: number): Promise<readonly Job[]> => store.jobs(limit),

    async read(id: string): Promise<{ readonly job: Job; readonly entries: readonly JobEntry[] }> {
      const found = await store.job(id);
      return found ?? Promise.reject(new StewardError('notFound', `There is no job ${id}.`));
    },

    async cancel(by: Actor, id: string): Promise<void> {
      await store.cancelJob(id, by, (found) => {
        if (found === undefined) throw new StewardError('notFound', `There is no job ${id}.`);
        if (found.state !== 'running') throw new StewardError('conflict', `The job ${id} has ended: ${found.state}.`);
        const isNew = !found.isCancelled;
        const audit = [{ action: 'job.cancel', target: `job ${id}`, before: { done: found.done, total: found.total } }];
        return { change: isNew ? 'cancel' : 'none', announce: [], audit: isNew ? audit : [] };
      });
    },
  };
}

export type Jobs = ReturnType<typeof createJobs>;

/** Takes one step of one job after the other, so that a long one does not keep the others waiting. */
export function startJobRunner(needs: {
  readonly store: JobStore;
  readonly kinds: JobKinds;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
}): Loop {
  const { store, clock, kinds } = needs;

  async function step(job: Job, lease: Lease): Promise<void> {
    if (job.isCancelled) {
      await store.append(lease, { state: 'cancelled', text: `Cancelled after ${job.done} of ${job.total}.` });
      return;
    }
    const result = await kinds[job.kind]?.step(job, lease);
    // Given back, not to be taken up before this time.
    if (result?.kind === 'more') await store.renew(lease, clock.now() + result.afterMs);
  }

  return startLoop({
    name: 'jobs',
    pauseMs: LOOK_EVERY_MS,
    clock,
    log: needs.log,
    turn: async () => {
      // Only kinds that this version knows: a newer replica may have started others.
      const claimed = await store.claimJob(needs.owner, Object.keys(kinds), clock.now(), clock.now() + LEASE_MS);
      if (claimed === undefined) return;
      try {
        await step(claimed.job, claimed.lease);
      } catch (error) {
        needs.log.warn({ job: claimed.job.id, reason: reasonOf(error) }, 'a job could not go on; it will be taken up');
        throw error;
      }
    },
  });
}
