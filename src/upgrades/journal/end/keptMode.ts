// Decides whether read-only mode stays on after a job, and says why in words.
import type { Mode } from '../../../model/mode.ts';
import { versionName } from '../../../model/version.ts';
import type { Outcome } from '../entry.ts';
import { leavesNoWriter } from '../outcome.ts';
import type { RunState } from '../runState.ts';

/** Why read-only mode stays on after a job that failed. */
export type KeptBecause = 'noWriter' | 'pastReturn' | 'rollbackIncomplete';

/** Undefined if the mode from before the job is restored. A rollback that is not complete counts as past the point of no return. */
export function keptBecause(
  outcome: Outcome,
  { afterFailure }: Pick<RunState, 'afterFailure'>,
): KeptBecause | undefined {
  if (!('found' in outcome)) return undefined;
  if (leavesNoWriter(outcome)) return 'noWriter';
  if (afterFailure === 'open') return undefined;
  return outcome.kind === 'stopped' ? 'pastReturn' : 'rollbackIncomplete';
}

export const KEPT_REASONS: Readonly<Record<KeptBecause, string>> = {
  noWriter: 'no database instance accepts writes',
  pastReturn: 'writes on a half-upgraded system would be lost with a restore of the restore point',
  rollbackIncomplete: 'writes on a system that is not completely rolled back may be lost when it is repaired',
};

/** The mode after a job: the one from before, unless it has to stay closed until a retry, `adopt` or a person opens it. */
export function modeAfter(state: RunState, outcome: Outcome): Mode {
  const { modeBefore, job } = state;
  const why = keptBecause(outcome, state);
  if (why === undefined || modeBefore.isReadOnly) return modeBefore;
  const what = `The ${job.kind} from ${versionName(job.task.from)} to ${versionName(job.task.to)} has failed`;
  // The message stays until the mode changes, and the database may be repaired before.
  const [reason, open] =
    why === 'noWriter'
      ? [
          'no database instance accepted writes at that time',
          'To open it before that, set isReadOnly=false at mode; while no instance accepts writes, this needs force=true, and writes fail.',
        ]
      : [KEPT_REASONS[why], 'To accept writes before that, set isReadOnly=false at mode.'];
  const message = `${what}, and ${reason}. Continue it with POST system/jobs/${job.id}/retry; its success ends read-only mode. ${open}`;
  return { isReadOnly: true, message, setBy: 'failure' };
}
