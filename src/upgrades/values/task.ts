import type { Schema } from '../../foundation/schema/schema.ts';
import { problemsIn } from '../../foundation/schema/schema.ts';
import type { Job } from '../../jobs/jobStore.ts';
import type { Failure } from '../../model/failure.ts';
import type { AfterFailure } from '../../model/mode.ts';
import type { Advice } from '../../model/nextAction.ts';
import type { CurrentVersion } from '../../model/version.ts';
import type { ObjectsReference } from '../../model/version/objectsReference.ts';
import type { Volumes } from '../../model/workload.ts';
import type { Target } from './target.ts';
import type { Omission } from './omission.ts';
import type { StepId } from './plan.ts';

/** The bundles of objects that concern a job. */
export interface TaskObjects {
  /** What is applied; undefined if a rollback takes back what a job has applied. */
  readonly bundle: ObjectsReference | undefined;
  /** The checksums of bundles that were applied before: what they have and `bundle` has not is removed. */
  readonly former: readonly string[];
  /**
   * Whether nothing is removed, because the store of Steward was restored after the installed version was recorded: what it says about
   * objects may be old.
   */
  readonly keepsAll?: true | undefined;
}

/** What an upgrade or a rollback has to do, as it was accepted. */
export interface Task {
  readonly versionId: string;
  readonly from: CurrentVersion;
  readonly to: CurrentVersion;
  readonly volumes: Volumes;
  /** The upload that is kept for the job. Its content is not part of the task, because the task is shown. */
  readonly licenceUpload: string | undefined;
  /** Identifies the content of the licence that was verified. Only this content is given to the deployment. */
  readonly licenceHash: string | undefined;
  /** The plan that the request named. */
  readonly planHash: string | undefined;
  /** The hash of the steps of that plan, which the job compares before it starts. */
  readonly expectedPlan: string | undefined;
  readonly isRestorePointWaived: boolean;
  /** Workloads whose images are changed although another manager may revert that. */
  readonly acknowledged?: readonly string[] | undefined;
  readonly isSimulated: boolean;
  /** Of a rollback: the sequence number of the installed version that it removes. */
  readonly removes: number | undefined;
  /** Undefined if no version of the job, and none before, has objects. */
  readonly objects?: TaskObjects | undefined;
  /** Undefined counts as `readOnly`. */
  readonly afterFailure?: AfterFailure | undefined;
}

/** Why a job has ended. */
export type Reason = 'completed' | 'checksFailed' | 'failed' | 'cancelled';

/** A step of a job, for people who watch it. */
export interface JobStep {
  readonly step: StepId;
  readonly title: string;
  /** `stopped`: it was begun, and is not continued until a retry. `undone`: its changes were rolled back. */
  readonly state: 'pending' | 'running' | 'done' | 'stopped' | 'undone';
  readonly canBeUndone: boolean;
  /** The workloads of a rollout; any other step counts as one. */
  readonly progress: { readonly done: number; readonly total: number };
}

/** Why a job failed, was rolled back or is paused, and what to do next. */
export interface JobFailure extends Pick<Failure, 'reason' | 'lines' | 'advice'>, Advice {}

/** The part of the run state that is kept with the job, so that it can be read without the journal. */
export interface Cursor {
  readonly isPastReturn: boolean;
  readonly steps?: readonly JobStep[];
  readonly reason?: Reason | undefined;
  /** Of a job that succeeded: the containers that do not run the images of the version. Absent if all do. */
  readonly incomplete?: readonly Omission[];
  /** Whether the job has changed objects, so that its rollback needs what it has kept of them. */
  readonly hasObjects?: true;
  /** Jobs that ended in earlier versions have none. */
  readonly failure?: JobFailure | undefined;
}

/** What a request asks for, as a job would do it. */
export interface JobSpec {
  readonly task: Task;
  readonly targets: readonly Target[];
  /** Steps that a failed job has done, if this job completes it. */
  readonly alreadyDone: ReadonlySet<StepId>;
  readonly isPastReturn: boolean;
}

const TASK_SCHEMA = {
  type: 'object',
  required: ['versionId', 'volumes', 'isRestorePointWaived', 'isSimulated'],
  rule: 'must be the task of an upgrade',
  properties: {
    versionId: { type: 'string', rule: 'must be a string' },
    volumes: { type: 'object', rule: 'must be an object' },
    isRestorePointWaived: { type: 'boolean', rule: 'must be true or false' },
    isSimulated: { type: 'boolean', rule: 'must be true or false' },
  },
} as const satisfies Schema;

const CURSOR_SCHEMA = {
  type: 'object',
  required: ['isPastReturn'],
  rule: 'must be the cursor of an upgrade',
  properties: { isPastReturn: { type: 'boolean', rule: 'must be true or false' } },
} as const satisfies Schema;

function isTask(value: unknown): value is Task {
  return problemsIn(TASK_SCHEMA, value).length === 0;
}

function isCursor(value: unknown): value is Cursor {
  return problemsIn(CURSOR_SCHEMA, value).length === 0;
}

/** Reads the task of an upgrade or a rollback. In builds before version 0.1.0, planHash was the hash of the steps. */
export function taskOf({ id, task }: Pick<Job, 'id' | 'task'>): Task {
  if (!isTask(task)) throw new Error(`the job ${id} has no task of an upgrade`);
  return { ...task, expectedPlan: task.expectedPlan ?? task.planHash };
}

/** Reads the cursor of an upgrade or a rollback. */
export function cursorOf({ id, cursor }: Pick<Job, 'id' | 'cursor'>): Cursor {
  if (!isCursor(cursor)) throw new Error(`the job ${id} has no cursor of an upgrade`);
  return cursor;
}

export function isPastReturn(job: Pick<Job, 'id' | 'cursor'>): boolean {
  return cursorOf(job).isPastReturn;
}
