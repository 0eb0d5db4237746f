// Whether the embedded store can be written to while the server runs: is its file still there, is it damaged, did the disk
// refuse the last write. `groupCommit.ts` asks before each group of writes, /readyz whenever it is asked itself.
import type { Stats } from 'node:fs';
import { statSync } from 'node:fs';
import type { Clock } from '../../../foundation/clock.ts';
import { MINUTE } from '../../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import { FILE_TROUBLES } from '../../../foundation/files/fileTrouble.ts';
import type { Log } from '../../../foundation/log.ts';
import { storeTroubleOf } from './storeTrouble.ts';

export interface StoreHealth {
  /** Throws if nothing may be written, because it would be lost. */
  refuseWrites(): void;
  /** Turns trouble of the store into an error that a caller may see, and remembers it. Other errors stay as they are. */
  translated(error: unknown): unknown;
  /** Records that a write has succeeded. */
  written(): void;
  /** Names what keeps the store from being used. */
  obstacles(): readonly string[];
}

const GONE =
  'the file of the store was removed or replaced while the server runs; put it back, or stop Steward and restore a backup';
const GONE_ANSWER =
  'The file of the store was removed or replaced, so nothing can be stored. Nothing was changed. Put the file back, or restore a backup.';
const DAMAGED = 'the store is damaged';
const RETRY_AFTER_SECONDS = 30;
/** A failed write is reported for a minute. It may have been the last one: without traffic, no later write can show that all is well. */
const REPORTED_FOR_MS = MINUTE;

function unavailable(message: string, cause?: unknown): StewardError {
  return new StewardError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

/** Undefined for a file that is not there, or that was emptied: one that is open has at least one page. The log may be empty. */
function inodeOf(path: string): Stats['ino'] | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.size === 0 && !path.endsWith('-wal') ? undefined : found?.ino;
}

/** Watches the files of an opened store. The inode of an open file is not used again, so it identifies the file. */
export function createStoreHealth(file: string, clock: Pick<Clock, 'now'>, log: Log): StoreHealth {
  const paths = [file, `${file}-wal`];
  const inodes = paths.map(inodeOf);
  let isGone = false;
  let damage: string | undefined;
  let failure: { readonly reason: string; readonly at: number } | undefined;

  /** Two calls of the system for each group of writes. A file that was moved away and came back is taken again. */
  function isFileGone(): boolean {
    const isGoneNow = paths.some((path, n) => inodeOf(path) !== inodes[n]);
    if (isGoneNow !== isGone) {
      isGone = isGoneNow;
      if (isGone)
        log.error(
          { store: file },
          'the file of the store was removed or replaced, so writes are refused; put it back, or stop Steward, restore a backup and start it again',
        );
      else log.info({ store: file }, 'the file of the store is back, and writes are accepted again');
    }
    return isGone;
  }

  function noteDamage(reason: string): void {
    if (damage !== undefined) return;
    damage = reason;
    log.error(
      { store: file, reason },
      'the store is damaged, so writes are refused; stop Steward, copy the data folder to a safe place, then restore the latest backup',
    );
  }

  return {
    refuseWrites() {
      if (damage !== undefined)
        throw unavailable('The store is damaged, so it accepts no changes. Nothing was changed.');
      if (isFileGone()) throw unavailable(GONE_ANSWER);
    },

    translated(error) {
      const trouble = storeTroubleOf(error);
      if (trouble === undefined || trouble === 'inUse') return error;
      if (trouble === 'damaged') {
        noteDamage(reasonOf(error));
        return unavailable('The store is damaged. Nothing was changed. The log of the server has the reason.', error);
      }
      // SQLite itself notices a missing file at some points, and calls it an error of the disk.
      if (isFileGone()) return unavailable(GONE_ANSWER, error);
      const { what } = FILE_TROUBLES[trouble];
      failure = { reason: what, at: clock.now() };
      return unavailable(`The store cannot be used: ${what}. Nothing was changed.`, error);
    },

    written() {
      failure = undefined;
    },

    obstacles: () => [
      ...(isFileGone() ? [GONE] : []),
      ...(damage === undefined ? [] : [`${DAMAGED}: ${damage}`]),
      ...(failure !== undefined && clock.now() - failure.at < REPORTED_FOR_MS
        ? [`the store could not be used a moment ago: ${failure.reason}`]
        : []),
    ],
  };
}
