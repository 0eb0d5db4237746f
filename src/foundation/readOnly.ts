import { StewardError } from './errors.ts';

/** When something is closed: whenever the system is read-only, only while an upgrade holds it so, or never. */
export type ClosedWhen = 'readOnly' | 'jobRuns' | 'upgradeRuns' | 'never';

interface Mode {
  readonly isReadOnly: boolean;
  readonly message: string;
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
