import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import { simulatedWorld } from '../../../../test/support/upgrades/simulatedDeployment.ts';
import { eachStore, placeForEachTest } from '../../../../test/support/store/stores.ts';
import { HOOKS } from '../../../model/hook.ts';
import type { Act } from '../../../upgrades/ports/deployment.ts';
import { DEMO_HOOKS } from '../../../demo/demoInventory.ts';
import { DEMO_FAULTS } from '../../../demo/demoOperations.ts';
import { FAULT_KINDS } from './injectedFault.ts';

const W = 'object-store';
const OTHER = 'search-index';

test('the interface offers every fault and every hook that there is', () => {
  expect(DEMO_FAULTS.toSorted()).toEqual(Object.keys(FAULT_KINDS).toSorted());
  expect(DEMO_HOOKS).toEqual(HOOKS);
});

eachStore((kind) => {
  const at = placeForEachTest(kind);

  async function opened() {
    const clock = manualClock();
    const store = await at.open(clock);
    const world = await simulatedWorld(store.documents, clock, 12);
    return { ...world, clock };
  }

  describe('a rollout', () => {
    test.each([
      ['imageAbsent', 1000, 'has no image'],
      ['imageUnpullable', 2000, 'cannot pull'],
      ['checksumDiffers', 3500, 'does not run what the manifest names'],
      ['crashLoop', 3500, 'restarted 5 times'],
    ] as const)('[UPG12] fails of %s within %d ms, and others do not', async (fault, withinMs, reason) => {
      const { addFault, begin, look, act, clock, images, deployment } = await opened();
      const id = await addFault({ kind: fault, workload: W });
      await begin(act(W));
      await begin(act(OTHER));
      clock.advance(withinMs);
      const [image] = images(W, 'rel_11.0');
      const seen = await look(act(W));
      expect(seen).toMatchObject({
        state: 'failed',
        fault: { lines: expect.arrayContaining([expect.stringMatching(/^\[simulated\] /)]) },
      });
      const told = seen.state === 'failed' ? seen.fault : undefined;
      for (const word of [W, image?.image, reason]) expect(told?.reason).toContain(word);
      expect(told?.advice).toContain(id);
      expect((await deployment.inventory()).workloads.find(({ name }) => name === W)?.trouble).toBe(told?.reason);
      clock.advance(5000);
      expect(await look(act(OTHER))).toMatchObject({ state: 'done' });
    });

    test.each([
      ['imageAbsent', { kind: 'absent', reason: expect.stringContaining('simulated') }],
      ['checksumDiffers', { kind: 'differs', found: expect.stringMatching(/^sha256:[\da-f]{64}$/) }],
      ['imageUnpullable', { kind: 'found' }],
    ] as const)('[UPG10] of %s: the registry tells', async (fault, finding) => {
      const { addFault, images, deployment } = await opened();
      const asked = [...images(W, 'rel_11.0'), ...images(OTHER, 'rel_11.0'), ...images(W, 'rel_10.9.1')];
      await addFault({ kind: fault, workload: W });
      expect(await deployment.findImages(asked)).toEqual([finding, { kind: 'found' }, { kind: 'found' }]);
      await deployment.removeFaults(undefined);
      expect((await deployment.findImages(asked)).every((one) => one.kind === 'found')).toBe(true);
    });

    test('that is slow never ends until the fault is removed, and then goes on', async () => {
      const { addFault, begin, look, act, clock, deployment } = await opened();
      const id = await addFault({ kind: 'slow', workload: W });
      await begin(act(W));
      clock.advance(3_600_000);
      expect(await look(act(W))).toMatchObject({ state: 'running' });
      await deployment.removeFaults(id);
      expect(await look(act(W))).toMatchObject({ state: 'running' });
      clock.advance(3500);
      expect(await look(act(W))).toMatchObject({ state: 'done' });
    });

    test('that loses its node pauses, and then ends by itself', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'nodeLost', workload: W, seconds: 10 });
      await begin(act(W));
      clock.advance(9000);
      expect(await look(act(W))).toEqual({ state: 'running', detail: expect.stringContaining('node was lost') });
      clock.advance(5000);
      expect(await look(act(W))).toMatchObject({ state: 'done' });
    });

    test('[UPG18] whose images are put back is absent within seconds', async () => {
      const { addFault, begin, look, act, clock, deployment } = await opened();
      await addFault({ kind: 'putBack', workload: W, times: 1 });
      await begin(act(W));
      expect(await look(act(W))).toMatchObject({ state: 'running' });
      clock.advance(1000);
      expect(await look(act(W))).toEqual({ state: 'absent' });
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'running' });
      clock.advance(3500);
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'done' });
      await begin(act(W));
      clock.advance(3500);
      expect(await look(act(W))).toMatchObject({ state: 'done' });
      expect(await deployment.faults()).toMatchObject([{ struck: 1, isSpent: true }]);
    });

    test('[UPG18] of images that another manager owns is refused, with its name and the way out', async () => {
      const { addFault, begin, act, deployment } = await opened();
      const id = await addFault({ kind: 'conflict', workload: W });
      const owners = (await deployment.inventory()).workloads.flatMap(({ name, owner }) => (owner ? [name] : []));
      expect(owners).toEqual([W]);
      const begun = await deployment.begin(act(W), 1);
      expect(begun).toMatchObject({
        kind: 'refused',
        fault: { reason: expect.stringContaining('demo-gitops-controller'), advice: expect.stringContaining(id) },
      });
      await deployment.removeFaults(id);
      await begin(act(W));
    });

    test('is struck as often as was said, by whichever comes first', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'crashLoop', times: 2 });
      for (const workload of [W, OTHER]) await begin(act(workload));
      clock.advance(5000);
      for (const workload of [W, OTHER]) expect(await look(act(workload))).toMatchObject({ state: 'failed' });
      for (const workload of [W, OTHER]) await begin(act(workload));
      clock.advance(5000);
      for (const workload of [W, OTHER]) expect(await look(act(workload))).toMatchObject({ state: 'done' });
    });

    test('to what ran before is not struck by what is wrong with the new image', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'imageAbsent', workload: W });
      await begin(act(W));
      clock.advance(5000);
      await begin(act(W, 'rel_10.9.1'));
      clock.advance(5000);
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'done' });
    });
  });

  test('a hook fails with its lines, and succeeds once the fault is used up', async () => {
    const { addFault, begin, look, clock } = await opened();
    await addFault({ kind: 'hookFails', hook: 'portal-content', times: 1 });
    const act: Act = { kind: 'hook', hook: 'portal-content', run: 'job-1' };
    const other: Act = { kind: 'hook', hook: 'logging', run: 'job-1' };
    await begin(act);
    await begin(other);
    clock.advance(2000);
    expect(await look(act)).toMatchObject({
      state: 'failed',
      fault: { lines: [expect.any(String), expect.any(String), expect.any(String)] },
    });
    expect(await look(other)).toMatchObject({ state: 'done' });
    await begin(act);
    clock.advance(2000);
    expect(await look(act)).toMatchObject({ state: 'done' });
  });

  test('[UPG13] a database that does not come up can be begun again, or restored', async () => {
    const { addFault, begin, look, clock, deployment } = await opened();
    const phase = (name: 'readOnly' | 'promote' | 'engine' | 'restore'): Act => ({
      kind: 'database',
      phase: name,
      run: 'job-1',
    });
    const id = await addFault({ kind: 'databaseDown' });
    for (const name of ['readOnly', 'promote', 'engine'] as const) {
      await begin(phase(name));
      clock.advance(4000);
    }
    expect(await look(phase('engine'))).toMatchObject({
      state: 'failed',
      fault: { reason: expect.stringContaining('new primary does not come up') },
    });
    expect((await deployment.inventory()).database?.trouble).toContain('engine');
    await deployment.removeFaults(id);
    await begin(phase('engine'));
    clock.advance(4000);
    expect(await look(phase('engine'))).toMatchObject({ state: 'done' });
    await begin(phase('restore'));
    clock.advance(4000);
    expect((await deployment.inventory()).database).toMatchObject({
      trouble: undefined,
      instances: [{ role: 'primary', engine: '16' }, { role: 'standby' }],
    });
  });

  test('the API is away for some seconds from the first call on, for every call', async () => {
    const { addFault, act, clock, deployment } = await opened();
    await addFault({ kind: 'apiErrors', seconds: 3 });
    clock.advance(60_000);
    const calls = [
      () => deployment.inventory(),
      () => deployment.findImages([]),
      () => deployment.diagnose(),
      () => deployment.takeOver(1),
      () => deployment.begin(act(W), 1),
      () => deployment.observe([act(W)]),
      () => deployment.showMode(true, ''),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('the API server answered 503');
    clock.advance(2999);
    await expect(deployment.inventory()).rejects.toThrow('503');
    clock.advance(1);
    for (const call of calls) await call();
  });

  test.each([
    ['quota', 'quota'],
    ['diskFull', 'disk'],
  ] as const)('[UPG10] %s fails the check of the %s', async (fault, check) => {
    const { addFault, deployment } = await opened();
    const id = await addFault({ kind: fault });
    const failed = (await deployment.diagnose()).filter(({ verdict }) => verdict !== 'pass');
    expect(failed).toMatchObject([{ name: check, verdict: 'fail', todo: expect.stringContaining(id) }]);
  });

  test('a fault that cannot be is refused with all that is wrong', async () => {
    const { deployment } = await opened();
    await expect(
      deployment.addFault({ kind: 'crashLoop', workload: 'nobody', phase: 'engine', seconds: 3 }),
    ).rejects.toMatchObject({
      code: 'invalid',
      details: [
        'phase: does not apply to crashLoop',
        'seconds: does not apply to crashLoop',
        expect.stringContaining('nobody'),
      ],
    });
    await expect(deployment.removeFaults('none')).rejects.toMatchObject({ code: 'notFound' });
    expect(await deployment.removeFaults(undefined)).toBe(0);
  });
});
