import type { Job } from '../../jobs/jobStore.ts';
import type { NextAction } from '../../model/nextAction.ts';
import type { UpgradeChange } from '../ports/upgradeStore.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import type { Cursor, JobFailure } from '../values/task.ts';
import { cursorOf, isPastReturn, taskOf } from '../values/task.ts';

function paused(job: Job): JobFailure {
  const parameters = { job: job.id };
  const isFinal = isPastReturn(job);
  return {
    reason: 'The job is paused.',
    lines: [],
    advice: isFinal ? 'Resume it to finish it.' : 'Resume it to finish it, or cancel it to roll it back.',
    nextActions: [{ action: 'resume', parameters }],
    alternatives: isFinal ? [] : [{ action: 'cancel', parameters }],
  };
}

/** For a job that ended before failures were kept with the job: what its state tells. */
function ofEarlierJob(job: Job): JobFailure {
  const { versionId: versionManifest } = taskOf(job);
  const again: NextAction =
    job.kind === ROLLBACK
      ? { action: 'rollback', parameters: { versionManifest } }
      : { action: 'planAgain', parameters: { versionManifest } };
  const isOver = job.state === 'undone';
  return {
    reason: `The ${job.kind} did not succeed. Its last messages say why.`,
    lines: [],
    advice: isOver ? 'Correct the cause, then start it again.' : 'Correct the cause, then retry it.',
    nextActions: [isOver ? again : { action: 'retry', parameters: { job: job.id } }],
    alternatives: [],
  };
}

/** The change that takes the next actions from a job that failed: something else has made them pointless. `why` replaces its advice. */
export function withoutActions(job: Job | undefined, why: string): Pick<UpgradeChange, 'controlJob'> {
  const failure = job === undefined || job.state === 'paused' ? null : shownFailure(job);
  if (job === undefined || failure === null) return {};
  const cursor: Cursor = {
    ...cursorOf(job),
    failure: { ...failure, advice: why, nextActions: [], alternatives: [] },
  };
  return { controlJob: { job: job.id, cursor, entries: [], messages: [] } };
}

/** Why a job failed, was rolled back or is paused, and what to do next; null while it runs and after success. */
export function shownFailure(job: Job): JobFailure | null {
  if (job.state === 'paused') return paused(job);
  // A retry that was just accepted has not written its first entry, so the cursor still has the old failure.
  if (job.state !== 'failed' && job.state !== 'undone') return null;
  return cursorOf(job).failure ?? ofEarlierJob(job);
}
