// Describes the deployment that a failed job has left: as it was found, or as the journal knows it if the deployment does not
// answer. `describeEnd.ts` puts these sentences into the last message of a job.
import { versionName } from '../../../model/version.ts';
import type { Inventory } from '../../../model/workload.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { rolloutId } from '../../plan/rolloutSteps.ts';
import type { RolloutStep } from '../../values/plan.ts';
import { changesIn, isUpdate } from '../../values/plan.ts';
import type { Found } from '../entry.ts';
import type { RunState } from '../runState.ts';
import { isDatabaseTouched, isWorkloadDone, workloadKey } from '../runState.ts';

export function joined(parts: readonly string[]): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** Names the workloads that are not completely on one version. */
function mixedText({ unfinished, other, notRunning = [] }: NonNullable<Found['workloads']>): string {
  const begun =
    unfinished.length === 0
      ? ''
      : ` Between their previous and their new images: ${unfinished.length} (${listed(unfinished)}). Their rollouts were begun and are left to the deployment; a retry begins a failed one again.`;
  const stopped = notRunning.length === 0 ? '' : ` Not running: ${notRunning.length} (${listed(notRunning)}).`;
  const others = other.length === 0 ? '' : ` Running other images: ${other.length} (${listed(other)}).`;
  return `${begun}${stopped}${others}`;
}

/** Names each unhealthy workload, on its own line. */
export function unhealthyText({ workloads }: Found): string {
  return (workloads?.unhealthy ?? [])
    .map(({ workload, trouble }) => `\nUnhealthy: \`${workload}\` (${trouble.replace(/\.$/, '')}).`)
    .join('');
}

/** Describes each instance. The role of one that does not start is the one that it had. */
export function instancesText({ instances, down = [] }: NonNullable<Inventory['database']>): string {
  return instances
    .map(({ name, role, engine, isReadOnly }) => {
      const state = `${role}, ${isReadOnly ? 'read-only' : 'read-write'}, engine ${engine}`;
      return down.includes(name) ? `\`${name}\` does not start (before: ${state})` : `\`${name}\` is ${state}`;
    })
    .join('; ');
}

/** What the journal knows about the database. The steps that are done tell the roles. */
function lastKnownDatabase(state: RunState): string {
  const { plan, done, isDatabaseRestored } = state;
  if (!isDatabaseTouched(state)) return 'this job had not begun to change the database';
  const steps = (plan?.steps ?? []).flatMap((step) => (step.kind === 'database' ? [step] : []));
  const { primary = '', standby = '' } = steps[0] ?? {};
  if (isDatabaseRestored)
    return `the database was rolled back: \`${primary}\` was primary, read-write; \`${standby}\` was standby`;
  const [first, second] = done.has('database/promote') ? [standby, primary] : [primary, standby];
  const isReadOnly = done.has('database/readOnly') && !done.has('database/readWrite');
  const roles = `\`${first}\` was primary, ${isReadOnly ? 'read-only' : 'read-write'}; \`${second}\` was standby`;
  if (steps.every(({ id }) => done.has(id))) return `the upgrade of the database was complete: ${roles}`;
  const last = steps.findLast(({ id }) => done.has(id));
  return last === undefined
    ? `the upgrade of the database had begun, and no step of it was complete: ${roles}`
    : `the last complete step of the upgrade of the database was "${last.title}": ${roles}`;
}

/** The database as the job has left it. If the deployment does not answer, `censusText` describes it too. */
export function databaseText({ database, workloads }: Found, state: RunState): string {
  if (workloads === undefined) return '';
  const isTouched = isDatabaseTouched(state);
  if (database === undefined) return isTouched ? '' : ' The job did not change the database.';
  const what = isTouched ? 'Database, as last reported' : 'The job did not change the database';
  return ` ${what}: ${instancesText(database)}.${database.trouble === undefined ? '' : ` ${database.trouble}`}`;
}

const MOST_REPAIRS = 5;

/** One failure is reported as the cause. The other unhealthy workloads need a repair too. */
export function adviceText(advice: string, { workloads }: Found): string {
  const unhealthy = workloads?.unhealthy ?? [];
  if (unhealthy.length < 2 && unhealthy.every((one) => one.advice === undefined || advice.includes(one.advice)))
    return advice;
  const others = unhealthy.filter((one) => one.advice !== undefined && !advice.includes(one.advice));
  const repairs = others.slice(0, MOST_REPAIRS).map((one) => ` For \`${one.workload}\`: ${one.advice}`);
  const isAllNamed = others.length <= MOST_REPAIRS && unhealthy.every((one) => one.advice !== undefined);
  return `${advice}${repairs.join('')}${isAllNamed ? '' : ' Repair the other unhealthy workloads too.'}`;
}

/** The version that a rollout installs. */
function versionOf(step: RolloutStep, { targets, job }: RunState): string {
  const target = targets.find((_, n) => rolloutId(targets, n) === step.id);
  return versionName(target?.version ?? job.task.to);
}

/** What each workload runs as far as the journal knows, in words, by the latest rollout that was begun. */
function lastKnownRuns(state: RunState): ReadonlyMap<string, readonly string[]> {
  const { plan, restoredWorkloads, job } = state;
  const previous = `ran ${versionName(job.task.from)}`;
  const runs = new Map<string, string>();
  for (const step of plan?.steps ?? []) {
    if (step.kind !== 'rollout') continue;
    for (const { workload } of changesIn(step).filter(isUpdate)) {
      const isBegun = state.workloads.has(workloadKey(step.id, workload)) && !restoredWorkloads.has(workload);
      const isDone = state.done.has(step.id) || isWorkloadDone(state, step.id, workload);
      const text = `${isDone ? 'ran' : 'had begun to change to'} ${versionOf(step, state)}`;
      if (isBegun) runs.set(workload, text);
      else if (!runs.has(workload)) runs.set(workload, previous);
    }
  }
  const groups = new Map<string, string[]>();
  for (const [workload, text] of runs) groups.set(text, [...(groups.get(text) ?? []), workload]);
  return groups;
}

/** What the journal knows about the workloads, if the deployment does not answer. */
function lastKnownWorkloads(state: RunState): string {
  const groups = [...lastKnownRuns(state)];
  const total = groups.reduce((sum, [, names]) => sum + names.length, 0);
  if (total === 0) return 'this job had not changed any workload';
  const previous = `ran ${versionName(state.job.task.from)}`;
  const isAnyDone = groups.some(([text]) => text.startsWith('ran ') && text !== previous);
  const parts = groups
    .toSorted(([one], [other]) => Number(one === previous) - Number(other === previous))
    .map(([text, names]) => `${names.length} ${text}${text === previous ? '' : ` (${listed(names)})`}`);
  return `of the ${total} workloads of this job, ${joined([...(isAnyDone ? [] : ['0 were complete']), ...parts])}`;
}

/** The last known state, with its time, if the deployment does not answer. */
function lastKnownText(state: RunState): string {
  const { answeredAt } = state;
  const at = answeredAt === undefined ? '' : `, ${new Date(answeredAt).toISOString()}`;
  return `The deployment does not answer, so what runs now is not known. At the time of its last answer to this job${at}: ${lastKnownWorkloads(state)}; ${lastKnownDatabase(state)}.`;
}

/** How many workloads run what. */
export function censusText({ workloads }: Found, state: RunState): string {
  if (workloads === undefined) return lastKnownText(state);
  const { job, targets } = state;
  const { updated, between, previous, unfinished, other, notRunning = [], unhealthy } = workloads;
  const [from, to] = [versionName(job.task.from), versionName(job.task.to)];
  const total = updated + between + previous + unfinished.length + other.length + notRunning.length;
  const mixed = `${mixedText(workloads)}${unhealthy.length === 0 ? ` All ${total} report that they are healthy.` : ''}`;
  const [first] = targets;
  const isTwoSteps = targets.length > 1 && first?.version !== undefined && first.replacedBy === undefined;
  if (!isTwoSteps || updated === total || updated + between === 0)
    return `Of the ${total} workloads of this job, ${updated} run ${to} and ${previous} run ${from}.${mixed}`;
  const release = versionName(first.version);
  const same = updated === 0 ? '' : `: they run the images of ${to}, which may be the same as in ${release}`;
  return `This job updates ${total} workloads in two steps, first to ${release} and then to ${to}. ${updated} are finished${same}. ${between} run ${release} and wait for the second step. ${previous} still run ${from}.${mixed}`;
}
