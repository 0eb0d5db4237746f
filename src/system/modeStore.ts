import type { Actor } from '../model/actor.ts';
import type { Decision } from '../model/decision.ts';
import type { Mode } from '../model/mode.ts';

/** Each method is one transaction. */
export interface ModeStore {
  mode(): Promise<Mode>;
  /** The mode with the number of changes so far, which orders modes that replicas show late. */
  numberedMode(): Promise<{ readonly mode: Mode; readonly revision: number }>;
  /** Changes the mode while no other write is in progress: every write happens under the old mode or under the new one. */
  changeMode(by: Actor, decide: (found: Mode) => Decision<Mode>): Promise<Mode>;
}
