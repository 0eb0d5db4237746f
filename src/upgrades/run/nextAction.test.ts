import { describe, expect, test } from 'vitest';
import { CHECKS_FAILED, CHECKS_PASSED, PLAN, TASK } from '../../../test/support/upgrades/sampleJournal.ts';
import { newJob } from '../../jobs/jobStore.ts';
import type { Entry } from '../journal/entry.ts';
import { fold, initialState } from '../journal/runState.ts';
import type { StepId } from '../values/plan.ts';
import type { Action } from './nextAction.ts';
import { nextAction } from './nextAction.ts';

const JOB = newJob({ id: 'j', kind: 'upgrade', task: TASK, cursor: {}, total: 0, startedBy: 'ann', started: 0 });
const MODE = { isReadOnly: false, message: '', setBy: 'hand' } as const;
const RETRIED: Entry = { kind: 'retried', by: 'ann', modeBefore: MODE };
const PLANNED: readonly Entry[] = [CHECKS_PASSED, { kind: 'planned', plan: PLAN }];

function next(...entries: readonly Entry[]): Action {
  return nextAction(entries.reduce((state, entry, n) => fold(state, entry, n), initialState(JOB)));
}

const done = (step: StepId): Entry => ({ kind: 'stepDone', step, tookMs: 1, lines: [] });

describe('[UPG11] a session that takes a job over', () => {
  test('runs the checks if they were not completed', () => {
    expect(next()).toEqual({ kind: 'runChecks' });
    expect(next({ kind: 'checksStarted', attempt: 0 })).toEqual({ kind: 'runChecks' });
  });

  test('makes the plan once the checks have passed, also after a retry', () => {
    expect(next(CHECKS_PASSED)).toEqual({ kind: 'preparePlan' });
    expect(next(CHECKS_PASSED, RETRIED)).toEqual({ kind: 'preparePlan' });
  });

  test('fails with every failed check, and runs the checks again after a retry', () => {
    const action = next(CHECKS_FAILED);
    expect(action).toMatchObject({
      kind: 'fail',
      failure: { reason: expect.stringContaining('`quota` failed: The quota') },
    });
    expect(next(CHECKS_FAILED, RETRIED)).toEqual({ kind: 'runChecks' });
  });

  test('continues with the first step that is not done', () => {
    expect(next(...PLANNED)).toMatchObject({ kind: 'runStep', step: { id: 'hook/backup' } });
    expect(next(...PLANNED, done('hook/backup'))).toMatchObject({ step: { id: 'database/readOnly' } });
  });

  test('does not skip a step that was started but not done', () => {
    const started: Entry = { kind: 'stepStarted', step: 'hook/backup', attempt: 0 };
    expect(next(...PLANNED, started)).toMatchObject({ kind: 'runStep', step: { id: 'hook/backup' } });
  });

  test('[UPG13] passes the point of no return before the first final step, once', () => {
    const before = [...PLANNED, done('hook/backup'), done('database/readOnly'), done('release')];
    expect(next(...before)).toMatchObject({ kind: 'passPointOfNoReturn', step: { id: 'hook/logging' } });
    const passed: Entry = { kind: 'pointOfNoReturnPassed', step: 'hook/logging' };
    expect(next(...before, passed)).toMatchObject({ kind: 'runStep', step: { id: 'hook/logging' } });
  });

  test('succeeds when every step is done', () => {
    expect(next(...PLANNED, ...PLAN.steps.map(({ id }) => done(id)))).toEqual({ kind: 'succeed' });
  });
});
