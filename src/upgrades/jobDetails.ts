import type { Job } from '../jobs/jobStore.ts';
import { versionName } from '../model/version.ts';
import { shownFailure } from './failure/shownFailure.ts';
import type { JobFailure, JobStep, Reason } from './values/task.ts';
import { cursorOf, taskOf } from './values/task.ts';
import { shownState } from './values/jobStates.ts';
import { omissionText } from './values/omission.ts';

/** What an upgrade or a rollback shows beside the fields of every job. */
export interface JobDetails {
  readonly from: string;
  readonly to: string;
  readonly versionId: string;
  /** Null until the job ends or is rolled back. */
  readonly reason: Reason | null;
  /** Null while it runs and after success. */
  readonly failure: JobFailure | null;
  readonly pastPointOfNoReturn: boolean;
  readonly simulated: boolean;
  /** Empty until the plan is made. */
  readonly steps: readonly JobStep[];
  /** What a job that succeeded has left out, and why; absent if it is complete. */
  readonly incomplete?: readonly string[];
}

/** A retry that was just accepted has not written its first entry, so the cursor still has the old reason. */
function shownReason({ state }: Job, reason: Reason | undefined): Reason | null {
  return state === 'running' || state === 'paused' ? null : (reason ?? null);
}

export function jobDetails(job: Job): JobDetails {
  const { versionId, from, to, isSimulated } = taskOf(job);
  const { isPastReturn, steps = [], reason, incomplete = [] } = cursorOf(job);
  return {
    from: versionName(from),
    to: versionName(to),
    versionId,
    reason: shownReason(job, reason),
    failure: shownFailure(job),
    pastPointOfNoReturn: isPastReturn,
    simulated: isSimulated,
    steps,
    ...(incomplete.length > 0 && { incomplete: incomplete.map(omissionText) }),
  };
}

/** Shows an upgrade or a rollback, with its state in the words of the interface. */
export function shownJob(job: Job): object {
  return { ...shownState(job.state), ...jobDetails(job) };
}
