import { StewardError } from '../../foundation/errors.ts';
import type { Job } from '../../jobs/jobStore.ts';

/** The refusal of an unfinished job that a version before the typed journal has started. */
export function oldJournalRefusal(latest: Job): StewardError {
  return new StewardError(
    'conflict',
    `The ${latest.kind} job ${latest.id} is not finished, and an earlier version of Steward started it, whose journal this version cannot read. Start the earlier version again, finish the job there (resume, retry or cancel it, or adopt the running version), then start this version.`,
  );
}
