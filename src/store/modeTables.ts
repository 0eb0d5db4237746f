import type { Mode, ModeStore } from '../upgrades/modeStore.ts';
import type { ChangeNeeds } from './change.ts';
import { change, tell } from './change.ts';
import type { Row } from './script.ts';
import { integer, row, rows, text } from './script.ts';

const MODE = 'select is_read_only, message, set_by from mode where id = 1';

function modeOf(found: Row | undefined): Mode {
  if (found === undefined) throw new Error('the mode has no row');
  return {
    isReadOnly: integer(found, 'is_read_only') === 1,
    message: text(found, 'message'),
    setBy: text(found, 'set_by') as Mode['setBy'],
  };
}

export function modeTables(needs: ChangeNeeds): ModeStore {
  return {
    async mode() {
      return modeOf((await needs.engine.query(MODE))[0]);
    },
    changeMode: (by, decide) =>
      change(needs, { closedBy: 'nothing', lock: 'exclusive' }, function* (raise) {
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
