// A failed job owns the deployment: until it is finished, other jobs are refused. This is the only place that decides
// what may finish it: a retry, a patch of the release that it has half installed, or `adopt` with `force`.
import type { Job } from '../../jobs/jobStore.ts';
import type { Version } from '../../model/version.ts';
import { canInstall, versionName } from '../../model/version.ts';
import type { Inventory } from '../../model/workload.ts';
import type { RunState } from '../journal/runState.ts';
import { isDatabaseIncomplete, isDatabaseTouched } from '../journal/runState.ts';
import { UPGRADE } from '../ports/upgradeStore.ts';
import { taskOf } from '../values/task.ts';

/** The release that a job has half installed; undefined if its changes are to be undone. */
function halfInstalled({ targets, isPastReturn }: RunState): Version | undefined {
  return isPastReturn ? targets.find(({ update }) => update === 'release')?.version : undefined;
}

/** Whether a patch may finish the release that a job has half installed, in place of a retry. */
export function canFinish(failed: RunState, { update, version }: Version): boolean {
  return update === 'patch' && halfInstalled(failed)?.version === version && !isDatabaseIncomplete(failed);
}

/** The versions that `upgrade` accepts although a job has failed: its own, which is a retry, and patches that finish it. */
export function finishersOf(failed: RunState, known: readonly Version[]): readonly Version[] {
  const { kind, task } = failed.job;
  return known.filter(
    (version) =>
      (kind === UPGRADE && version.id === task.versionId) ||
      (canFinish(failed, version) && canInstall(version, task.to)),
  );
}

function waysOut({ id, kind }: Job): string {
  const same = kind === UPGRADE ? ', or upgrade with the same id' : '';
  return `Finish it first: POST system/jobs/${id}/retry${same}. To abandon it, adopt the running version with force=true.`;
}

function jobName(job: Job): string {
  const { from, to } = taskOf(job);
  return `The ${job.kind} job ${job.id} from ${versionName(from)} to ${versionName(to)}`;
}

/** Why no other job is accepted while a failed one owns the deployment. */
export function ownershipProblem(failed: Job): string {
  return `${jobName(failed)} has failed and is not finished, so no other job is accepted. ${waysOut(failed)}`;
}

/** Why a version cannot be installed while a failed job owns the deployment; undefined if it can finish that job. */
export function finishProblem(failed: Job, state: RunState, version: Version): string | undefined {
  if (canFinish(state, version)) return undefined;
  if (version.update === 'patch' && halfInstalled(state)?.version === version.version)
    return `${jobName(failed)} has failed while it upgraded the database, and only that job can finish the database. ${waysOut(failed)}`;
  return ownershipProblem(failed);
}

/** What a failed job has left undone, one sentence each. `adopt` shows it, and forgets it only with `force`. */
export function unfinishedParts(failed: RunState, { database }: Inventory): readonly string[] {
  const { job, plan, done, isPastReturn } = failed;
  const steps = plan?.steps.filter(({ id }) => !done.has(id)) ?? [];
  return [
    `The ${job.kind} job ${job.id} has failed and is not finished.`,
    ...(isPastReturn
      ? steps.map(({ title }) => `Not done: ${title}.`)
      : ['Its changes are not completely rolled back.']),
    ...(isDatabaseTouched(failed) && database?.trouble !== undefined ? [database.trouble] : []),
  ];
}
