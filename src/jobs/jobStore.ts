import type { Actor } from '../foundation/actor.ts';
import type { Decision } from '../foundation/decision.ts';

/**
 *   running ──▶ succeeded
 *      ├──────▶ failed
 *      └──────▶ cancelled
 * The store lets nothing but `running` change.
 */
export type JobState = 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** What is to be done, as its kind understands it. */
  readonly task: unknown;
  /** How far it has come, as its kind understands it. */
  readonly cursor: unknown;
  readonly done: number;
  readonly total: number;
  readonly isCancelled: boolean;
  readonly startedBy: string;
  readonly started: number;
  readonly ended: number | undefined;
}

export interface JobEntry {
  readonly number: number;
  readonly at: number;
  readonly text: string;
}

/** Who works on a job, and until when nobody else may. The fence is written with every change. */
export interface Lease {
  readonly job: string;
  readonly fence: number;
}

/** What a step writes down: in its own transaction, together with what it did where that is in the store. */
export interface Progress {
  readonly cursor?: unknown;
  readonly done?: number;
  readonly state?: Exclude<JobState, 'running'>;
  readonly text?: string;
}

export interface JobStore {
  addJob(by: Actor, decide: (running: readonly Job[]) => Decision<Job>): Promise<Job>;
  jobs(limit: number): Promise<readonly Job[]>;
  job(id: string): Promise<{ readonly job: Job; readonly entries: readonly JobEntry[] } | undefined>;
  cancelJob(id: string, by: Actor, decide: (found: Job | undefined) => Decision<'cancel' | 'none'>): Promise<void>;
  /** Of these kinds, the running job that has waited longest and that nobody holds. */
  claimJob(
    owner: string,
    kinds: readonly string[],
    now: number,
    leaseUntil: number,
  ): Promise<{ readonly job: Job; readonly lease: Lease } | undefined>;
  /** Until then nobody else may; nor we, once we have given it back. */
  renew(lease: Lease, leaseUntil: number): Promise<'renewed' | 'lost'>;
  append(lease: Lease, progress: Progress): Promise<'written' | 'lost'>;
}
