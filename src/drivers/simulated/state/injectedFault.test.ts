import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import { databaseAct, openSimulatedDeployment } from '../../../../test/support/upgrades/simulatedDeployment.ts';
import { eachStore, placeForEachTest } from '../../../../test/support/store/stores.ts';
import { HOOKS } from '../../../model/hook.ts';
import type { DatabasePhase } from '../../../model/workload.ts';
import type { Act } from '../../../upgrades/ports/deployment.ts';
import { demoOperations } from '../../../demo/demoOperations.ts';
import { FAULT_KINDS } from './injectedFault.ts';
import { diagnosed } from '../../../../test/support/upgrades/diagnosed.ts';

const W = 'object-store';
const OTHER = 'search-index';
const REMOVAL = expect.objectContaining({ nextActions: [expect.objectContaining({ action: 'removeFault' })] });

test('the demo operations offer every kind of fault and every hook', () => {
  const { kind, hook } = demoOperations.addFault.fields;
  expect(kind.reader.schema['enum']).toEqual(Object.keys(FAULT_KINDS));
  expect(hook.reader.schema['enum']).toEqual(HOOKS);
});

eachStore((kind) => {
  const at = placeForEachTest(kind);

  async function opened() {
    const clock = manualClock();
    const store = await at.open(clock);
    const world = await openSimulatedDeployment(store.documents, clock, 12);
    return { ...world, clock };
  }

  describe('a rollout', () => {
    test.each([
      ['imageAbsent', 1000, 'has no image'],
      ['imageUnpullable', 2000, 'cannot pull'],
      ['checksumDiffers', 3500, 'ran another build than the manifest names'],
      ['crashLoop', 3500, 'restarted 5 times'],
    ] as const)(
      '[UPG12] a rollout with the fault %s fails within %d ms, and other rollouts succeed',
      async (fault, withinMs, reason) => {
        const { addFault, begin, look, act, clock, images, deployment } = await opened();
        const id = await addFault({ kind: fault, workload: W });
        await begin(act(W));
        await begin(act(OTHER));
        clock.advance(withinMs);
        const [image] = images(W, 'rel_11.0');
        const seen = await look(act(W));
        expect(seen).toMatchObject({
          state: 'failed',
          failure: { lines: expect.arrayContaining([expect.stringMatching(/^\[simulated\] /)]) },
        });
        const failure = seen.state === 'failed' ? seen.failure : undefined;
        for (const word of [W, image?.image, reason]) expect(failure?.reason).toContain(word);
        expect(failure?.advice).toContain(id);
        expect((await deployment.inventory()).workloads.find(({ name }) => name === W)?.trouble).toBe(failure?.reason);
        clock.advance(5000);
        expect(await look(act(OTHER))).toMatchObject({ state: 'done' });
      },
    );

    test.each([
      ['imageAbsent', { kind: 'absent', reason: expect.stringContaining('simulated'), remedy: REMOVAL }],
      ['checksumDiffers', { kind: 'differs', found: expect.stringMatching(/^sha256:[\da-f]{64}$/), remedy: REMOVAL }],
      ['imageUnpullable', { kind: 'found', aliases: [] }],
    ] as const)(
      '[UPG10] the registry reports the fault %s for the new image of the workload only',
      async (fault, finding) => {
        const { addFault, images, deployment } = await opened();
        const asked = [...images(W, 'rel_11.0'), ...images(OTHER, 'rel_11.0'), ...images(W, 'rel_10.9.1')];
        await addFault({ kind: fault, workload: W });
        expect(await deployment.findImages(asked)).toEqual([
          finding,
          { kind: 'found', aliases: [] },
          { kind: 'found', aliases: [] },
        ]);
        await deployment.removeFaults(undefined);
        expect((await deployment.findImages(asked)).every((one) => one.kind === 'found')).toBe(true);
      },
    );

    test('a slow rollout never ends until its fault is removed, and then completes', async () => {
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

    test('a rollout that loses a node pauses, and then completes by itself', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'nodeLost', workload: W, seconds: 10 });
      await begin(act(W));
      clock.advance(9000);
      expect(await look(act(W))).toMatchObject({ state: 'running', detail: expect.stringContaining('node was lost') });
      clock.advance(5000);
      expect(await look(act(W))).toMatchObject({ state: 'done' });
    });

    test('[UPG18] a rollout whose images are put back is absent within a second', async () => {
      const { addFault, begin, look, act, clock, deployment } = await opened();
      await addFault({ kind: 'putBack', workload: W, times: 1 });
      await begin(act(W));
      expect(await look(act(W))).toMatchObject({ state: 'running' });
      clock.advance(1000);
      expect(await look(act(W))).toEqual({
        state: 'absent',
        changedBy: 'demo-gitops-controller',
        remedy: expect.objectContaining({ nextActions: [expect.objectContaining({ action: 'removeFault' })] }),
      });
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'running' });
      clock.advance(3500);
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'done' });
      await begin(act(W));
      clock.advance(3500);
      expect(await look(act(W))).toMatchObject({ state: 'done' });
      expect(await deployment.faults()).toMatchObject([{ struck: 1, isSpent: true }]);
    });

    test('[UPG18] a rollout of images that another manager owns is refused, with the name of the manager and advice', async () => {
      const { addFault, begin, act, deployment } = await opened();
      const id = await addFault({ kind: 'conflict', workload: W });
      const owners = (await deployment.inventory()).workloads.flatMap(({ name, managers }) =>
        managers.length > 0 ? [name] : [],
      );
      expect(owners).toEqual([W]);
      const begun = await deployment.begin(act(W), 1);
      expect(begun).toMatchObject({
        kind: 'refused',
        failure: { reason: expect.stringContaining('demo-gitops-controller'), advice: expect.stringContaining(id) },
      });
      await deployment.removeFaults(id);
      await begin(act(W));
    });

    test('a fault with times=2 strikes the first two rollouts', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'crashLoop', times: 2 });
      for (const workload of [W, OTHER]) await begin(act(workload));
      clock.advance(5000);
      for (const workload of [W, OTHER]) expect(await look(act(workload))).toMatchObject({ state: 'failed' });
      for (const workload of [W, OTHER]) await begin(act(workload));
      clock.advance(5000);
      for (const workload of [W, OTHER]) expect(await look(act(workload))).toMatchObject({ state: 'done' });
    });

    test('a rollback is not struck by a fault of the new image', async () => {
      const { addFault, begin, look, act, clock } = await opened();
      await addFault({ kind: 'imageAbsent', workload: W });
      await begin(act(W));
      clock.advance(5000);
      await begin(act(W, 'rel_10.9.1'));
      clock.advance(5000);
      expect(await look(act(W, 'rel_10.9.1'))).toMatchObject({ state: 'done' });
    });
  });

  test('a hook fails with log lines, and succeeds once the fault is used up', async () => {
    const { addFault, begin, look, clock } = await opened();
    await addFault({ kind: 'hookFails', hook: 'portal-content', times: 1 });
    const act: Act = { kind: 'hook', hook: 'portal-content', run: 'job-1' };
    const other: Act = { kind: 'hook', hook: 'logging', run: 'job-1' };
    await begin(act);
    await begin(other);
    clock.advance(2000);
    expect(await look(act)).toMatchObject({
      state: 'failed',
      failure: { lines: [expect.any(String), expect.any(String), expect.any(String)] },
    });
    expect(await look(other)).toMatchObject({ state: 'done' });
    await begin(act);
    clock.advance(2000);
    expect(await look(act)).toMatchObject({ state: 'done' });
  });

  test('[UPG13] a phase of the database that failed can be begun again, and be undone by restore', async () => {
    const { addFault, begin, look, clock, deployment } = await opened();
    const phase = (name: DatabasePhase): Act => databaseAct(name, 'job-1');
    const id = await addFault({ kind: 'databaseDown' });
    for (const name of ['readOnly', 'promote', 'engine'] as const) {
      await begin(phase(name));
      clock.advance(4000);
    }
    expect(await look(phase('engine'))).toMatchObject({
      state: 'failed',
      failure: { reason: expect.stringContaining('`database-b` (in this phase the new primary) does not start.') },
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

  test.each([
    [[], 'readOnly', '`database-a` (the primary)'],
    [['readOnly'], 'promote', '`database-b` (the standby)'],
    [['readOnly'], 'restore', '`database-a` (the primary)'],
    [['readOnly', 'promote'], 'engine', '`database-b` (the new primary)'],
    [['readOnly', 'promote', 'engine'], 'readWrite', '`database-b` (the new primary)'],
    [['readOnly', 'promote', 'engine'], 'restore', '`database-a` (the former primary)'],
    [['readOnly', 'promote', 'engine', 'readWrite'], 'standby', '`database-a` (the former primary)'],
  ] as const)('[UPG13] after the phases %j, a failure of the phase %s names %s', async (done, failing, instance) => {
    const { addFault, begin, look, clock } = await opened();
    const act = (phase: DatabasePhase): Act => databaseAct(phase, 'job-1');
    await addFault({ kind: 'databaseDown', phase: failing });
    for (const phase of [...done, failing]) {
      await begin(act(phase));
      clock.advance(4000);
    }
    const name = instance.replace(/ .*/, '');
    const seen = await look(act(failing));
    expect(seen).toMatchObject({
      state: 'failed',
      failure: {
        reason: `The phase \`${failing}\` of the simulated database failed: ${instance.replace('(the', '(in this phase the')} does not start.`,
        lines: [`[simulated] LOG: starting ${name}`, expect.any(String), expect.any(String)],
      },
    });
    // The roles may have changed when a person reads the advice.
    expect(seen.state === 'failed' && seen.failure.advice).toContain(
      `Install the missing extension "demo_extension" on ${name}. `,
    );
  });

  test('an API outage fails every call for its seconds, counted from the first call', async () => {
    const { addFault, act, clock, deployment } = await opened();
    await addFault({ kind: 'apiErrors', seconds: 3 });
    clock.advance(60_000);
    const calls = [
      () => deployment.inventory(),
      () => deployment.findImages([]),
      () => diagnosed(deployment),
      () => deployment.takeOver(1),
      () => deployment.begin(act(W), 1),
      () => deployment.observe([act(W)]),
      () => deployment.showMode({ isReadOnly: true, message: '', revision: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow('the simulated API server answered 503');
    clock.advance(2999);
    await expect(deployment.inventory()).rejects.toThrow('503');
    clock.advance(1);
    for (const call of calls) await call();
  });

  test.each([
    ['quota', 'quota'],
    ['diskFull', 'disk'],
  ] as const)('[UPG10] the fault %s fails the check %s', async (fault, check) => {
    const { addFault, deployment } = await opened();
    const id = await addFault({ kind: fault });
    const failed = (await diagnosed(deployment)).filter(({ verdict }) => verdict !== 'pass');
    expect(failed).toMatchObject([{ name: check, verdict: 'fail', todo: expect.stringContaining(id) }]);
  });

  test('an invalid fault is refused with all its problems', async () => {
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
