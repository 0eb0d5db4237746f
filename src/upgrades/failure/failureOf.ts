// Why a job did not end as it should, and what to do about it: computed from its state when it ends, and kept with the job.
import { actionsOf } from '../../model/failure.ts';
import type { NextAction } from '../../model/nextAction.ts';
import { distinctActions } from '../../model/nextAction.ts';
import { adviceText } from '../journal/end/describeFound.ts';
import { undoAdvice } from '../journal/end/describeEnd.ts';
import { keptBecause } from '../journal/end/keptMode.ts';
import type { Found, Outcome } from '../journal/entry.ts';
import type { RunState } from '../journal/runState.ts';
import { isDatabaseTouched } from '../journal/runState.ts';
import type { JobFailure } from '../values/task.ts';
import { startAgain } from '../journal/end/sameRequest.ts';

const LOOK: NextAction = { action: 'diagnostics', parameters: { of: 'deployment' } };

/** What ends read-only mode before the job is finished, if the job has left it on. */
function openActions(outcome: Outcome, state: RunState): readonly NextAction[] {
  const why = keptBecause(outcome, state);
  if (why === undefined || state.modeBefore.isReadOnly) return [];
  return [{ action: 'openForWrites', parameters: why === 'noWriter' ? { force: true } : {} }];
}

function unhealthyIn({ workloads }: Found) {
  return workloads?.unhealthy ?? [];
}

/** The job stopped after the point of no return. Once the cause is gone, it goes on. */
function stopped(outcome: Extract<Outcome, { kind: 'stopped' }>, state: RunState): JobFailure {
  const { failure, found } = outcome;
  const { job } = state;
  const { reason, lines, advice } = failure;
  return {
    reason,
    lines,
    advice: adviceText(advice, found),
    nextActions: distinctActions([
      ...actionsOf([failure, ...unhealthyIn(found)]),
      { action: 'retry', parameters: { job: job.id } },
    ]),
    alternatives: [
      LOOK,
      ...openActions(outcome, state),
      // A person says which version runs then: it is what a restore point has brought back, or what was finished by hand.
      { action: 'adopt', parameters: { force: true } },
    ],
  };
}

/** A part could not be rolled back. The cause of the failure is repaired first only if the database may be that cause. */
function undoIncomplete(outcome: Extract<Outcome, { kind: 'undoIncomplete' }>, state: RunState): JobFailure {
  const { failures, found } = outcome;
  const { job, undo, isDatabaseRestored } = state;
  const isCauseFirst = isDatabaseTouched(state) && !isDatabaseRestored;
  const cause = undo?.cause.kind === 'failed' && isCauseFirst ? [undo.cause.failure] : [];
  return {
    reason: failures.map(({ reason }) => reason).join(' '),
    lines: failures.flatMap(({ lines }) => lines),
    advice: adviceText(undoAdvice(failures, state).advice, found),
    nextActions: distinctActions([
      ...actionsOf([...cause, ...failures, ...unhealthyIn(found)]),
      { action: 'retry', parameters: { job: job.id } },
    ]),
    alternatives: [LOOK, ...openActions(outcome, state), { action: 'adopt', parameters: { force: true } }],
  };
}

/** Everything was rolled back, so the same job can be started again. */
function undone(state: RunState): JobFailure {
  const { undo, job } = state;
  const again = startAgain(state);
  if (undo?.cause.kind !== 'failed')
    return {
      reason: `The ${job.kind} was cancelled and rolled back.`,
      lines: [],
      advice: `Start the ${job.kind} again if it is still wanted.`,
      nextActions: again,
      alternatives: [],
    };
  const { reason, lines, advice } = undo.cause.failure;
  return {
    reason,
    lines,
    advice,
    nextActions: distinctActions([...actionsOf([undo.cause.failure]), ...again]),
    alternatives: [LOOK],
  };
}

/** Undefined if the latest attempt of the job has succeeded or has not ended. */
export function failureOf(state: RunState): JobFailure | undefined {
  const { end } = state;
  if (end === undefined || end.kind === 'succeeded') return undefined;
  if (end.kind === 'stopped') return stopped(end, state);
  return end.kind === 'undone' ? undone(state) : undoIncomplete(end, state);
}
