import type { JobState } from '../model/jobState.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** What is to be done, as its kind understands it. */
  readonly task: unknown;
  /** How far it has come, as its kind understands it. */
  readonly cursor: unknown;
  /** What it is at, in a word. */
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly isCancelled: boolean;
  readonly isPausing: boolean;
  readonly startedBy: string;
  readonly started: number;
  /** When it will have ended, as far as anyone can tell. */
  readonly endsAt: number | undefined;
  readonly ended: number | undefined;
}

export function newJob(
  job: Pick<Job, 'id' | 'kind' | 'task' | 'cursor' | 'total' | 'startedBy' | 'started'> & Partial<Job>,
): Job {
  return {
    state: 'running',
    phase: '',
    done: 0,
    isCancelled: false,
    isPausing: false,
    endsAt: undefined,
    ended: undefined,
    ...job,
  };
}

export interface Said {
  readonly code: number | undefined;
  readonly text: string;
  /** What is said with the same mark a second time is not said again. */
  readonly mark?: string;
}

export interface JobMessage {
  readonly number: number;
  readonly at: number;
  readonly code: number | undefined;
  readonly text: string;
}

/** A step that is done, and what came of it. */
export interface StepDone {
  readonly name: string;
  readonly tookMs: number;
  readonly result?: unknown;
}

export interface Journal {
  readonly steps: ReadonlyMap<string, unknown>;
  /** When what bears a mark was said. */
  readonly marks: ReadonlyMap<string, number>;
  /** The code of what was said last. */
  readonly last: number | undefined;
}

/** Who works on a job, and until when nobody else may. The fence is written with every change. */
export interface Lease {
  readonly job: string;
  readonly fence: number;
}

/** What a step writes down: in its own transaction, together with what it did where that is in the store. */
export interface Progress {
  readonly cursor?: unknown;
  readonly phase?: string;
  readonly done?: number;
  readonly total?: number;
  readonly endsAt?: number;
  readonly state?: JobState;
  readonly say?: readonly Said[];
  readonly steps?: readonly StepDone[];
  /** Nothing is written where someone has cancelled it meanwhile, or does not want it paused any more. */
  readonly onlyIf?: 'notCancelled' | 'pausing';
}

export type Appended = 'written' | 'lost' | 'unwanted';

export interface Wishes {
  readonly isPausing: boolean;
  readonly isCancelled: boolean;
}

export interface JobStore {
  addJob(by: Actor, decide: (active: readonly Job[]) => Decision<Job>): Promise<Job>;
  jobs(limit: number): Promise<readonly Job[]>;
  job(id: string): Promise<Job | undefined>;
  /** What was said after this number, the oldest first. */
  entries(id: string, after: number): Promise<readonly JobMessage[]>;
  journal(id: string): Promise<Journal>;
  cancelJob(id: string, by: Actor, decide: (found: Job | undefined) => Decision<'cancel' | 'none'>): Promise<void>;
  /** Of these kinds, the job to be worked on that has waited longest and that nobody holds. */
  claimJob(
    owner: string,
    kinds: readonly string[],
    now: number,
    leaseUntil: number,
  ): Promise<{ readonly job: Job; readonly lease: Lease } | undefined>;
  /** Until then nobody else may; nor we, once we have given it back. */
  renew(lease: Lease, leaseUntil: number): Promise<'renewed' | 'lost'>;
  wishes(id: string): Promise<Wishes>;
  append(lease: Lease, progress: Progress): Promise<Appended>;
  /** Only where no other process can hold any. */
  takeBackJobs(): Promise<void>;
}
