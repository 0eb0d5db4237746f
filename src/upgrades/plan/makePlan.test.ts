import { describe, expect, test } from 'vitest';
import { FINAL_HOOKS } from '../../../test/support/upgrades/faultCases.ts';
import { testVersion } from '../../../test/support/upgrades/testVersion.ts';
import { HOOKS } from '../../model/hook.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import { remainingMs, waveMs } from './estimate.ts';
import { imagesOf } from '../versions/images.ts';
import type { PlanInput } from './makePlan.ts';
import { makePlan } from './makePlan.ts';
import { NO_OBJECTS } from './objects/draftObjects.ts';
import type { RolloutSpec } from './rolloutSteps.ts';
import { rolloutId } from './rolloutSteps.ts';
import type { Durations, StepId } from '../values/plan.ts';
import type { Version } from '../../model/version.ts';

const digest = (text: string): string => `sha256:${text}`;

function version(id: string, names: readonly string[]): Version {
  const containers = names.map((name) => ({ name, image: `r/${name}:${id}`, checksum: digest(`${name}-${id}`) }));
  return testVersion(id, { containers });
}

function workload(name: string, wave: number, expectedMs = 1000): Workload {
  const images = [{ container: name, image: `r/${name}:old`, checksum: digest(`${name}-old`) }];
  return {
    name,
    component: `c${wave}`,
    module: 'm',
    wave,
    images,
    trouble: undefined,
    blocked: undefined,
    managers: [],
    isSteward: false,
    expectedMs,
  };
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

const NO_DURATIONS: Durations = { steps: new Map(), workloads: new Map() };
const RELEASE: RolloutSpec = {
  update: 'release',
  title: 'R',
  imagesFor: imagesOf((image) => image, [version('rel', ['a', 'b', 'c', 'd'])]),
};
const PATCH: RolloutSpec = {
  update: 'patch',
  title: 'P',
  imagesFor: imagesOf((image) => image, [version('pat', ['b'])]),
};

function input(more: Partial<PlanInput> = {}): PlanInput {
  return {
    inventory: INVENTORY,
    from: { version: '10.9.1', build: '1' },
    rollouts: [RELEASE, PATCH],
    volumes: {},
    licenceUpload: undefined,
    isRestorePointWaived: false,
    parallel: 2,
    objects: NO_OBJECTS,
    durations: NO_DURATIONS,
    alreadyDone: new Set(),
    isPastReturn: false,
    ...more,
  };
}

const idsOf = (more: Partial<PlanInput> = {}): readonly string[] => makePlan(input(more)).steps.map(({ id }) => id);

describe('[UPG10] makePlan', () => {
  test('orders the steps of a release like their messages', () => {
    expect(idsOf({ volumes: { data: { size: '1Gi' } }, licenceUpload: 'u' })).toEqual([
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
      ...FINAL_HOOKS.map((hook) => `hook/${hook}`),
    ]);
  });

  test('[UPG17] omits steps whose hook or database the deployment does not have', () => {
    expect(idsOf({ inventory: { ...INVENTORY, hooks: ['logging'], database: undefined } })).toEqual([
      'release',
      'patch',
      'hook/logging',
    ]);
    expect(idsOf({ isRestorePointWaived: true })).not.toContain('hook/backup');
  });

  test('only changes images for a patch, without a point of no return', () => {
    const plan = makePlan(input({ rollouts: [PATCH] }));
    expect(plan.steps.map(({ id }) => id)).toEqual(['patch']);
    expect(plan).toMatchObject({ pointOfNoReturn: undefined, total: 1 });
  });

  test('[DEC43] sets the point of no return at the first step that cannot be undone', () => {
    expect(makePlan(input()).pointOfNoReturn).toBe('database/readWrite');
    const without = { ...INVENTORY, database: undefined };
    expect(makePlan(input({ inventory: without })).pointOfNoReturn).toBe(`hook/${FINAL_HOOKS[0]}`);
  });

  test('[UPG12] groups workloads in waves, and starts a later rollout from the images of the earlier one', () => {
    const rollouts = makePlan(input()).steps.filter((step) => step.kind === 'rollout');
    expect(rollouts.map(({ waves }) => waves.map((wave) => wave.map((change) => change.workload)))).toEqual([
      [['a', 'c'], ['b'], ['d']],
      [['b']],
    ]);
    expect(rollouts[1]?.waves[0]?.[0]).toMatchObject({
      from: [{ image: 'r/b:rel' }],
      to: [{ image: 'r/b:pat', checksum: 'sha256:b-pat' }],
    });
  });

  test('[UPG12] Steward itself is updated after all other workloads of a rollout', () => {
    const workloads = INVENTORY.workloads.map((one) => ({ ...one, isSteward: one.name === 'a' }));
    const { steps } = makePlan(input({ inventory: { ...INVENTORY, workloads } }));
    const rollout = steps.find((step) => step.kind === 'rollout');
    expect(rollout?.waves.map((wave) => wave.map((change) => change.workload))).toEqual([['c'], ['b'], ['d'], ['a']]);
  });

  test('[DEC44] omits steps that a failed job has done, and has no point of no return after it was passed', () => {
    const alreadyDone = new Set<StepId>(['database/readOnly', 'hook/backup']);
    const plan = makePlan(input({ alreadyDone, isPastReturn: true }));
    expect(plan.steps.map(({ id }) => id)).not.toContain('hook/backup');
    expect(plan.pointOfNoReturn).toBeUndefined();
  });

  test('[DEC41] omits a rollout whose images run already', () => {
    const done = INVENTORY.workloads.map((one) => ({ ...one, images: RELEASE.imagesFor(one) }));
    expect(idsOf({ rollouts: [RELEASE], inventory: { ...INVENTORY, workloads: done } })).not.toContain('release');
  });

  test('estimates from earlier durations, then from the deployment, along the critical path', () => {
    const plan = makePlan(input({ durations: { ...NO_DURATIONS, workloads: new Map([['d', 7000]]) } }));
    expect(plan.steps.find(({ id }) => id === 'release')?.estimateMs).toBe(1000 + 1000 + 7000);
    expect(plan.steps.find(({ id }) => id === 'hook/backup')?.estimateMs).toBe(5000);
    expect(plan.estimateMs).toBe(plan.steps.reduce((sum, { estimateMs }) => sum + estimateMs, 0));
    const done = new Set(['a', 'c', 'b']);
    const others = plan.steps.filter(({ id }) => id !== 'release').reduce((sum, step) => sum + step.estimateMs, 0);
    expect(
      remainingMs(
        plan,
        { isStepDone: () => false, isWorkloadDone: (step, name) => step === 'release' && done.has(name) },
        2,
      ),
    ).toBe(others + 7000);
  });

  test('makes a hash that changes with the deployment and the steps, and with nothing else', () => {
    const { hash } = makePlan(input());
    const [first, ...rest] = INVENTORY.workloads;
    const changed = (one: Partial<Workload>) =>
      makePlan(input({ inventory: { ...INVENTORY, workloads: [{ ...first, ...one } as Workload, ...rest] } })).hash;
    expect(makePlan(input()).hash).toBe(hash);
    expect(
      makePlan(input({ licenceUpload: 'u', durations: { ...NO_DURATIONS, workloads: new Map([['a', 1]]) } })).hash,
    ).toBe(hash);
    expect(changed({ expectedMs: 5 })).toBe(hash);
    expect(changed({ images: [{ container: 'b', image: 'r/b:other', checksum: digest('x') }] })).not.toBe(hash);
    expect(changed({ managers: [{ name: 'someone', reconciles: true }] })).not.toBe(hash);
    expect(makePlan(input({ rollouts: [RELEASE] })).hash).not.toBe(hash);
    expect(makePlan(input({ from: { version: '10.9.1', build: '2' } })).hash).not.toBe(hash);
    expect(makePlan(input({ inventory: { ...INVENTORY, hooks: [] } })).hash).not.toBe(hash);
  });
});

const wave = (...estimates: readonly number[]) => estimates.map((estimateMs) => ({ estimateMs }));

test('[UPG12] a wave takes as long as its busiest slot', () => {
  expect(waveMs(wave(3, 1, 1, 1), 2)).toBe(3);
  expect(waveMs(wave(1, 1, 1), 1)).toBe(3);
  expect(waveMs(wave(5), 8)).toBe(5);
});

test('two rollouts of the same kind have different ids', () => {
  const rollouts = [{ update: 'patch' }, { update: 'patch' }, { update: 'release' }] as const;
  expect(rollouts.map((_, n) => rolloutId(rollouts, n))).toEqual(['patch', 'patch-2', 'release']);
});
