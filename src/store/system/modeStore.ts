import type { Mode } from '../../model/mode.ts';
import type { ModeStore } from '../../system/modeStore.ts';
import { integer } from '../engine/codec.ts';
import type { Script } from '../engine/script.ts';
import { numbers } from '../engine/script.ts';
import type { RaiseRevision, TableDependencies } from '../transaction.ts';
import { modes, readMode, recordDecision, transaction } from '../transaction.ts';

const updateMode = modes.with({ id: integer('id') }).updater(['id']);

/** Needs the exclusive lock, so that every other write is entirely before or entirely after the change. */
export function* writeMode(mode: Mode, raise: RaiseRevision): Script<void> {
  yield* updateMode({ ...mode, id: 1 });
  yield* raise('mode');
}

/** The revision is read first: a change in between is shown again, with its own revision. */
function* readNumberedMode(): Script<{ readonly mode: Mode; readonly revision: number }> {
  const [revision = 0] = yield* numbers(`select n from revision where topic = 'mode'`);
  return { mode: yield* readMode(), revision };
}

/** Implements the port of read-only mode. */
export function createModeStore(dependencies: TableDependencies): ModeStore {
  return {
    mode: () => dependencies.engine.read(readMode()),

    numberedMode: () => dependencies.engine.read(readNumberedMode()),

    changeMode: (by, decide) =>
      transaction(dependencies, { closedWhen: 'never', lock: 'exclusive' }, function* (raise) {
        const decision = decide(yield* readMode());
        yield* writeMode(decision.change, raise);
        yield* recordDecision(by, dependencies.clock.now(), decision);
        return decision.change;
      }),
  };
}
