import type { Job } from '../answers.ts';
import { isActive } from '../parts/jobState.ts';

export interface LineOfNoReturn {
  /** Whether it lies before or after the update of the workloads. */
  readonly place: 'before' | 'after';
  readonly isPassed: boolean;
}

const WORKLOAD_STEPS: ReadonlySet<string> = new Set(['release', 'patch']);

/** Where a job that has not ended passes the point of no return; undefined if everything that it does can be rolled back. */
export function lineOfNoReturn(job: Job | undefined): LineOfNoReturn | undefined {
  if (job === undefined || !(isActive(job.state) || job.state === 'failed')) return undefined;
  const steps = job.steps ?? [];
  const final = steps.findIndex(({ canBeUndone }) => !canBeUndone);
  if (final === -1) return undefined;
  const workloads = steps.findIndex(({ step }) => WORKLOAD_STEPS.has(step));
  return {
    place: workloads !== -1 && final > workloads ? 'after' : 'before',
    isPassed: job.pastPointOfNoReturn === true,
  };
}
