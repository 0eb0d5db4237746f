import type { Actor } from '../foundation/actor.ts';
import type { Announcement } from '../foundation/decision.ts';
import { StewardError } from '../foundation/errors.ts';
import { remember } from '../foundation/remembered.ts';
import type { Mode, ModeStore } from './modeStore.ts';

export interface ModeEdit {
  readonly isReadOnly?: boolean | undefined;
  readonly message?: string | undefined;
}

export function modeEvent(before: Mode, after: Mode): readonly Announcement[] {
  if (before.isReadOnly === after.isReadOnly) return [];
  return [{ type: after.isReadOnly ? 'readOnly.entered' : 'readOnly.left', data: { message: after.message } }];
}

/** Read-only mode. The store checks it exactly, in each write's own transaction; what is remembered here refuses early. */
export function createMode(needs: { readonly store: ModeStore }) {
  const { store } = needs;
  const { read, forget } = remember(() => store.mode());

  return {
    read,

    forget,

    /** By a person; a job enters and leaves in its own transactions. */
    changeByHand(by: Actor, edit: ModeEdit): Promise<Mode> {
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

export type ModeArea = ReturnType<typeof createMode>;
