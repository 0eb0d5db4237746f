import { StewardError } from '../foundation/errors.ts';
import type { Announcement } from './decision.ts';

/**
 * When an operation is refused: in read-only mode; only while a job has set it (`jobRuns`, answered as read-only mode, and
 * `upgradeRuns`, answered as a conflict with the upgrade); or never.
 */
export type ClosedWhen = 'readOnly' | 'jobRuns' | 'upgradeRuns' | 'never';

export interface Mode {
  readonly isReadOnly: boolean;
  readonly message: string;
  /** Only the job that has set the mode may end it. `failure`: a failed job left it on; a person may end it. */
  readonly setBy: 'hand' | 'job' | 'failure';
}

export const OPEN_MODE: Mode = { isReadOnly: false, message: '', setBy: 'hand' };

export function isClosed(closedWhen: ClosedWhen, { isReadOnly, setBy }: Mode): boolean {
  return isReadOnly && closedWhen !== 'never' && (closedWhen === 'readOnly' || setBy === 'job');
}

/** Refuses an operation that is closed now. The HTTP edge asks early; the store asks again in the transaction of the write. */
export function refuseWhenClosed(closedWhen: ClosedWhen, mode: Mode): void {
  if (!isClosed(closedWhen, mode)) return;
  const { message } = mode;
  if (closedWhen === 'upgradeRuns')
    throw new StewardError(
      'conflict',
      'This is closed while an upgrade or a rollback runs. Watch it at system/upgrades.',
      {
        details: message === '' ? [] : [message],
      },
    );
  throw new StewardError('readOnly', 'The system is in read-only mode, so nothing was changed. Try again later.', {
    details: message === '' ? [] : [message],
    retryAfterSeconds: 60,
  });
}

/** After a failure that leaves the system between two versions, read-only mode stays on, or the mode from before is restored. */
export const AFTER_FAILURE = ['readOnly', 'open'] as const;
export type AfterFailure = (typeof AFTER_FAILURE)[number];

/** Announces that read-only mode was entered or left; a change of its message alone is not announced. */
export function modeEvent(before: Mode, after: Mode): readonly Announcement[] {
  if (before.isReadOnly === after.isReadOnly) return [];
  return [{ type: after.isReadOnly ? 'readOnly.entered' : 'readOnly.left', data: { message: after.message } }];
}
