import type { Static } from 'typebox';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Job } from '../jobs/jobStore.ts';
import type { Target } from './journal/entry.ts';
import type { StepId } from './plan/plan.ts';

const VersionNumber = Type.Object({ version: Type.String(), build: Type.String() });

/** What an upgrade or a rollback has to do, as it was accepted. */
const TaskSchema = Type.Object({
  versionId: Type.String(),
  /** Absent if the version of the deployment was unknown. */
  from: Type.Optional(VersionNumber),
  to: Type.Optional(VersionNumber),
  volumes: Type.Record(
    Type.String(),
    Type.Object({ size: Type.Optional(Type.String()), storageClass: Type.Optional(Type.String()) }),
  ),
  /** The upload that is kept for the job. Its content is not part of the task, because the task is shown. */
  licenceUpload: Type.Optional(Type.String()),
  planHash: Type.Optional(Type.String()),
  isRestorePointWaived: Type.Boolean(),
  isSimulated: Type.Boolean(),
  /** Of a rollback: the sequence number of the installed version that it removes. */
  removes: Type.Optional(Type.Number()),
});
export type Task = Static<typeof TaskSchema>;

/** The part of the run state that is kept with the job, so that it can be read without the journal. */
const CursorSchema = Type.Object({ isPastReturn: Type.Boolean() });
export type Cursor = Static<typeof CursorSchema>;

const taskCheck = Compile(TaskSchema);
const cursorCheck = Compile(CursorSchema);

/** Reads the task of an upgrade or a rollback. */
export function taskOf({ id, task }: Pick<Job, 'id' | 'task'>): Task {
  if (!taskCheck.Check(task)) throw new Error(`the job ${id} has no task of an upgrade`);
  return task;
}

export function isPastReturn({ id, cursor }: Pick<Job, 'id' | 'cursor'>): boolean {
  if (!cursorCheck.Check(cursor)) throw new Error(`the job ${id} has no cursor of an upgrade`);
  return cursor.isPastReturn;
}

/** What a request asks for, as a job would do it. */
export interface JobSpec {
  readonly task: Task;
  readonly targets: readonly Target[];
  /** Steps that a failed job has done, if this job completes it. */
  readonly alreadyDone: ReadonlySet<StepId>;
  readonly isPastReturn: boolean;
}
