import type { Message } from '../../../jobs/jobStore.ts';
import { versionName } from '../../../model/version.ts';
import type { Failure } from '../../../model/failure.ts';
import { counted } from '../../../foundation/text/counted.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { omissionText } from '../../values/omission.ts';
import { sameRequest } from './sameRequest.ts';
import { ROLLBACK } from '../../ports/upgradeStore.ts';
import { adviceText, censusText, databaseText, instancesText, joined, unhealthyText } from './describeFound.ts';
import type { Entry, Outcome, UndoFailure } from '../entry.ts';
import { elapsed, message, simulatedNote, withLines } from '../messageText.ts';
import { changesOf, isUpdate } from '../../values/plan.ts';
import type { RunState } from '../runState.ts';
import type { KeptBecause } from './keptMode.ts';
import { KEPT_REASONS, keptBecause } from './keptMode.ts';
import { isDatabaseTouched } from '../runState.ts';

/** The messages around the one that read-only mode was left. */
interface Ending {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** What the job has left out. A version that is not complete is never reported as if it were. */
function incompleteText({ incomplete = [] }: Extract<Outcome, { kind: 'succeeded' }>): string {
  if (incomplete.length === 0) return '';
  return ` Not complete: ${listed(incomplete.map(omissionText), '; ')}. They stay in the drift until they run the images of the version.`;
}

function succeeded(outcome: Extract<Outcome, { kind: 'succeeded' }>, { job }: RunState, at: number): Ending {
  const { from, to, isSimulated } = job.task;
  const incomplete = incompleteText(outcome);
  const names = { from: versionName(from), to: versionName(to), simulated: simulatedNote(isSimulated), incomplete };
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

/** Whether the system accepts writes after the job. */
function accessText(outcome: Outcome, state: RunState): string {
  const why = keptBecause(outcome, state);
  if (state.modeBefore.isReadOnly)
    return `The system stays in read-only mode, which was on before the job.${why === undefined ? '' : ` Leave it on: ${KEPT_REASONS[why]}.`}`;
  const isUnknown = 'found' in outcome && outcome.found.workloads === undefined;
  if (why === 'noWriter' && isUnknown)
    return 'The system stays in read-only mode, because no database instance accepted writes at that time.';
  if (why !== undefined) return `The system stays in read-only mode, because ${KEPT_REASONS[why]}.`;
  if (!isUnknown) return 'The system accepts writes.';
  const since = isDatabaseTouched(state)
    ? 'the database accepted them at that time'
    : 'this job did not close the database';
  return `The system accepts writes, because ${since}.`;
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
  if (restoredDatabase !== undefined) return `the database (now ${instancesText(restoredDatabase)})`;
  const primary = plan?.steps.find((one) => one.kind === 'database')?.primary ?? '';
  return `the database (\`${primary}\` is the primary again and accepts writes)`;
}

function undoneText(state: RunState): string {
  const { changedWorkloads, checks, plan } = state;
  const updates = new Set(
    plan === undefined ? [] : changesOf(plan).flatMap((one) => (isUpdate(one) ? [one.workload] : [])),
  );
  const count = [...changedWorkloads].filter((name) => updates.has(name)).length;
  const others = changedWorkloads.size - count;
  const isTouched = isDatabaseTouched(state);
  const parts = [
    ...(count > 0 ? [`${count} of ${count} workloads`] : []),
    ...(others > 0 ? [counted(others, count > 0 ? 'other object' : 'object')] : []),
    ...(isTouched ? [restoredText(state)] : []),
  ];
  const kept = remains(state);
  const database = isTouched ? '' : ' The job did not change the database.';
  // A workload counts as rolled back only after its rollout was observed to be complete.
  if (count > 0) return `Rolled back ${joined(parts)}; the workloads are healthy.${database}${kept}`;
  const health = checks?.results.find(({ name }) => name === HEALTH_CHECK);
  const before = health === undefined ? '' : ` Health before the job: ${health.text}`;
  if (parts.length > 0) return `Rolled back ${joined(parts)}; no workload was changed.${before}${kept}`;
  return kept === ''
    ? `Nothing was changed, neither the workloads nor the database.${before}`
    : `No workload was changed.${database}${before}${kept}`;
}

/** Longer settings are not part of a message. */
const MAX_SETTINGS = 2000;

/** The settings of a job, as a request has to send them. */
function settingsText(state: RunState): string {
  const { upgradeSettings, withoutRestorePoint, afterFailure, acknowledge } = sameRequest(state);
  const waived = [
    ...(withoutRestorePoint === undefined ? [] : [' and withoutRestorePoint=true']),
    ...(afterFailure === undefined ? [] : [` and afterFailure=${afterFailure}`]),
    ...(acknowledge === undefined ? [] : [` and acknowledge=${acknowledge.join(',')}`]),
  ].join('');
  if (upgradeSettings === undefined) return waived;
  const json = JSON.stringify(upgradeSettings);
  return json.length > MAX_SETTINGS
    ? ` and the same upgradeSettings${waived}`
    : ` and upgradeSettings=${json}${waived}`;
}

/** The request that starts a job like this one again. */
function requestText(state: RunState): string {
  const { kind, task } = state.job;
  const settings = kind === ROLLBACK ? '' : settingsText(state);
  const kept = kind !== ROLLBACK && task.licenceUpload !== undefined ? ' (the uploaded licence is kept for it)' : '';
  return `POST system/upgrades/${kind} with versionManifest=${task.versionId}${settings}${kept}`;
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

/** Why something could not be rolled back, and which workloads. */
function undoReason({ reason, workloads = [] }: UndoFailure): string {
  const isNamed = workloads.length === 0 || (workloads.length === 1 && reason.includes(`\`${workloads[0]}\``));
  return isNamed ? reason : `${reason} Not rolled back because of this: ${workloads.length} (${listed(workloads)}).`;
}

/**
 * What to do before the rollback is continued, and what before the job is started again. While the database is not restored,
 * the cause of the failure may be the database itself, so that it is repaired first.
 */
export function undoAdvice(failures: readonly UndoFailure[], state: RunState): { advice: string; after: string } {
  const { undo, job, isDatabaseRestored } = state;
  const repairs = [...new Set(failures.map(({ advice }) => advice))];
  const cause = undo?.cause.kind === 'failed' ? undo.cause.failure.advice : undefined;
  if (cause === undefined || repairs.includes(cause)) return { advice: repairs.join(' '), after: '' };
  if (isDatabaseTouched(state) && !isDatabaseRestored) return { advice: [cause, ...repairs].join(' '), after: '' };
  return { advice: repairs.join(' '), after: ` Before you start the ${job.kind} again: ${cause}` };
}

function undoIncomplete(outcome: Extract<Outcome, { kind: 'undoIncomplete' }>, state: RunState): Ending {
  const { found, failures } = outcome;
  const { job, undo } = state;
  const { from, to } = job.task;
  const cause = undo?.cause.kind === 'failed' ? `\nCause: ${undo.cause.failure.reason}` : '';
  const { advice, after } = undoAdvice(failures, state);
  const gaps = {
    kind: job.kind,
    from: versionName(from),
    to: versionName(to),
    job: job.id,
    ended: undo?.cause.kind === 'failed' ? 'failed' : 'was cancelled',
    census: `${censusText(found, state)}${databaseText(found, state)}`,
    access: `${accessText(outcome, state)}${unhealthyText(found)}`,
    cause,
    reasons: failures.map((failure) => `${undoReason(failure)}${withLines(failure.lines.slice(-3))}`).join('\n'),
    advice: adviceText(advice, found),
    after,
  };
  return {
    before: failures.flatMap((failure) => [
      message('undoFailed', { reason: `${undoReason(failure)}${withLines(failure.lines)}` }),
      message('advice', { advice: failure.advice }),
    ]),
    after: [message('undoIncomplete', gaps)],
  };
}

export function endingOf(outcome: Outcome, state: RunState, at: number): Ending {
  if (outcome.kind === 'succeeded') return succeeded(outcome, state, at);
  if (outcome.kind === 'stopped') return stopped(outcome, state);
  return outcome.kind === 'undone' ? undone(outcome, state) : undoIncomplete(outcome, state);
}

/** Sent instead of the message that read-only mode was left. */
function keptMessage(why: KeptBecause, { modeBefore }: RunState): Message {
  if (modeBefore.isReadOnly) return message('readOnlyKeptByHand', { why: KEPT_REASONS[why] });
  return why === 'noWriter'
    ? message('readOnlyKept', {})
    : message('readOnlyKeptAfterFailure', { why: KEPT_REASONS[why] });
}

export function describeEnd(
  { outcome, modeNotShown }: Entry<'ended'>,
  state: RunState,
  at: number,
): readonly Message[] {
  const { before, after } = endingOf(outcome, state, at);
  const why = keptBecause(outcome, state);
  if (why !== undefined) return [...before, keptMessage(why, state), ...after];
  const left = state.modeBefore.isReadOnly
    ? 'The job has left its read-only mode. Read-only mode was on before the job, so the system stays read-only until isReadOnly=false is set at mode'
    : 'The system has left read-only mode';
  if (modeNotShown === undefined || state.modeBefore.isReadOnly)
    return [...before, message('readOnlyLeft', { left }), ...after];
  const { reason, advice } = modeNotShown;
  const untold = `${left}. The workloads are not told yet, and still see it (2952)`;
  return [message('modeNotShown', { reason, advice }), ...before, message('readOnlyLeft', { left: untold }), ...after];
}
