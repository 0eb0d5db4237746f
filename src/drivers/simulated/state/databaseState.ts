import type { DatabaseInstance, DatabasePhase } from '../../../model/workload.ts';
import type { RunState } from './runState.ts';

/**
 * Each arrow is a phase:
 * well ─readOnly→ readOnly ─promote→ promoted ─engine→ upgraded ─readWrite→ open ─standby→ well
 * `restore` leads back to `well` from every stage up to `upgraded`.
 */
export type Stage = 'well' | 'readOnly' | 'promoted' | 'upgraded' | 'open';

export interface DatabaseState {
  readonly instances: readonly DatabaseInstance[];
  readonly stage: Stage;
  /** The instances that did not start in earlier phases. */
  readonly down?: readonly string[];
  /** The phase that was begun last. `instances` and `stage` do not include its effect yet. */
  readonly last?: { readonly phase: DatabasePhase; readonly run: string; readonly state: RunState };
}
