import type { Message } from '../../jobs/jobStore.ts';
import { versionName } from '../../model/version.ts';
import type { Failure } from '../../model/failure.ts';
import type { DatabaseInstance } from '../../model/workload.ts';
import { listed } from '../plan/checks/check.ts';
import type { RolloutStep } from '../plan/plan.ts';
import { changesIn } from '../plan/plan.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import type { Entry, Found, Outcome } from './entry.ts';
import { elapsed, message, simulatedNote, withLines } from './messageText.ts';
import type { RunState } from './runState.ts';
import { isDatabaseTouched, isWorkloadDone, workloadKey } from './runState.ts';

/** The messages around the one that read-only mode was left. */
interface Ending {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

function succeeded({ job }: RunState, at: number): Ending {
  const { from, to, isSimulated } = job.task;
  const names = { from: versionName(from), to: versionName(to), simulated: simulatedNote(isSimulated) };
  const took = elapsed(Math.max(0, at - job.started));
  const after =
    job.kind === ROLLBACK
      ? [message('rollbackSucceeded', { ...names, ...took })]
      : [message('upgradeCompleted', took), message('upgradeSucceeded', names)];
  return { before: [], after };
}

export function describeFailure({ reason, lines, advice }: Failure): readonly Message[] {
  return [message('stepFailed', { reason, lines: withLines(lines) }), message('advice', { advice })];
}

/** Names the workloads that are not completely on one version. */
function mixedText({ unfinished, other }: NonNullable<Found['workloads']>): string {
  const begun =
    unfinished.length === 0
      ? ''
      : ` Between their previous and their new images: ${unfinished.length} (${listed(unfinished)}). Their rollouts were begun and are left to the deployment.`;
  return other.length === 0 ? begun : `${begun} Running other images: ${other.length} (${listed(other)}).`;
}

/** Names each unhealthy workload, on its own line. */
function unhealthyText({ workloads }: Found): string {
  return (workloads?.unhealthy ?? [])
    .map(({ workload, trouble }) => `\nUnhealthy: \`${workload}\` (${trouble.replace(/\.$/, '')}).`)
    .join('');
}

function instanceText({ name, role, engine, isReadOnly }: DatabaseInstance): string {
  return `\`${name}\` is ${role}, ${isReadOnly ? 'read-only' : 'read-write'}, engine ${engine}`;
}

/** What the journal knows about the database that the job has begun to change. */
function lastKnownDatabase({ plan, done, isDatabaseRestored }: RunState): string {
  if (isDatabaseRestored) return 'it was rolled back';
  const steps = plan?.steps.filter(({ kind }) => kind === 'database') ?? [];
  if (steps.every(({ id }) => done.has(id))) return 'its upgrade was complete';
  const last = steps.findLast(({ id }) => done.has(id));
  return last === undefined
    ? 'its upgrade had begun, and no step of it was complete'
    : `the last complete step of its upgrade was "${last.title}"`;
}

/** The database as the job has left it. */
function databaseText({ database, workloads }: Found, state: RunState): string {
  const isTouched = isDatabaseTouched(state);
  if (database === undefined) {
    if (!isTouched) return ' The job did not change the database.';
    return workloads === undefined
      ? ` The state of the database is unknown too. Last known: ${lastKnownDatabase(state)}.`
      : '';
  }
  const { instances, trouble } = database;
  const what = isTouched ? 'Database, as last reported' : 'The job did not change the database';
  return ` ${what}: ${instances.map(instanceText).join('; ')}.${trouble === undefined ? '' : ` ${trouble}`}`;
}

/** One failure is reported as the cause. The others are in the lines about unhealthy workloads. */
function adviceText(advice: string, { workloads }: Found): string {
  return (workloads?.unhealthy.length ?? 0) > 1 ? `${advice} Repair the other unhealthy workloads too.` : advice;
}

/** What the journal knows about the workloads of one rollout; undefined if none of them was begun. */
function lastKnownRollout(step: RolloutStep, state: RunState): string | undefined {
  const names = changesIn(step).map(({ workload }) => workload);
  const isDone = (name: string): boolean => state.done.has(step.id) || isWorkloadDone(state, step.id, name);
  const done = names.filter(isDone).length;
  const begun = names.filter((name) => !isDone(name) && state.workloads.has(workloadKey(step.id, name))).length;
  if (done + begun === 0) return undefined;
  return `the step "${step.title}" was complete for ${done} of ${names.length} workloads and begun for ${begun} more`;
}

/** What the journal knows about the workloads, if the deployment does not answer. */
function lastKnownWorkloads(state: RunState): string {
  const { plan, changedWorkloads, restoredWorkloads } = state;
  const rollouts = (plan?.steps ?? []).flatMap((step) => {
    const text = step.kind === 'rollout' ? lastKnownRollout(step, state) : undefined;
    return text === undefined ? [] : [text];
  });
  if (rollouts.length === 0) return 'no workload was changed';
  const restored =
    changedWorkloads.size === 0 ? [] : [`${restoredWorkloads.size} of ${changedWorkloads.size} were rolled back`];
  return [...rollouts, ...restored].join('; ');
}

/** How many workloads run what. */
function censusText({ workloads }: Found, state: RunState): string {
  const { job, targets } = state;
  if (workloads === undefined)
    return `What the workloads run is unknown, because the deployment did not answer; look at it directly. Last known: ${lastKnownWorkloads(state)}.`;
  const { updated, between, previous, unfinished, other, unhealthy } = workloads;
  const { from, to } = job.task;
  const total = updated + between + previous + unfinished.length + other.length;
  const release = targets[0]?.version;
  const halfway = between > 0 && release !== undefined ? `, ${between} run ${versionName(release)}` : '';
  const health = unhealthy.length === 0 ? ` All ${total} report that they are healthy.` : '';
  return `Of the ${total} workloads of this job, ${updated} run ${versionName(to)}${halfway} and ${previous} run ${versionName(from)}.${mixedText(workloads)}${health}`;
}

function leavesNoWriter(outcome: Outcome): boolean {
  return 'found' in outcome && !outcome.found.acceptsWrites;
}

/** Whether the system accepts writes after the job. */
function accessText(outcome: Outcome, { modeBefore }: RunState): string {
  if (modeBefore.isReadOnly) return 'The system stays in read-only mode, which was set by hand before the job.';
  if (leavesNoWriter(outcome))
    return 'The system stays in read-only mode, because no database instance accepts writes.';
  const isUnknown = 'found' in outcome && outcome.found.workloads === undefined;
  return `The system accepts writes${isUnknown ? '; whether they succeed is unknown' : ''}.`;
}

/** How much of the plan comes after the step at which the job stopped. */
function restText({ plan, done }: RunState, step: string): string {
  const open = plan?.steps.filter(({ id, title }) => !done.has(id) && title !== step).length ?? 0;
  if (open === 0) return 'All other steps are done.';
  return open === 1 ? '1 later step has not begun.' : `${open} later steps have not begun.`;
}

function stopped(outcome: Extract<Outcome, { kind: 'stopped' }>, state: RunState): Ending {
  const { job } = state;
  const { from, to } = job.task;
  const { failure, step, found } = outcome;
  const gaps = {
    from: versionName(from),
    to: versionName(to),
    job: job.id,
    step,
    rest: restText(state, step),
    census: `${censusText(found, state)}${databaseText(found, state)}`,
    access: `${accessText(outcome, state)}${unhealthyText(found)}`,
    reason: `${failure.reason}${withLines(failure.lines.slice(-3))}`,
    advice: adviceText(failure.advice, found),
  };
  return { before: describeFailure(failure), after: [message('upgradeStopped', gaps)] };
}

/** Volumes and the licence are not undone, because they do no harm. */
function remains({ done }: RunState): string {
  const names = [
    ...(done.has('volumes') ? ['created or expanded volumes'] : []),
    ...(done.has('licence') ? ['the licence'] : []),
  ];
  return names.length === 0 ? '' : ` Not rolled back, as this does no harm: ${names.join(', ')}.`;
}

const HEALTH_CHECK = 'health';

function restoredText({ plan, restoredDatabase }: RunState): string {
  if (restoredDatabase !== undefined)
    return `the database (${restoredDatabase.instances.map(instanceText).join('; ')})`;
  const primary = plan?.steps.find((one) => one.kind === 'database')?.primary ?? '';
  return `the database (\`${primary}\` is the primary again and accepts writes)`;
}

function undoneText(state: RunState): string {
  const { changedWorkloads, checks } = state;
  const count = changedWorkloads.size;
  const isTouched = isDatabaseTouched(state);
  const parts = [...(count > 0 ? [`${count} of ${count} workloads`] : []), ...(isTouched ? [restoredText(state)] : [])];
  const kept = remains(state);
  const database = isTouched ? '' : ' The job did not change the database.';
  // A workload counts as rolled back only after its rollout was observed to be complete.
  if (count > 0) return `Rolled back ${parts.join(' and ')}; the workloads are healthy.${database}${kept}`;
  const health = checks?.results.find(({ name }) => name === HEALTH_CHECK);
  const before = health === undefined ? '' : ` Health before the job: ${health.text}`;
  if (parts.length > 0) return `Rolled back ${parts.join(' and ')}; no workload was changed.${before}${kept}`;
  return kept === '' ? `Nothing was changed.${before}` : `No workload was changed.${database}${before}${kept}`;
}

/** The request that starts a job like this one again. */
function requestText({ job, targets }: RunState): string {
  const hasSettings = targets.length > 1 || targets.some(({ update }) => update === 'release');
  const settings = hasSettings ? ' and the same upgradeSettings' : '';
  return `POST system/upgrades/${job.kind} with versionManifest=${job.task.versionId}${settings}`;
}

/** The cause and the next act. The list of what was undone may be long, so the cause is repeated after it. */
function causeText(state: RunState): string {
  const { job, undo } = state;
  if (undo?.cause.kind !== 'failed') return ` To start the ${job.kind} again: ${requestText(state)}.`;
  const { reason, lines, advice } = undo.cause.failure;
  return `\nCause: ${reason}${withLines(lines.slice(-3))}\nWhat to do: ${advice} Then start the ${job.kind} again with ${requestText(state)}.`;
}

function undone(outcome: Outcome, state: RunState): Ending {
  const { job, undo } = state;
  const { from, to } = job.task;
  const gaps = {
    kind: job.kind,
    from: versionName(from),
    to: versionName(to),
    ended: undo?.cause.kind === 'failed' ? 'failed' : 'was cancelled',
    undone: undoneText(state),
    access: accessText(outcome, state),
    cause: causeText(state),
  };
  return { before: [], after: [message('rolledBack', gaps)] };
}

function undoIncomplete(outcome: Extract<Outcome, { kind: 'undoIncomplete' }>, state: RunState): Ending {
  const { found } = outcome;
  // Several workloads may fail for the same reason, which is reported once.
  const failures = [...new Map(outcome.failures.map((failure) => [failure.reason, failure])).values()];
  const { job, undo } = state;
  const { from, to } = job.task;
  const cause = undo?.cause.kind === 'failed' ? `\nCause: ${undo.cause.failure.reason}` : '';
  const gaps = {
    kind: job.kind,
    from: versionName(from),
    to: versionName(to),
    job: job.id,
    ended: undo?.cause.kind === 'failed' ? 'failed' : 'was cancelled',
    census: `${censusText(found, state)}${databaseText(found, state)}`,
    access: `${accessText(outcome, state)}${unhealthyText(found)}`,
    cause,
    reasons: failures.map(({ reason, lines }) => `${reason}${withLines(lines.slice(-3))}`).join('\n'),
    advice: adviceText([...new Set(failures.map(({ advice }) => advice))].join(' '), found),
  };
  return {
    before: failures.flatMap(({ reason, lines, advice }) => [
      message('undoFailed', { reason: `${reason}${withLines(lines)}` }),
      message('advice', { advice }),
    ]),
    after: [message('undoIncomplete', gaps)],
  };
}

export function endingOf(outcome: Outcome, state: RunState, at: number): Ending {
  if (outcome.kind === 'succeeded') return succeeded(state, at);
  if (outcome.kind === 'stopped') return stopped(outcome, state);
  return outcome.kind === 'undone' ? undone(outcome, state) : undoIncomplete(outcome, state);
}

export function describeEnd({ outcome }: Entry<'ended'>, state: RunState, at: number): readonly Message[] {
  const { before, after } = endingOf(outcome, state, at);
  if (leavesNoWriter(outcome) && !state.modeBefore.isReadOnly)
    return [...before, message('readOnlyKept', {}), ...after];
  const left = state.modeBefore.isReadOnly
    ? 'The job has ended its read-only mode. The system stays in the read-only mode that was set by hand before the job'
    : 'The system has left read-only mode';
  return [...before, message('readOnlyLeft', { left }), ...after];
}
