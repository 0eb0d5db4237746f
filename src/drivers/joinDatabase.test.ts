import { expect, test } from 'vitest';
import type { Database } from '../upgrades/ports/database.ts';
import type { Act, DatabaseAct } from '../upgrades/ports/deployment.ts';
import type { WorkloadDeployment } from './joinDatabase.ts';
import { NO_DATABASE, joinDatabase } from './joinDatabase.ts';

const LICENCE: Act = { kind: 'licence', content: '{}' };
const RESTORE: DatabaseAct = { kind: 'database', phase: 'restore', run: 'r', undoes: ['a', 'b'] };

function workloads(seen: Act[]): WorkloadDeployment {
  return {
    isSimulated: true,
    referenceFor: (image) => image,
    inventory: async () => ({ workloads: [], volumes: [], hooks: [], expectedMs: { backup: 1 } }),
    findImages: async () => [],
    fetchObjects: async () => Buffer.from(''),
    compareObjects: async () => [],
    diagnostics: [],
    rehearse: async (acts) => acts.map(() => ({ reason: 'no', lines: [], advice: '' })),
    takeOver: async () => undefined,
    begin: async (act) => {
      seen.push(act);
      return { kind: 'begun', receipt: 'workloads' };
    },
    observe: async (acts) => acts.map(() => ({ state: 'running', detail: 'workloads' })),
    abandon: async () => ({ kind: 'stopped' }),
    showMode: async () => undefined,
    rehearseMode: async () => undefined,
    record: async () => undefined,
  };
}

const DATABASE: Database = {
  describe: async () => ({ instances: [], trouble: undefined, expectedMs: { engine: 2 } }),
  takeOver: async () => undefined,
  begin: async () => ({ kind: 'begun', receipt: 'database' }),
  observe: async (acts) => acts.map(() => ({ state: 'running', detail: 'database' })),
};

test('each act goes to the workloads or to the database, and the answers have the order of the acts', async () => {
  const seen: Act[] = [];
  const joined = joinDatabase(workloads(seen), DATABASE);
  expect(await joined.begin(RESTORE, 1)).toEqual({ kind: 'begun', receipt: 'database' });
  expect(await joined.begin(LICENCE, 1)).toEqual({ kind: 'begun', receipt: 'workloads' });
  expect(seen).toEqual([LICENCE]);
  expect(await joined.observe([RESTORE, LICENCE, RESTORE])).toEqual([
    { state: 'running', detail: 'database' },
    { state: 'running', detail: 'workloads' },
    { state: 'running', detail: 'database' },
  ]);
  expect((await joined.rehearse([RESTORE, LICENCE])).map((one) => one?.reason)).toEqual([undefined, 'no']);
});

test('the inventory has the database and how long its phases take', async () => {
  expect(await joinDatabase(workloads([]), DATABASE).inventory()).toEqual({
    workloads: [],
    volumes: [],
    hooks: [],
    expectedMs: { backup: 1, engine: 2 },
    database: { instances: [], trouble: undefined },
  });
});

test('[DEC55] a deployment whose database Steward does not manage has none, and refuses its phases', async () => {
  const joined = joinDatabase(workloads([]), NO_DATABASE);
  expect((await joined.inventory()).database).toBeUndefined();
  expect(await joined.begin(RESTORE, 1)).toMatchObject({ kind: 'refused' });
});
