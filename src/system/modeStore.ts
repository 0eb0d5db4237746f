import type { Mode } from '../model/mode.ts';
import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';

export interface ModeStore {
  mode(): Promise<Mode>;
  /** One transaction, with no other write before or after it in doubt. */
  changeMode(by: Actor, decide: (found: Mode) => Decision<Mode>): Promise<Mode>;
}
