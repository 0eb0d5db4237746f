import { StewardError } from '../foundation/errors.ts';
import type { Job, JobMessage, JobStore } from './jobStore.ts';

/** A job as it was at one moment; a new object as soon as anything in it is new. */
export interface JobSnapshot {
  readonly job: Job;
  readonly entries: readonly JobMessage[];
}

export interface Follower {
  /** With everything that is new; also when only the job has changed. */
  tell(snapshot: JobSnapshot): void;
}

interface Kept {
  snapshot: JobSnapshot | undefined;
  isStale: boolean;
  reading: Promise<void> | undefined;
  readonly followers: Set<Follower>;
}

const KEPT_AT_MOST = 8;

/**
 * What is told of jobs, read once for all who want to know it: old messages are never read again, and a new one is read once
 * however many follow.
 */
export function createJobFeed(needs: { readonly store: JobStore }) {
  const { store } = needs;
  const kept = new Map<string, Kept>();

  function keep(id: string): Kept {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const idle = [...kept].find(([, one]) => one.followers.size === 0 && one.reading === undefined);
    if (kept.size >= KEPT_AT_MOST && idle !== undefined) kept.delete(idle[0]);
    const made: Kept = { snapshot: undefined, isStale: true, reading: undefined, followers: new Set() };
    kept.set(id, made);
    return made;
  }

  async function readNew(id: string, one: Kept): Promise<void> {
    while (one.isStale) {
      one.isStale = false;
      const before = one.snapshot;
      try {
        const job = await store.job(id);
        if (job === undefined) {
          kept.delete(id);
          throw new StewardError('notFound', `There is no job ${id}.`);
        }
        const more = await store.entries(id, before?.entries.at(-1)?.number ?? 0);
        const isSame = before !== undefined && more.length === 0 && JSON.stringify(before.job) === JSON.stringify(job);
        if (!isSame) one.snapshot = { job, entries: [...(before?.entries ?? []), ...more] };
      } catch (error) {
        one.isStale = true;
        throw error;
      }
    }
  }

  function refresh(id: string, one: Kept): Promise<void> {
    one.reading ??= (async () => {
      const before = one.snapshot;
      try {
        await readNew(id, one);
      } finally {
        one.reading = undefined;
      }
      if (one.snapshot !== before && one.snapshot !== undefined)
        for (const follower of one.followers) follower.tell(one.snapshot);
    })();
    return one.reading;
  }

  async function read(id: string): Promise<JobSnapshot> {
    const one = keep(id);
    if (one.isStale || one.reading !== undefined) await refresh(id, one);
    return one.snapshot ?? read(id);
  }

  return {
    read,

    /** Something about some job has changed. */
    invalidate(): void {
      for (const [id, one] of kept) {
        one.isStale = true;
        if (one.followers.size > 0) refresh(id, one).catch(() => undefined);
      }
    },

    /** Until the answer is called. */
    follow(id: string, follower: Follower): () => void {
      const one = keep(id);
      one.followers.add(follower);
      return () => {
        one.followers.delete(follower);
      };
    },
  };
}

export type JobFeed = ReturnType<typeof createJobFeed>;
