import type { Actor } from '../foundation/actor.ts';
import type { Decision } from '../foundation/decision.ts';

export interface Mode {
  readonly isReadOnly: boolean;
  readonly message: string;
  /** A job that set it is the only one that may end it. */
  readonly setBy: 'hand' | 'job';
}

export interface ModeStore {
  mode(): Promise<Mode>;
  /** One transaction, with no other write before or after it in doubt. */
  changeMode(by: Actor, decide: (found: Mode) => Decision<Mode>): Promise<Mode>;
}
