import type { Message } from '../../jobs/jobStore.ts';
import { versionName } from '../../model/version.ts';
import type { Failure } from '../../model/failure.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import type { Entry, Found, Outcome, UndoCause } from './entry.ts';
import { elapsed, message, simulatedNote, withLines } from './messageText.ts';
import type { RunState } from './runState.ts';
import { isDatabaseTouched } from './runState.ts';

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

function counted(names: readonly string[], what: string): string {
  return names.length === 0 ? '' : `, ${names.length} ${what} (${names.join(', ')})`;
}

/** How many workloads run what, and which are unhealthy. */
function censusText({ workloads }: Found, { job, targets }: RunState): string {
  if (workloads === undefined) return 'The deployment did not answer, so it is not known what the workloads run.';
  const { updated, between, previous, unfinished, other, unhealthy } = workloads;
  const { from, to } = job.task;
  const release = targets[0]?.version;
  const halfway = between > 0 && release !== undefined ? `, ${between} ${versionName(release)}` : '';
  const mixed = `${counted(unfinished, 'are not completely updated')}${counted(other, 'run something else')}`;
  const ill = unhealthy.map(({ workload, trouble }) => `${workload} (${trouble.replace(/\.$/, '')})`).join(', ');
  const health = unhealthy.length === 0 ? 'All of them are healthy.' : `Unhealthy: ${ill}.`;
  return `Of the workloads that the job changes, ${updated} run ${versionName(to)}${halfway}, ${previous} ${versionName(from)}${mixed}. ${health}`;
}

function stopped(outcome: Extract<Outcome, { kind: 'stopped' }>, state: RunState): Ending {
  const { job } = state;
  const { from, to } = job.task;
  const { failure, step, found } = outcome;
  const gaps = { from: versionName(from), to: versionName(to), job: job.id, step, census: censusText(found, state) };
  return { before: describeFailure(failure), after: [message('upgradeStopped', gaps)] };
}

function causeText(cause: UndoCause | undefined): string {
  if (cause === undefined) return '';
  if (cause.kind === 'cancelled') return 'It was cancelled.';
  const { reason, lines, advice } = cause.failure;
  const log = lines.length === 0 ? '' : ` Last lines: ${lines.slice(-3).join(' | ')}.`;
  return `The cause: ${reason}${log} What to do: ${advice}`;
}

/** Volumes and the licence are not undone, because they do no harm. */
function remains({ done }: RunState): string {
  const names = [
    ...(done.has('volumes') ? ['volumes that were made or grown'] : []),
    ...(done.has('licence') ? ['the licence'] : []),
  ];
  return names.length === 0 ? '' : ` What stays, and does no harm: ${names.join(', ')}.`;
}

/** The list of what was undone may be long, so the cause is repeated after it. */
function undone(state: RunState): Ending {
  const { job, undo, changedWorkloads } = state;
  const kept = remains(state);
  const what =
    changedWorkloads.size > 0 || isDatabaseTouched(state)
      ? `all that was changed was put back.${kept} ${causeText(undo?.cause)}`
      : `nothing ${kept === '' ? '' : 'that runs '}had been changed.${kept}`;
  const next = undo?.cause.kind === 'cancelled' ? 'whenever you like' : 'when the cause is gone';
  const gaps = { from: versionName(job.task.from), what: what.trimEnd(), kind: job.kind, next };
  return { before: [], after: [message('rolledBack', gaps)] };
}

function undoIncomplete({ failures, found }: Extract<Outcome, { kind: 'undoIncomplete' }>, state: RunState): Ending {
  const { job } = state;
  const { from, to } = job.task;
  const census = censusText(found, state);
  return {
    before: failures.flatMap(({ reason, lines, advice }) => [
      message('undoFailed', { reason: `${reason}${withLines(lines)}` }),
      message('advice', { advice }),
    ]),
    after: [
      message('undoIncomplete', { kind: job.kind, from: versionName(from), to: versionName(to), job: job.id, census }),
    ],
  };
}

export function endingOf(outcome: Outcome, state: RunState, at: number): Ending {
  if (outcome.kind === 'succeeded') return succeeded(state, at);
  if (outcome.kind === 'stopped') return stopped(outcome, state);
  return outcome.kind === 'undone' ? undone(state) : undoIncomplete(outcome, state);
}

export function describeEnd({ outcome }: Entry<'ended'>, state: RunState, at: number): readonly Message[] {
  const { before, after } = endingOf(outcome, state, at);
  if ('found' in outcome && !outcome.found.acceptsWrites && !state.modeBefore.isReadOnly)
    return [...before, message('readOnlyKept', {}), ...after];
  const left = state.modeBefore.isReadOnly
    ? 'The job is done with read-only mode. The system stays in it, as it was set by hand before'
    : 'The system has left read-only mode';
  return [...before, message('readOnlyLeft', { left }), ...after];
}
