import { StewardError } from '../../foundation/errors.ts';
import type { JobStore } from '../../jobs/jobStore.ts';
import { isActive } from '../../model/jobState.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import { failedJob } from '../versions/currentVersion.ts';

/** Throws if an unfinished job has no journal, because a version before the typed journal started it. */
export async function refuseOldJournal(
  store: Pick<UpgradeStore, 'facts'>,
  jobs: Pick<JobStore, 'journal'>,
): Promise<void> {
  const facts = await store.facts();
  const { latest } = facts;
  const isOpen = latest !== undefined && (isActive(latest.state) || failedJob(facts) !== undefined);
  if (!isOpen || (await jobs.journal(latest.id)).length > 0) return;
  throw new StewardError(
    'conflict',
    `The ${latest.kind} job ${latest.id} is not finished, and an earlier version of Steward started it, whose journal this version cannot read. Start the earlier version again, finish the job there (resume, retry or cancel it, or adopt the running version), then start this version.`,
  );
}
