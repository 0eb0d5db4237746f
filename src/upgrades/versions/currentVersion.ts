import type { Job } from '../../jobs/jobStore.ts';
import type { CurrentVersion } from '../../model/version.ts';
import { versionNumberOf } from '../../model/version.ts';
import type { Facts } from '../ports/upgradeStore.ts';
import { isPastReturn, taskOf } from '../values/task.ts';

/** The latest job, if it failed. It owns the deployment until a retry or another job finishes it, or until `adopt`. */
export function failedJob({ latest, installed }: Pick<Facts, 'latest' | 'installed'>): Job | undefined {
  if (latest?.state !== 'failed') return undefined;
  const last = installed.at(-1);
  return last?.how === 'adopt' && last.at >= (latest.ended ?? latest.started) ? undefined : latest;
}

/** The version over which the next one is installed: after the point of no return, that of the failed job. */
export function currentVersion(facts: Facts): CurrentVersion {
  const failed = failedJob(facts);
  return failed !== undefined && isPastReturn(failed)
    ? taskOf(failed).to
    : versionNumberOf(facts.installed.at(-1)?.version);
}
