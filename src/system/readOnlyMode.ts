import { cacheValue } from '../foundation/cachedValue.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Mode } from '../model/mode.ts';
import { modeEvent } from '../model/mode.ts';
import type { ModeStore } from './modeStore.ts';

export interface ModeEdit {
  readonly isReadOnly?: boolean | undefined;
  readonly message?: string | undefined;
}

export interface ReadOnlyModeOptions {
  readonly store: ModeStore;
  /** Resolves when all that was committed before the call is known here, and `invalidate` was called for it. */
  readonly catchUp: () => Promise<void>;
}

/** Creates the area of read-only mode. Its cached value refuses early; the store checks in the transaction of each write. */
export function createReadOnlyMode({ store, catchUp }: ReadOnlyModeOptions) {
  const { read, invalidate } = cacheValue(() => store.mode());

  return {
    /** Returns the last known mode. Another replica may have changed it a moment ago. */
    read,

    /** Returns the mode as it is now. A replica that is alone knows it without asking the store. */
    async current(): Promise<Mode> {
      await catchUp();
      return read();
    },

    /** Reads the mode as it is now, with the number of its changes so far. */
    numbered: () => store.numberedMode(),

    /** Drops the cached mode after a change, on this replica or another. */
    invalidate,

    /** Changes the mode for a person. A job changes it in its own transactions. */
    change(by: Actor, edit: ModeEdit): Promise<Mode> {
      return store.changeMode(by, (found) => {
        if (found.setBy === 'job') {
          throw new StewardError(
            'conflict',
            'Read-only mode cannot be changed while an upgrade or a rollback runs. The job ends it. Watch it at system/upgrades.',
          );
        }
        const isReadOnly = edit.isReadOnly ?? found.isReadOnly;
        const next: Mode = { isReadOnly, message: isReadOnly ? (edit.message ?? found.message) : '', setBy: 'hand' };
        return {
          change: next,
          announce: modeEvent(found, next),
          audit: [{ action: 'mode.change', target: 'mode', before: found, after: next }],
        };
      });
    },
  };
}

export type ReadOnlyMode = ReturnType<typeof createReadOnlyMode>;
