// What is shown of jobs, read once for all who look: a stored message is read a single time, however many followers there are.
import { noSuchId } from '../foundation/errors.ts';
import type { Job, JobMessage, JobStore } from './jobStore.ts';

/** A job at one moment. A new object as soon as anything in it has changed. */
export interface JobSnapshot {
  readonly job: Job;
  readonly messages: readonly JobMessage[];
}

/** Called with every new snapshot, also if only the job has changed. */
export type Follower = (snapshot: JobSnapshot) => void;

interface CachedJob {
  snapshot: JobSnapshot | undefined;
  isStale: boolean;
  reading: Promise<void> | undefined;
  readonly followers: Set<Follower>;
}

const MAX_CACHED = 8;

function isSameJob(one: Job, other: Job): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export interface JobFeedOptions {
  readonly store: JobStore;
  /** Resolves when all that was committed before the call is known here, and `invalidate` was called for it. */
  readonly catchUp: () => Promise<void>;
}

/** Creates the feed of a replica. */
export function createJobFeed({ store, catchUp }: JobFeedOptions) {
  const cache = new Map<string, CachedJob>();

  /** Finds or adds a job. A job that is followed or being read is never evicted. */
  function cached(id: string): CachedJob {
    const known = cache.get(id);
    if (known !== undefined) return known;
    const idle = [...cache].find(([, one]) => one.followers.size === 0 && one.reading === undefined);
    if (cache.size >= MAX_CACHED && idle !== undefined) cache.delete(idle[0]);
    const added: CachedJob = { snapshot: undefined, isStale: true, reading: undefined, followers: new Set() };
    cache.set(id, added);
    return added;
  }

  /** Reads the job and the messages that are not known yet. */
  async function readNext(id: string, before: JobSnapshot | undefined): Promise<JobSnapshot> {
    const job = await store.job(id);
    if (job === undefined) {
      cache.delete(id);
      throw noSuchId('job', id);
    }
    const more = await store.messages(id, before?.messages.at(-1)?.number ?? 0);
    if (before !== undefined && more.length === 0 && isSameJob(before.job, job)) return before;
    return { job, messages: [...(before?.messages ?? []), ...more] };
  }

  /** Repeats while the job is marked as stale, also during a read. */
  async function readUntilFresh(id: string, one: CachedJob): Promise<void> {
    while (one.isStale) {
      one.isStale = false;
      try {
        one.snapshot = await readNext(id, one.snapshot);
      } catch (error) {
        one.isStale = true;
        throw error;
      }
    }
  }

  function refresh(id: string, one: CachedJob): Promise<void> {
    one.reading ??= (async () => {
      const before = one.snapshot;
      try {
        await readUntilFresh(id, one);
      } finally {
        one.reading = undefined;
      }
      if (one.snapshot !== before && one.snapshot !== undefined)
        for (const follower of one.followers) follower(one.snapshot);
    })();
    return one.reading;
  }

  async function read(id: string): Promise<JobSnapshot> {
    const one = cached(id);
    if (one.isStale || one.reading !== undefined) await refresh(id, one);
    return one.snapshot ?? read(id);
  }

  return {
    /** Returns the last known snapshot of a job. */
    read,

    /** Returns a snapshot that is never older than what any replica has shown before. */
    async current(id: string): Promise<JobSnapshot> {
      await catchUp();
      return read(id);
    },

    /** Makes `read` as new as `current`. */
    catchUp,

    /** Marks all jobs as changed, and reads those that are followed. */
    invalidate(): void {
      for (const [id, one] of cache) {
        one.isStale = true;
        if (one.followers.size > 0) refresh(id, one).catch(() => undefined);
      }
    },

    /** Follows a job until the returned function is called. */
    follow(id: string, follower: Follower): () => void {
      const one = cached(id);
      one.followers.add(follower);
      return () => void one.followers.delete(follower);
    },
  };
}

export type JobFeed = ReturnType<typeof createJobFeed>;
