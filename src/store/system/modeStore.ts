import type { ModeStore } from '../../system/modeStore.ts';
import type { Mode } from '../../model/mode.ts';
import type { TableDependencies, RaiseRevision } from '../transaction.ts';
import { MODE, transaction, modeOf, recordDecision } from '../transaction.ts';
import type { Script } from '../engine/script.ts';
import { row, rows } from '../engine/script.ts';

/** In a transaction that is alone, so that every other write is wholly before it or wholly after it. */
export function* writeMode({ isReadOnly, message, setBy }: Mode, raise: RaiseRevision): Script<void> {
  yield* rows(
    'update mode set is_read_only = $1, message = $2, set_by = $3 where id = 1',
    isReadOnly ? 1 : 0,
    message,
    setBy,
  );
  yield* raise('mode');
}

export function createModeStore(needs: TableDependencies): ModeStore {
  return {
    async mode() {
      return modeOf((await needs.engine.query(MODE))[0]);
    },
    changeMode: (by, decide) =>
      transaction(needs, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const decision = decide(modeOf(yield* row(MODE)));
        yield* writeMode(decision.change, raise);
        yield* recordDecision(by, needs.clock.now(), decision);
        return decision.change;
      }),
  };
}
