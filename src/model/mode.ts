import { StewardError } from '../foundation/errors.ts';
import type { Announcement } from './decision.ts';

/** When something is closed: whenever the system is read-only, only while an upgrade holds it so, or never. */
export type ClosedWhen = 'readOnly' | 'jobRuns' | 'upgradeRuns' | 'never';

export interface Mode {
  readonly isReadOnly: boolean;
  readonly message: string;
  /** A job that set it is the only one that may end it. */
  readonly setBy: 'hand' | 'job';
}

/** Asked early at the edge, and exactly in the store, in the write's own transaction. */
export function refuseWhenClosed(closedWhen: ClosedWhen, { isReadOnly, message, setBy }: Mode): void {
  if (!isReadOnly || closedWhen === 'never' || (closedWhen !== 'readOnly' && setBy !== 'job')) return;
  if (closedWhen === 'upgradeRuns')
    throw new StewardError('conflict', 'This is closed while an upgrade runs. Watch it at system/upgrades.', {
      details: message === '' ? [] : [message],
    });
  throw new StewardError('readOnly', 'The system is in read-only mode. Try again when it has left it.', {
    details: message === '' ? [] : [message],
    retryAfterSeconds: 60,
  });
}

export function modeEvent(before: Mode, after: Mode): readonly Announcement[] {
  if (before.isReadOnly === after.isReadOnly) return [];
  return [{ type: after.isReadOnly ? 'readOnly.entered' : 'readOnly.left', data: { message: after.message } }];
}
