import { describe, expect, test } from 'vitest';
import { HOOKS } from '../../model/hook.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import type { Leg, PlanNeeds } from './plan.ts';
import { imagesOf, legKey, planFor, waveMs } from './plan.ts';
import { remainingMs } from './estimate.ts';
import type { Version } from '../../model/version.ts';

const digest = (text: string): string => `sha256:${text}`;

function version(id: string, names: readonly string[]): Version {
  return {
    id,
    name: id,
    description: '',
    update: id.startsWith('pat') ? 'patch' : 'release',
    version: '11.0',
    build: '1',
    previousVersion: '10.9.1',
    previousBuild: '',
    released: 0,
    releaseNotes: '',
    newLicensesRequired: false,
    containers: names.map((name) => ({ name, image: `r/${name}:${id}`, checksum: digest(`${name}-${id}`) })),
  };
}

function workload(name: string, wave: number, expectedMs = 1000): Workload {
  const images = [{ container: name, image: `r/${name}:old`, checksum: digest(`${name}-old`) }];
  return { name, component: `c${wave}`, module: 'm', wave, images, trouble: undefined, owner: undefined, expectedMs };
}

const INVENTORY: Inventory = {
  workloads: [workload('b', 20), workload('a', 10), workload('c', 10), workload('d', 30, 3000)],
  volumes: [],
  hooks: HOOKS,
  expectedMs: { backup: 5000 },
  database: {
    instances: [
      { name: 'one', role: 'primary', isReadOnly: false, engine: '16' },
      { name: 'two', role: 'standby', isReadOnly: true, engine: '16' },
    ],
    trouble: undefined,
  },
};

const RELEASE: Leg = { update: 'release', title: 'R', imagesFor: imagesOf(version('rel', ['a', 'b', 'c', 'd'])) };
const PATCH: Leg = { update: 'patch', title: 'P', imagesFor: imagesOf(version('pat', ['b'])) };

function needs(more: Partial<PlanNeeds> = {}): PlanNeeds {
  return {
    inventory: INVENTORY,
    from: { version: '10.9.1', build: '1' },
    legs: [RELEASE, PATCH],
    volumes: {},
    licenceUpload: undefined,
    isRestorePointWaived: false,
    parallel: 2,
    durations: new Map(),
    done: new Set(),
    isPastReturn: false,
    ...more,
  };
}

const keysOf = (more: Partial<PlanNeeds> = {}): readonly string[] => planFor(needs(more)).steps.map(({ key }) => key);

describe('[UPG10] a plan', () => {
  test('of a release has its steps in the order of the messages', () => {
    expect(keysOf({ volumes: { data: { size: '1Gi' } }, licenceUpload: 'u' })).toEqual([
      'volumes',
      'licence',
      'hook/backup',
      'database/readOnly',
      'database/promote',
      'database/engine',
      'database/afterEngine',
      'database/readWrite',
      'database/roles',
      'database/standby',
      'release',
      'patch',
      'hook/portal-content',
      'hook/logging',
      'hook/auto-deployed-services',
      'hook/search-indices',
    ]);
  });

  test('[UPG17] leaves out what the deployment has no hook for, and the database where there is none', () => {
    expect(keysOf({ inventory: { ...INVENTORY, hooks: ['logging'], database: undefined } })).toEqual([
      'release',
      'patch',
      'hook/logging',
    ]);
    expect(keysOf({ isRestorePointWaived: true })).not.toContain('hook/backup');
  });

  test('of a patch changes images only, and has no point of no return', () => {
    const plan = planFor(needs({ legs: [PATCH] }));
    expect(plan.steps.map(({ key }) => key)).toEqual(['patch']);
    expect(plan).toMatchObject({ pointOfNoReturn: undefined, total: 1 });
  });

  test('[DEC43] has its point of no return at the first step that nothing brings back', () => {
    expect(planFor(needs()).pointOfNoReturn).toBe('database/readWrite');
    const without = { ...INVENTORY, database: undefined };
    expect(planFor(needs({ inventory: without })).pointOfNoReturn).toBe('hook/portal-content');
  });

  test('[UPG12] goes in waves, and a later leg begins where the earlier one ended', () => {
    const legs = planFor(needs()).steps.filter((step) => step.kind === 'leg');
    expect(legs.map(({ waves }) => waves.map((wave) => wave.map((change) => change.workload)))).toEqual([
      [['a', 'c'], ['b'], ['d']],
      [['b']],
    ]);
    expect(legs[1]?.waves[0]?.[0]).toMatchObject({
      from: [{ image: 'r/b:rel' }],
      to: [{ image: 'r/b:pat', checksum: 'sha256:b-pat' }],
    });
  });

  test('[DEC44] leaves out what a job that it finishes has done, and has its point of no return behind it', () => {
    const done = new Set(['database/readOnly', 'hook/backup']);
    const plan = planFor(needs({ done, isPastReturn: true }));
    expect(plan.steps.map(({ key }) => key)).not.toContain('hook/backup');
    expect(plan.pointOfNoReturn).toBeUndefined();
  });

  test('[DEC41] leaves out what runs already', () => {
    const done = INVENTORY.workloads.map((one) => ({ ...one, images: RELEASE.imagesFor(one) }));
    expect(keysOf({ legs: [RELEASE], inventory: { ...INVENTORY, workloads: done } })).not.toContain('release');
  });

  test('estimates by what steps took, then by what the deployment expects, along the critical path', () => {
    const plan = planFor(needs({ durations: new Map([['workload/d', 7000]]) }));
    expect(plan.steps.find(({ key }) => key === 'release')?.estimateMs).toBe(1000 + 1000 + 7000);
    expect(plan.steps.find(({ key }) => key === 'hook/backup')?.estimateMs).toBe(5000);
    expect(plan.estimateMs).toBe(plan.steps.reduce((sum, { estimateMs }) => sum + estimateMs, 0));
    const done = new Set(['release/a', 'release/c', 'release/b']);
    const others = plan.steps.filter(({ key }) => key !== 'release').reduce((sum, step) => sum + step.estimateMs, 0);
    expect(remainingMs(plan, (name) => done.has(name), 2)).toBe(others + 7000);
  });

  test('has a hash that tells of every change of the deployment, and of nothing else', () => {
    const { hash } = planFor(needs());
    const [first, ...rest] = INVENTORY.workloads;
    const changed = (one: Partial<Workload>) =>
      planFor(needs({ inventory: { ...INVENTORY, workloads: [{ ...first, ...one } as Workload, ...rest] } })).hash;
    expect(planFor(needs()).hash).toBe(hash);
    expect(planFor(needs({ licenceUpload: 'u', durations: new Map([['workload/a', 1]]) })).hash).toBe(hash);
    expect(changed({ expectedMs: 5 })).toBe(hash);
    expect(changed({ images: [{ container: 'b', image: 'r/b:other', checksum: digest('x') }] })).not.toBe(hash);
    expect(changed({ owner: 'someone' })).not.toBe(hash);
    expect(planFor(needs({ legs: [RELEASE] })).hash).not.toBe(hash);
    expect(planFor(needs({ from: { version: '10.9.1', build: '2' } })).hash).not.toBe(hash);
    expect(planFor(needs({ inventory: { ...INVENTORY, hooks: [] } })).hash).not.toBe(hash);
  });
});

test('[UPG12] a wave takes as long as its fullest place', () => {
  expect(waveMs([3, 1, 1, 1], 2)).toBe(3);
  expect(waveMs([1, 1, 1], 1)).toBe(3);
  expect(waveMs([5], 8)).toBe(5);
});

test('two legs of a kind have names of their own', () => {
  const legs = [{ update: 'patch' }, { update: 'patch' }, { update: 'release' }] as const;
  expect(legs.map((_, n) => legKey(legs, n))).toEqual(['patch', 'patch-2', 'release']);
});
