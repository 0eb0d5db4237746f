import type { Entry } from '../../../src/upgrades/journal/entry.ts';
import type { Change, Plan } from '../../../src/upgrades/values/plan.ts';
import { PLAN_FORMAT } from '../../../src/upgrades/values/plan.ts';
import type { Task } from '../../../src/upgrades/values/task.ts';

export const TASK: Task = {
  versionId: 'rel_11.0',
  from: { version: '10.9.1', build: '1' },
  to: { version: '11.0', build: '2' },
  volumes: {},
  licenceUpload: undefined,
  licenceHash: undefined,
  planHash: undefined,
  expectedPlan: undefined,
  removes: undefined,
  isRestorePointWaived: false,
  isSimulated: false,
};

function change(workload: string): Change {
  const image = (tag: string) => [{ container: workload, image: `r/${workload}:${tag}`, checksum: `sha256:${tag}` }];
  return { workload, component: 'portal', module: 'portal', from: image('old'), to: image('new'), estimateMs: 1000 };
}

const common = { isFinal: false, estimateMs: 1000 };

/** A small release: a backup, one phase of the database, two workloads in one wave, and a final hook. */
export const PLAN: Plan = {
  format: PLAN_FORMAT,
  steps: [
    { ...common, kind: 'hook', id: 'hook/backup', title: 'Make a restore point', hook: 'backup' },
    {
      ...common,
      kind: 'database',
      id: 'database/readOnly',
      title: 'Set the primary to read-only',
      phase: 'readOnly',
      primary: 'a',
      standby: 'b',
    },
    {
      ...common,
      kind: 'rollout',
      id: 'release',
      title: 'Update workloads to 11.0.2',
      update: 'release',
      waves: [[change('web'), change('api')]],
    },
    {
      ...common,
      kind: 'hook',
      id: 'hook/logging',
      title: 'Post-upgrade operations for logging',
      hook: 'logging',
      isFinal: true,
    },
  ],
  pointOfNoReturn: 'hook/logging',
  total: 5,
  estimateMs: 4000,
  hash: 'h',
};

const PASSED = { name: 'images', verdict: 'pass', text: 'All images are there.', todo: '' } as const;

export const CHECKS_PASSED: Entry<'checksDone'> = { kind: 'checksDone', attempt: 0, checks: [PASSED] };

export const CHECKS_FAILED: Entry<'checksDone'> = {
  kind: 'checksDone',
  attempt: 0,
  checks: [PASSED, { name: 'quota', verdict: 'fail', text: 'The quota is used up.', todo: 'Raise it.' }],
};
