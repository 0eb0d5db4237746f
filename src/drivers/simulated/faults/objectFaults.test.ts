import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import { memoryDocuments } from '../../../../test/support/database/memoryDocuments.ts';
import { actOn, openedObjects, removal } from '../../../../test/support/upgrades/objects/objectActs.ts';
import { configMap } from '../../../../test/support/upgrades/objects/objectSamples.ts';
import { sampleWorkload, simulatedHooks } from '../../../../test/support/upgrades/objects/simulatedObjects.ts';
import { openSimulatedDeployment } from '../../../../test/support/upgrades/simulatedDeployment.ts';
import type { NewFault } from '../state/injectedFault.ts';
import { OTHER_MANAGER } from '../state/injectedFault.ts';

const MAP = 'ConfigMap/contract';
const WORKLOAD = 'Deployment/contract';
const REMOVAL = [expect.objectContaining({ action: 'removeFault' })];

async function opened() {
  const clock = manualClock();
  const { deployment } = await openSimulatedDeployment(memoryDocuments(), clock);
  const acts = await openedObjects(async () => ({
    deployment,
    settle: async () => clock.advance(20_000),
    ...simulatedHooks(deployment),
  }));
  const strike = async (fault: NewFault): Promise<string> => (await deployment.addFault(fault)).id;
  return { ...acts, deployment, clock, strike };
}

describe('a fault of objects', () => {
  test.each([
    ['objectConflict', 'conflict', OTHER_MANAGER.name],
    ['objectRefused', 'refused', 'admission webhook'],
    ['objectQuota', 'quota', 'quota of the namespace'],
  ] as const)(
    '[OBJ4] %s is a problem of the plan, and is refused until it is removed',
    async (kind, problem, words) => {
      const { find, planned, begin, apply, complete, strike, deployment } = await opened();
      await apply(configMap({ MODE: 'a' }));
      const act = await planned(configMap({ MODE: 'b' }));
      const id = await strike({ kind, workload: MAP });
      const found = { kind: problem, reason: expect.stringContaining(words), nextActions: REMOVAL };
      expect(await find(configMap({ MODE: 'b' }))).toMatchObject({ kind: 'change', problems: [found] });
      expect(await deployment.rehearse([act])).toMatchObject([{ reason: found.reason }]);
      const failure = { reason: found.reason, advice: expect.stringContaining(id), nextActions: REMOVAL };
      expect(await begin(act)).toMatchObject({ kind: 'refused', failure });
      expect(await deployment.faults()).toMatchObject([{ kind, struck: 1 }]);
      await deployment.removeFaults(id);
      await complete(act);
    },
  );

  test('[DEC125] [OBJ7] a refusal or a quota does not strike an undo, and another object is not affected', async () => {
    const { apply, complete, strike, deployment } = await opened();
    await apply(configMap({ MODE: 'a' }));
    await strike({ kind: 'objectRefused', workload: MAP });
    await strike({ kind: 'objectQuota', workload: MAP });
    await strike({ kind: 'objectNeverReady', workload: MAP });
    await complete(actOn(configMap({ MODE: 'b' }), 'any'));
    const other = { ...configMap({}), metadata: { name: 'other' } };
    await apply(other);
    expect(await deployment.faults()).toMatchObject([{ struck: 0 }, { struck: 0 }, { struck: 0 }]);
  });

  test.each(['objectNeverReady', 'slow'] as const)(
    '[K1] %s keeps an object from being ready until it is removed',
    async (kind) => {
      const { planned, begin, look, settle, strike, deployment } = await opened();
      const id = await strike({ kind, workload: MAP });
      const act = await planned(configMap({ MODE: 'a' }));
      await begin(act);
      await settle();
      const trouble = { reason: expect.stringContaining(MAP), nextActions: REMOVAL };
      expect(await look(act)).toMatchObject({ state: 'running', trouble });
      await deployment.removeFaults(id);
      await settle();
      expect(await look(act)).toMatchObject({ state: 'done' });
    },
  );

  test('[OBJ7] objectNeverReady keeps an object from being removed', async () => {
    const { apply, findRemoval, begin, look, settle, strike } = await opened();
    await apply(configMap({}));
    const act = removal(MAP, (await findRemoval(MAP)).former);
    await strike({ kind: 'objectNeverReady', workload: MAP });
    await begin(act);
    await settle();
    expect(await look(act)).toMatchObject({
      state: 'running',
      trouble: { reason: expect.stringContaining('not removed') },
    });
  });

  test('[UPG18] objectReverted puts the former object back, and tells who did', async () => {
    const { objects, planned, begin, look, settle, apply, complete, strike, find } = await opened();
    await apply(configMap({ MODE: 'a' }));
    const act = await planned(configMap({ MODE: 'b' }));
    await strike({ kind: 'objectReverted', workload: MAP, times: 1 });
    await begin(act);
    expect(await look(act)).toMatchObject({ state: 'running' });
    await settle();
    expect(await look(act)).toMatchObject({
      state: 'absent',
      changedBy: OTHER_MANAGER.name,
      remedy: { nextActions: REMOVAL },
    });
    expect(await objects.read(MAP)).toEqual(configMap({ MODE: 'a' }));
    expect(await find(configMap({ MODE: 'a' }))).toMatchObject({ kind: 'unchanged' });
    await complete(act);
  });

  test('[UPG18] objectReverted removes what was created, also a workload', async () => {
    const { deployment, objects, planned, begin, look, settle, complete, strike } = await opened();
    const { content, images } = sampleWorkload('a', 'first');
    await strike({ kind: 'objectReverted', times: 2 });
    const acts = [await planned(configMap({})), await planned(content, { images })];
    for (const act of acts) {
      await begin(act);
      await settle();
      expect(await look(act)).toMatchObject({ state: 'absent', changedBy: OTHER_MANAGER.name });
      expect(await objects.read(act.object)).toBeUndefined();
    }
    const names = (await deployment.inventory()).workloads.map(({ name }) => name);
    expect(names).not.toContain(WORKLOAD);
    for (const act of acts) await complete(act);
  });

  test('[UPG18] an object that lags is unknown with its receipt, and is done later', async () => {
    const { planned, deployment, look, clock, strike } = await opened();
    await strike({ kind: 'lag', workload: MAP, seconds: 3 });
    const act = await planned(configMap({}));
    const begun = await deployment.begin(act, 1);
    const receipt = begun.kind === 'begun' ? begun.receipt : undefined;
    expect(receipt).toMatch(/^\d+$/);
    expect(await look({ ...act, receipt })).toMatchObject({ state: 'unknown' });
    expect(await look(act)).toEqual({ state: 'absent' });
    clock.advance(3000);
    expect(await look({ ...act, receipt })).toMatchObject({ state: 'done' });
  });

  test.each([
    ['crashLoop', 'does not start'],
    ['imageUnpullable', 'cannot pull'],
  ] as const)(
    '[UPG13] %s makes the rollout of a new workload fail, and a repeated act succeeds after the repair',
    async (kind, words) => {
      const { planned, begin, look, settle, complete, strike, deployment } = await opened();
      const { content, images } = sampleWorkload('a', 'first');
      const id = await strike({ kind, workload: WORKLOAD });
      const act = await planned(content, { images });
      await begin(act);
      await settle();
      expect(await look(act)).toMatchObject({ state: 'failed', failure: { reason: expect.stringContaining(words) } });
      await deployment.removeFaults(id);
      await complete(act);
    },
  );

  test('[UPG18] conflict strikes an object only if its images change', async () => {
    const { find, apply, strike } = await opened();
    const { content, images } = sampleWorkload('a', 'first');
    await apply(content, { images });
    await apply(configMap({}));
    await strike({ kind: 'conflict' });
    expect(await find(configMap({ MODE: 'b' }))).toMatchObject({ problems: [] });
    expect(await find(sampleWorkload('b', 'first').content)).toMatchObject({ kind: 'change', problems: [] });
    expect(await find(sampleWorkload('a', 'next').content)).toMatchObject({ problems: [{ kind: 'conflict' }] });
  });

  test('a fault may name an object that does not exist yet, and no unknown workload', async () => {
    const { strike } = await opened();
    expect(await strike({ kind: 'objectRefused', workload: 'Widget.example.com/one' })).toMatch(/\w/);
    await expect(strike({ kind: 'objectRefused', workload: 'portal' })).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('an object', () => {
  test('[OBJ4] that is sealed, or a selector, cannot be changed', async () => {
    const { find, apply } = await opened();
    await apply({ ...configMap({ MODE: 'a' }), immutable: true });
    expect(await find({ ...configMap({ MODE: 'b' }), immutable: true })).toMatchObject({
      problems: [{ kind: 'immutable' }],
    });
    const { content, images } = sampleWorkload('a', 'first');
    await apply(content, { images });
    const selector = { matchLabels: { app: 'other' } };
    expect(await find({ ...content, spec: { ...(content['spec'] as object), selector } })).toMatchObject({
      problems: [{ kind: 'immutable', reason: expect.stringContaining('spec.selector.matchLabels.app') }],
    });
  });

  test('[OBJ7] with an address or with finalizers has a final removal', async () => {
    const { findRemoval, apply } = await opened();
    await apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'LoadBalancer' } });
    expect((await findRemoval('Service/web')).final).toMatch(/address/);
    await apply({ ...configMap({}), metadata: { name: 'contract', finalizers: ['example.com/clean'] } });
    expect((await findRemoval(MAP)).final).toContain('example.com/clean');
  });

  test('[OBJ5] the mark of the configuration stays without a new one, and goes with an undo', async () => {
    const { objects, find, apply, complete } = await opened();
    const { content, images } = sampleWorkload('a', 'first');
    await apply(content, { images });
    const { former } = await find(content, { configuration: 'one' });
    await apply(content, { images, configuration: 'one' });
    expect(JSON.stringify(await objects.read(WORKLOAD))).toContain('"steward/configuration":"one"');
    await complete(actOn(sampleWorkload('b', 'first').content, 'any', { images, configuration: 'one' }));
    await complete(actOn(former ?? {}, 'any', { images }));
    expect(await objects.read(WORKLOAD)).toEqual(content);
  });

  test('[OBJ6] of a workload that Steward has never applied has its images and its place', async () => {
    const { deployment, find, complete } = await opened();
    const { content, images } = sampleWorkload('a', 'next');
    const at = { component: 'contract', module: 'contract', wave: 30 };
    const inventory = await deployment.inventory();
    const more = { trouble: undefined, blocked: undefined, managers: [], isSteward: false, expectedMs: undefined };
    const workload = { name: WORKLOAD, ...at, images: sampleWorkload('a', 'first').images, ...more };
    const { fill } = deployment;
    await fill({ ...inventory, workloads: [workload] });
    const found = await find(content);
    expect(found).toMatchObject({ kind: 'change', former: { metadata: { name: 'contract' } }, problems: [] });
    expect(found.fields.map(({ field }) => field)).toContain('spec.template.spec.containers[web].image');
    await complete(actOn(content, found.former, { images }));
    await complete(actOn(found.former ?? {}, 'any', { images: workload.images }));
    expect((await deployment.inventory()).workloads).toMatchObject([
      { name: WORKLOAD, ...at, images: workload.images },
    ]);
  });
});
