import { describe, expect, test } from 'vitest';
import { newJob } from '../../jobs/jobStore.ts';
import type { JobSpec } from '../values/task.ts';
import { applyEntries } from './describe.ts';
import type { Entry } from './entry.ts';
import type { RunState } from './runState.ts';
import { fold, initialState, isDatabaseTouched, isWorkloadDone, readState } from './runState.ts';
import { CHECKS_FAILED, CHECKS_PASSED, PLAN, TASK } from '../../../test/support/upgrades/sampleJournal.ts';

const JOB = newJob({
  id: 'j1',
  kind: 'upgrade',
  task: TASK,
  cursor: { isPastReturn: false },
  total: 0,
  startedBy: 'ann',
  started: 1000,
});
const MODE = { isReadOnly: false, message: '', setBy: 'hand' } as const;
const TARGETS: JobSpec['targets'] = [];
const ACCEPTED: Entry = { kind: 'accepted', targets: TARGETS, alreadyDone: [], isPastReturn: false, modeBefore: MODE };
const PLANNED: readonly Entry[] = [ACCEPTED, { kind: 'launched' }, CHECKS_PASSED, { kind: 'planned', plan: PLAN }];

function after(...entries: readonly Entry[]): RunState {
  return entries.reduce((state, entry, n) => fold(state, entry, 1000 + n), initialState(JOB));
}

describe('[UPG11] the state of a job', () => {
  test('is the same whether its entries are folded one by one or read from the store', () => {
    const entries = [...PLANNED, { kind: 'stepStarted', step: 'hook/backup', attempt: 0 }] as const;
    const records = entries.map((entry, n) => ({ at: 1000 + n, entry }));
    expect(readState(JOB, records)).toEqual(after(...entries));
  });

  test('does not change the state that it was folded from', () => {
    const before = after(...PLANNED);
    const copy = structuredClone({ done: [...before.done], units: before.units });
    fold(before, { kind: 'stepDone', step: 'hook/backup', tookMs: 5, lines: [] }, 2000);
    expect({ done: [...before.done], units: before.units }).toEqual(copy);
  });

  test('starts with the steps that a failed job has done', () => {
    const { done, isPastReturn } = after({ ...ACCEPTED, alreadyDone: ['hook/backup'], isPastReturn: true });
    expect([...done]).toEqual(['hook/backup']);
    expect(isPastReturn).toBe(true);
  });

  test('counts each workload and each other step as one unit of progress', () => {
    const state = after(
      ...PLANNED,
      { kind: 'stepDone', step: 'hook/backup', tookMs: 5, lines: [] },
      { kind: 'workloadStarted', step: 'release', workload: 'web' },
      { kind: 'imagesRequested', step: 'release', workload: 'web', attempt: 0 },
      { kind: 'workloadDone', step: 'release', workload: 'web', tookMs: 7 },
      { kind: 'rolloutDone', step: 'release' },
    );
    expect(state.units).toBe(2);
    expect(isWorkloadDone(state, 'release', 'web')).toBe(true);
    expect(isWorkloadDone(state, 'patch', 'web')).toBe(false);
  });

  test('remembers when the images of a workload were requested, and by which attempt', () => {
    const requested = { kind: 'imagesRequested', step: 'release', workload: 'web' } as const;
    const first = after(...PLANNED, { ...requested, attempt: 0 });
    expect(first.workloads.get('release/web')?.requested).toEqual({ attempt: 0, at: 1004 });
    const retried = fold(first, { kind: 'retried', by: 'ann', modeBefore: MODE }, 5000);
    expect(retried.attempt).toBe(1);
    expect(retried.workloads.get('release/web')?.requested?.attempt).toBe(0);
    const again = fold(retried, { ...requested, attempt: 1 }, 6000);
    expect(again.workloads.get('release/web')?.requested).toEqual({ attempt: 1, at: 6000 });
  });

  test('[UPG13] knows that the database was touched as soon as one of its steps was started', () => {
    expect(isDatabaseTouched(after(...PLANNED))).toBe(false);
    const started: Entry = { kind: 'stepStarted', step: 'database/readOnly', attempt: 0 };
    expect(isDatabaseTouched(after(...PLANNED, started))).toBe(true);
  });

  test('takes the mode to return to from the latest retry', () => {
    const later = { isReadOnly: true, message: 'by hand', setBy: 'hand' } as const;
    expect(after(...PLANNED, { kind: 'retried', by: 'ann', modeBefore: later }).modeBefore).toEqual(later);
  });
});

describe('a stored journal', () => {
  test('is refused if it has an entry of an unknown kind', () => {
    expect(() => readState(JOB, [{ at: 1, entry: { kind: 'planted' } }])).toThrow('unknown entry planted');
  });

  test('is refused if its plan has another format', () => {
    const entry = { kind: 'planned', plan: { ...PLAN, format: 0 } };
    expect(() => readState(JOB, [{ at: 1, entry }])).toThrow('has the format 0');
  });
});

describe('[UPG15] the messages of an entry', () => {
  const textsOf = (before: readonly Entry[], ...entries: readonly Entry[]): readonly string[] =>
    applyEntries(after(...before), entries, 61_000).messages.map(({ text }) => text);

  test('announce a component before its first workload and complete it after its last', () => {
    const started = (workload: string): Entry => ({ kind: 'workloadStarted', step: 'release', workload });
    const done = (workload: string): Entry => ({ kind: 'workloadDone', step: 'release', workload, tookMs: 1 });
    expect(textsOf(PLANNED, started('web'), started('api'), done('web'), done('api'))).toEqual([
      'Release upgrade of the component portal started.',
      'Release upgrade of the deployment web started.',
      'Release upgrade of the deployment api started.',
      'Release upgrade of the deployment web completed.',
      '1 out of 2 deployments updated. Elapsed: 60000 ms, approximately 1.0 min.',
      'Release upgrade of the deployment api completed.',
      '2 out of 2 deployments updated. Elapsed: 60000 ms, approximately 1.0 min.',
      'Release upgrade of the component portal completed.',
    ]);
  });

  test('announce a step once, not again when a retry starts it again', () => {
    const started = (attempt: number): Entry => ({ kind: 'stepStarted', step: 'hook/backup', attempt });
    expect(textsOf(PLANNED, started(0))).toEqual(['A restore point is being created.']);
    expect(textsOf([...PLANNED, started(0)], started(1))).toEqual([]);
  });

  test('report a failed check once, not again when a retry runs the checks again', () => {
    const before = [ACCEPTED];
    expect(textsOf(before, CHECKS_FAILED)).toEqual([
      'The check `quota` failed: The quota is used up. Raise it.',
      'Pre-diagnostics completed: 1 passed, 0 with a warning, 1 failed.',
    ]);
    expect(textsOf([...before, CHECKS_FAILED], { ...CHECKS_FAILED, attempt: 1 })).toEqual([]);
  });

  test('say that changes are undone only if a plan was made', () => {
    const undo: Entry = { kind: 'undoStarted', attempt: 0, cause: { kind: 'cancelled' } };
    expect(textsOf([ACCEPTED], undo)).toEqual([]);
    expect(textsOf(PLANNED, undo)).toEqual([
      'Rolling back: Steward compares each workload and the database with their state before the job and restores what differs.',
    ]);
  });

  test('end an undo with the cause, if something had been changed', () => {
    const failure = { reason: 'web crashes.', lines: ['boom'], advice: 'Mend web.' };
    const undone = [
      ...PLANNED,
      { kind: 'undoStarted', attempt: 0, cause: { kind: 'failed', failure } },
      { kind: 'changesFound', workloads: ['web'] },
    ] as const;
    expect(textsOf(undone, { kind: 'ended', outcome: { kind: 'undone' } })).toEqual([
      'The system has left read-only mode.',
      [
        'The upgrade from 10.9.1.1 to 11.0.2 failed. Rolled back 1 of 1 workloads; the workloads are healthy. The job did not change the database. The deployment runs 10.9.1.1 as before. The system accepts writes.',
        'Cause: web crashes.',
        'Last lines:',
        '  boom',
        'What to do: Mend web. Then start the upgrade again with POST system/upgrades/upgrade with versionManifest=rel_11.0.',
      ].join('\n'),
    ]);
  });
});
