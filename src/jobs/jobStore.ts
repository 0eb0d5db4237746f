import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { JobState } from '../model/jobState.ts';

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: JobState;
  /** What has to be done; its kind defines the shape. */
  readonly task: unknown;
  /** How far the job has come; its kind defines the shape. */
  readonly cursor: unknown;
  /** The current phase, in a word. */
  readonly phase: string;
  readonly done: number;
  readonly total: number;
  readonly isCancelled: boolean;
  readonly isPausing: boolean;
  readonly startedBy: string;
  readonly started: number;
  /** The estimated end. */
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

/** A text for people, with its code if the kind of job numbers its messages. */
export interface Message {
  readonly code: number | undefined;
  readonly text: string;
}

/** A message as it is stored. Numbers rise by one, and times never go back. */
export interface JobMessage extends Message {
  readonly number: number;
  readonly at: number;
}

/** An entry of a job's journal; its kind of job defines the rest of the shape. */
export interface JournalEntry {
  readonly kind: string;
}

export interface JournalRecord {
  readonly at: number;
  readonly entry: JournalEntry;
}

/** The right to work on a job. The fence is written with every change and rejects an overtaken holder. */
export interface Lease {
  readonly job: string;
  readonly fence: number;
}

/** What a holder writes in one transaction. A field that is absent keeps its value. */
export interface Progress extends Partial<Pick<Job, 'cursor' | 'phase' | 'done' | 'total' | 'endsAt' | 'state'>> {
  readonly entries?: readonly JournalEntry[];
  readonly messages?: readonly Message[];
  /** Writes nothing if the job was cancelled, or if the request to pause was withdrawn. */
  readonly onlyIf?: 'notCancelled' | 'pausing';
}

/** `lost`: another holder has the job. `unwanted`: the condition `onlyIf` does not hold. */
export type Appended = 'written' | 'lost' | 'unwanted';

/** What a person has asked of a running job. */
export type ControlRequests = Pick<Job, 'isPausing' | 'isCancelled'>;

/** Each method is one transaction. */
export interface JobStore {
  addJob(by: Actor, decide: (active: readonly Job[]) => Decision<Job>): Promise<Job>;
  /** Newest first. */
  jobs(limit: number): Promise<readonly Job[]>;
  job(id: string): Promise<Job | undefined>;
  /** Messages with a higher number, oldest first. */
  messages(id: string, after: number): Promise<readonly JobMessage[]>;
  journal(id: string): Promise<readonly JournalRecord[]>;
  cancelJob(id: string, by: Actor, decide: (found: Job | undefined) => Decision<'cancel' | 'none'>): Promise<void>;
  /** Claims the job of these kinds that has waited longest without a holder. */
  claimJob(
    owner: string,
    kinds: readonly string[],
    now: number,
    leaseUntil: number,
  ): Promise<{ readonly job: Job; readonly lease: Lease } | undefined>;
  /** Extends a lease, or gives it back with a time in the past. */
  renew(lease: Lease, leaseUntil: number): Promise<'renewed' | 'lost'>;
  controlRequests(id: string): Promise<ControlRequests>;
  /** `decide` gets the time that the entries and messages will have; it may be called again. */
  append(lease: Lease, decide: (at: number) => Progress): Promise<Appended>;
  /** Replaces the cursor of a job without a holder. */
  changeCursor(id: string, decide: (found: Job) => unknown): Promise<void>;
  /** Ends all leases. Only for a store that no other process uses. */
  releaseJobs(): Promise<void>;
}
