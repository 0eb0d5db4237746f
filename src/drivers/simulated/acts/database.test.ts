import { expect, test } from 'vitest';
import type { DatabasePhase } from '../../../model/workload.ts';
import { DATABASE_PHASES } from '../../../model/workload.ts';
import type { DatabaseState } from '../state/databaseState.ts';
import { currentDatabase, databaseTrouble, phaseObstacle } from './database.ts';

const INSTANCES = [
  { name: 'a', role: 'primary', isReadOnly: false, engine: '16' },
  { name: 'b', role: 'standby', isReadOnly: true, engine: '16' },
] as const;
const WELL: DatabaseState = { instances: INSTANCES, stage: 'well' };

/** The database after phases of 10 ms each, all done. */
function after(...phases: readonly DatabasePhase[]): DatabaseState {
  return phases.reduce(
    (database, phase) =>
      currentDatabase({ ...database, last: { phase, run: 'r', state: { begun: 0, durationMs: 10 } } }, 10),
    WELL,
  );
}

test.each<[DatabaseState['stage'], readonly DatabasePhase[], readonly DatabasePhase[]]>([
  ['well', [], ['readOnly', 'roles', 'standby', 'restore']],
  ['readOnly', ['readOnly'], ['readOnly', 'promote', 'restore']],
  ['promoted', ['readOnly', 'promote'], ['promote', 'engine', 'restore']],
  ['upgraded', ['readOnly', 'promote', 'engine'], ['engine', 'afterEngine', 'readWrite', 'restore']],
  ['open', ['readOnly', 'promote', 'engine', 'readWrite'], ['readWrite', 'roles', 'standby']],
])('in the stage %s only certain phases can begin', (stage, done, allowed) => {
  const database = after(...done);
  expect(database.stage).toBe(stage);
  expect(DATABASE_PHASES.filter((phase) => phaseObstacle(database, phase, 10) === undefined)).toEqual(allowed);
  expect(databaseTrouble(database, 10) === undefined).toBe(stage === 'well');
});

test.each<[readonly DatabasePhase[]]>([
  [['readOnly', 'restore']],
  [['readOnly', 'promote', 'restore']],
  [['readOnly', 'promote', 'engine', 'restore']],
])('after the phases %s the instances are as before', (phases) => {
  expect(after(...phases)).toEqual(WELL);
});

test('while a phase runs, only restore can begin', () => {
  const running: DatabaseState = {
    ...WELL,
    last: { phase: 'readOnly', run: 'r', state: { begun: 0, durationMs: 10 } },
  };
  expect(DATABASE_PHASES.filter((phase) => phaseObstacle(running, phase, 5) === undefined)).toEqual(['restore']);
});
