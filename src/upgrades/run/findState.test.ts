import { expect, test } from 'vitest';
import { newJob } from '../../jobs/jobStore.ts';
import { applyEntries } from '../journal/describe.ts';
import type { Entry } from '../journal/entry.ts';
import { initialState } from '../journal/runState.ts';
import type { Plan } from '../values/plan.ts';
import { PLAN, TASK } from '../../../test/support/upgrades/sampleJournal.ts';
import { countWorkloads } from './findState.ts';

const JOB = { id: 'j1', cursor: { isPastReturn: false }, total: 0, startedBy: 'ann', started: 1000 };
const EMPTY = { workloads: [], volumes: [], hooks: [], database: undefined };
const BEGUN: Entry = { kind: 'workloadStarted', step: 'release', workload: 'web' };
const RESTORED: Entry = { kind: 'workloadRestored', workload: 'web' };

const CREATED = { verb: 'create', content: 'c', former: undefined, isCompared: true } as const;

/** A plan in which the version adds the workload `web`. */
const ADDING: Plan = {
  ...PLAN,
  steps: PLAN.steps.map((step) =>
    step.kind === 'rollout'
      ? {
          ...step,
          waves: step.waves.map((wave) =>
            wave.map((one) => ({
              ...one,
              ...(one.workload === 'web' && { from: [], object: CREATED }),
            })),
          ),
        }
      : step,
  ),
};

function unhealthyAfter(...entries: readonly Entry[]): readonly string[] {
  const job = newJob({ ...JOB, kind: 'upgrade', task: TASK });
  const { state } = applyEntries(initialState(job), [{ kind: 'planned', plan: ADDING }, ...entries], 2000);
  return countWorkloads(state, EMPTY).unhealthy.map(({ workload }) => workload);
}

test('[UPG13] a workload that the job adds is missing only between its creation and its removal by an undo', () => {
  expect(unhealthyAfter()).toEqual(['api']);
  expect(unhealthyAfter(BEGUN)).toEqual(['web', 'api']);
  expect(unhealthyAfter(BEGUN, RESTORED)).toEqual(['api']);
});
