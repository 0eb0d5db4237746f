// Builds before version 0.1.0 did not keep the steps of a job and the reason of its end with the job. Both are filled in from its
// journal when a store is opened. A job that is under way gets them with its next entry.
import type { Job, JobStore, JournalRecord } from '../../jobs/jobStore.ts';
import { WORKED_STATES } from '../../model/jobState.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import type { Cursor, Reason } from '../values/task.ts';
import { cursorOf } from '../values/task.ts';
import { readState } from './runState.ts';
import { reasonOf, stepsOf } from './stepProgress.ts';

const MAX_JOBS = 1000;

function isIncomplete(job: Job): boolean {
  return !WORKED_STATES.includes(job.state) && cursorOf(job).steps === undefined;
}

/** Why a job has ended, as far as the job itself tells. */
function endReason({ state, isCancelled }: Job): Reason | undefined {
  if (state === 'succeeded') return 'completed';
  if (state === 'undone' && isCancelled) return 'cancelled';
  return state === 'paused' ? undefined : 'failed';
}

/** The first builds had no journal: the steps of their jobs are not known any more. */
function completeCursor(job: Job, records: readonly JournalRecord[]): Cursor {
  const cursor = cursorOf(job);
  if (records.length === 0) return { ...cursor, steps: [], reason: endReason(job) };
  const state = readState(job, records);
  return { ...cursor, steps: stepsOf(state), reason: reasonOf(state) };
}

/** Fills in the steps and the reason of jobs that an earlier build ended or paused. */
export async function completeEarlierJobs(
  store: Pick<UpgradeStore, 'past'>,
  jobs: Pick<JobStore, 'journal' | 'changeCursor'>,
): Promise<void> {
  for (const job of (await store.past(MAX_JOBS)).filter(isIncomplete)) {
    const cursor = completeCursor(job, await jobs.journal(job.id));
    // Another replica may have resumed it since, and written its own.
    await jobs.changeCursor(job.id, (found) => (isIncomplete(found) ? cursor : found.cursor));
  }
}
