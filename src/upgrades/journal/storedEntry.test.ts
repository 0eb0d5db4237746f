import { describe, expect, test } from 'vitest';
import {
  FAILURE,
  MODE,
  PLANNED,
  STOPPED,
  UNDO,
  earlierJob,
  ended,
  entry,
} from '../../../test/support/upgrades/earlierJournal.ts';
import { TASK } from '../../../test/support/upgrades/sampleJournal.ts';
import type { JournalEntry } from '../../jobs/jobStore.ts';
import { taskOf } from '../values/task.ts';
import type { RunState } from './runState.ts';
import { readState } from './runState.ts';

function read(...entries: readonly JournalEntry[]): RunState {
  return readState(
    earlierJob('running'),
    entries.map((one, n) => ({ at: 1000 + n, entry: one })),
  );
}

describe('[STO1] the journal of an earlier build', () => {
  test('counts a wait that was reported by the minute as reported up to that minute', () => {
    const wait = { what: 'web', since: 1000, detail: '0 of 2', until: '2026-01-01T00:00:00.000Z' };
    const { waits } = read(entry('waited', { ...wait, minute: 3 }));
    expect(waits).toEqual(read(entry('waited', { ...wait, report: 4 })).waits);
    expect([...waits.values()]).toEqual([4]);
  });

  test('tells how a job ended, although it does not tell how the deployment was found', () => {
    expect(read(...PLANNED, STOPPED).outcome).toBe('stopped');
    const incomplete = ended({ kind: 'undoIncomplete', failures: [FAILURE] });
    expect(read(...PLANNED, UNDO, incomplete).outcome).toBe('undoIncomplete');
  });

  test('is continued after a retry, with the mode that the retry found', () => {
    const byHand = { ...MODE, isReadOnly: true };
    const retried = entry('retried', { by: 'ann', modeBefore: byHand });
    expect(read(...PLANNED, STOPPED, retried)).toMatchObject({ attempt: 1, modeBefore: byHand, outcome: undefined });
  });

  test('is continued in the middle of a rollback, although it does not tell when a restore was begun', () => {
    const restored: readonly JournalEntry[] = [
      entry('changesFound', { workloads: ['web', 'api'] }),
      entry('workloadRestored', { workload: 'web' }),
      { kind: 'databaseRestored' },
    ];
    const state = read(...PLANNED, UNDO, ...restored);
    expect([...state.restoredWorkloads]).toEqual(['web']);
    expect(state.restoresStarted.size).toBe(0);
    expect(state).toMatchObject({ isDatabaseRestored: true, undo: { cause: { kind: 'failed' } } });
  });
});

describe('[STO1] [UPG10] the task of an earlier build', () => {
  const { licenceHash: _, expectedPlan: __, ...earlier } = TASK;

  test('expects the plan whose hash the request named', () => {
    expect(taskOf({ id: 'j1', task: { ...earlier, planHash: 'abc' } })).toMatchObject({ expectedPlan: 'abc' });
  });

  test('expects any plan if the request named none', () => {
    expect(taskOf({ id: 'j1', task: earlier }).expectedPlan).toBeUndefined();
  });
});
