import { cacheValue } from '../foundation/cache/cachedValue.ts';
import { StewardError } from '../foundation/errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Mode } from '../model/mode.ts';
import { modeEvent } from '../model/mode.ts';
import type { ModeStore } from './modeStore.ts';

export interface ModeEdit {
  readonly isReadOnly?: boolean | undefined;
  readonly message?: string | undefined;
  /** Ends read-only mode although something speaks against it. */
  readonly force?: boolean | undefined;
}

export interface ReadOnlyModeOptions {
  readonly store: ModeStore;
  /** Resolves when all that was committed before the call is known here, and `invalidate` was called for it. */
  readonly catchUp: () => Promise<void>;
  /** Why nothing could be written if read-only mode ended now, and what to do; undefined if writes would work. */
  readonly openingProblem?: () => Promise<{ readonly reason: string; readonly advice: string } | undefined>;
}

/** Creates the area of read-only mode. Its cached value refuses early; the store checks in the transaction of each write. */
export function createReadOnlyMode({ store, catchUp, openingProblem }: ReadOnlyModeOptions) {
  const { read, invalidate } = cacheValue(() => store.mode());

  async function current(): Promise<Mode> {
    await catchUp();
    return read();
  }

  return {
    /** Returns the last known mode. Another replica may have changed it a moment ago. */
    read,

    /** Returns the mode as it is now. A replica that is alone knows it without asking the store. */
    current,

    /** Reads the mode as it is now, with the number of its changes so far. */
    numbered: () => store.numberedMode(),

    /** Drops the cached mode after a change, on this replica or another. */
    invalidate,

    /** Changes the mode for a person. A job changes it in its own transactions. */
    async change(by: Actor, { force = false, ...edit }: ModeEdit): Promise<Mode> {
      const before = edit.isReadOnly === false ? await current() : undefined;
      const isOpening = before?.isReadOnly === true && before.setBy !== 'job';
      const problem = isOpening ? await openingProblem?.() : undefined;
      if (problem !== undefined && !force)
        throw new StewardError('conflict', `Read-only mode was not ended: ${problem.reason}`, {
          details: [problem.advice, 'To end it nevertheless, send force=true.'],
        });
      return store.changeMode(by, (found) => {
        if (found.setBy === 'job') {
          throw new StewardError(
            'conflict',
            'Read-only mode cannot be changed while an upgrade or a rollback runs. The job ends it. Watch it at system/upgrades.',
          );
        }
        if (found.isReadOnly && before?.isReadOnly === false)
          throw new StewardError('conflict', 'Read-only mode was set a moment ago. Read mode, then try again.');
        const isReadOnly = edit.isReadOnly ?? found.isReadOnly;
        const message = isReadOnly ? (edit.message ?? found.message) : '';
        // Another message alone does not take over the mode that a failed job has left on: its retry still ends it.
        const next: Mode = { isReadOnly, message, setBy: edit.isReadOnly === undefined ? found.setBy : 'hand' };
        const forced = problem === undefined ? {} : { force: true, problem: problem.reason };
        return {
          change: next,
          announce: modeEvent(found, next),
          audit: [{ action: 'mode.change', target: 'mode', before: found, after: { ...next, ...forced } }],
        };
      });
    },
  };
}

export type ReadOnlyMode = ReturnType<typeof createReadOnlyMode>;
