import type { Job } from '../../jobs/jobStore.ts';
import type { CurrentVersion } from '../../model/version.ts';
import { versionNumberOf } from '../../model/version.ts';
import type { Facts } from '../ports/upgradeStore.ts';
import { isPastReturn, taskOf } from '../task.ts';

/** The latest job, if it failed. A later `adopt` clears the failure. */
export function failedJob({ latest, installed }: Facts): Job | undefined {
  if (latest?.state !== 'failed') return undefined;
  const last = installed.at(-1);
  return last?.how === 'adopt' && last.at >= (latest.ended ?? latest.started) ? undefined : latest;
}

/** A job that stopped after its point of no return: the deployment is between two versions. */
export function unfinishedJob(facts: Facts): Job | undefined {
  const failed = failedJob(facts);
  return failed !== undefined && isPastReturn(failed) ? failed : undefined;
}

/** The version over which the next one is installed. */
export function currentVersion(facts: Facts): CurrentVersion {
  const unfinished = unfinishedJob(facts);
  return unfinished === undefined ? versionNumberOf(facts.installed.at(-1)?.version) : taskOf(unfinished).to;
}
