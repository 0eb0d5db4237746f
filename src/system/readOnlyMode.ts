import { modeEvent } from '../model/mode.ts';
import type { Actor } from '../model/actor.ts';
import { StewardError } from '../foundation/errors.ts';
import { cacheValue } from '../foundation/cachedValue.ts';
import type { ModeStore } from './modeStore.ts';
import type { Mode } from '../model/mode.ts';

export interface ModeEdit {
  readonly isReadOnly?: boolean | undefined;
  readonly message?: string | undefined;
}

/** Read-only mode. The store checks it exactly, in each write's own transaction; what is remembered here refuses early. */
export function createReadOnlyMode(needs: { readonly store: ModeStore }) {
  const { store } = needs;
  const { read, invalidate } = cacheValue(() => store.mode());

  return {
    read,

    invalidate,

    /** By a person; a job enters and leaves in its own transactions. */
    change(by: Actor, edit: ModeEdit): Promise<Mode> {
      return store.changeMode(by, (found) => {
        if (found.setBy === 'job') {
          throw new StewardError(
            'conflict',
            'A job has set read-only mode and will leave it when it ends. Watch it at system/upgrades.',
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
