import type { ModeStore } from '../upgrades/modeStore.ts';
import type { ChangeNeeds } from './change.ts';
import { MODE, change, modeOf, tell } from './change.ts';
import { row, rows } from './script.ts';

export function modeTables(needs: ChangeNeeds): ModeStore {
  return {
    async mode() {
      return modeOf((await needs.engine.query(MODE))[0]);
    },
    changeMode: (by, decide) =>
      change(needs, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const decision = decide(modeOf(yield* row(MODE)));
        const { isReadOnly, message, setBy } = decision.change;
        yield* rows(
          'update mode set is_read_only = $1, message = $2, set_by = $3 where id = 1',
          isReadOnly ? 1 : 0,
          message,
          setBy,
        );
        yield* raise('mode');
        yield* tell(by, needs.clock.now(), decision);
        return decision.change;
      }),
  };
}
