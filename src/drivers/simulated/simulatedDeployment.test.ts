import { describe, expect, test } from 'vitest';
import { deploymentContract } from '../../../test/support/upgrades/deploymentContract.ts';
import { objectContract } from '../../../test/support/upgrades/objects/objectContract.ts';
import { simulatedHooks } from '../../../test/support/upgrades/objects/simulatedObjects.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';
import { databaseAct, openSimulatedDeployment } from '../../../test/support/upgrades/simulatedDeployment.ts';
import { eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import type { DocumentStore } from '../../foundation/documentStore.ts';
import { HOOKS } from '../../model/hook.ts';
import type { Act } from '../../upgrades/ports/deployment.ts';
import type { NewFault } from './state/injectedFault.ts';
import type { DatabasePhase, Workload } from '../../model/workload.ts';
import { diagnosed } from '../../../test/support/upgrades/diagnosed.ts';

const W = 'object-store';

eachStore((kind) => {
  const at = placeForEachTest(kind);

  async function opened(count?: number) {
    const clock = manualClock();
    const store = await at.open(clock);
    const world = await openSimulatedDeployment(store.documents, clock, count);
    return { ...world, clock, store };
  }

  describe('the simulated deployment fulfils the contract of a deployment:', () => {
    deploymentContract(async () => {
      const { deployment, images, clock } = await opened();
      const next = images(W, 'rel_11.0');
      async function until(fault: NewFault): Promise<() => Promise<void>> {
        const { id } = await deployment.addFault(fault);
        return async () => void (await deployment.removeFaults(id));
      }
      const { fill } = deployment;
      async function change(more: Partial<Workload>): Promise<void> {
        const inventory = await deployment.inventory();
        const workloads = inventory.workloads.map((one) => (one.name === W ? { ...one, ...more } : one));
        await fill({ ...inventory, workloads });
      }
      return {
        deployment,
        workload: W,
        next,
        wrong: next.map((image) => ({ ...image, checksum: `sha256:${'0'.repeat(64)}` })),
        hook: 'backup',
        settle: async () => clock.advance(20_000),
        breakNext: () => until({ kind: 'crashLoop', workload: W }),
        breakForAWhile: async () => void (await deployment.addFault({ kind: 'heals', workload: W, seconds: 5 })),
        stall: async () => void (await deployment.addFault({ kind: 'slow', workload: W })),
        lag: async () => void (await deployment.addFault({ kind: 'lag', workload: W, seconds: 3 })),
        revertNext: async () => void (await deployment.addFault({ kind: 'putBack', workload: W })),
        manage: (manager) => change({ managers: [manager] }),
        block: () => change({ blocked: 'its rollout is paused' }),
        hang: () => until({ kind: 'apiHangs', seconds: 3600 }),
        forbid: () => until({ kind: 'forbidden' }),
      };
    });
  });

  describe('the simulated deployment fulfils the contract of objects:', () => {
    objectContract(async () => {
      const { deployment, clock } = await opened();
      return { deployment, settle: async () => clock.advance(20_000), ...simulatedHooks(deployment) };
    });
  });

  describe('images', () => {
    test('a change of images is rolled out replica by replica, at the pace of its workload', async () => {
      const { deployment, act, begin, look, clock } = await opened(48);
      const { workloads } = await deployment.inventory();
      expect(workloads).toHaveLength(48);
      const paces = workloads.map(({ expectedMs = 0 }) => expectedMs);
      expect(Math.min(...paces)).toBeGreaterThanOrEqual(1200);
      expect(Math.max(...paces)).toBeLessThanOrEqual(2800);
      expect(new Set(paces).size).toBeGreaterThan(20);
      const acts = workloads.map(({ name }) => act(name));
      await Promise.all(acts.map(begin));
      const details = new Set<string>();
      for (const _ of Array.from({ length: 35 })) {
        for (const seen of await deployment.observe(acts)) if (seen.state === 'running') details.add(seen.detail);
        clock.advance(100);
      }
      expect(details).toContain('1 of 3 replicas run the requested image');
      expect((await deployment.observe(acts)).every(({ state }) => state === 'done')).toBe(true);
      expect(await look(act(W))).toEqual({ state: 'done', lines: [] });
    });

    test('the inventory shows the checksum of the running image until the new one runs', async () => {
      const { deployment, act, images, begin, clock } = await opened();
      const runningNow = async () => (await deployment.inventory()).workloads.find(({ name }) => name === W)?.images;
      const [old] = images(W, 'rel_10.9.1');
      const [next] = images(W, 'rel_11.0');
      await begin(act(W));
      expect(await runningNow()).toEqual([{ ...next, checksum: old?.checksum }]);
      clock.advance(5000);
      expect(await runningNow()).toEqual([next]);
    });

    test('a requested image without a checksum matches any checksum', async () => {
      const { images, look } = await opened();
      const known = images(W, 'rel_10.9.1');
      const unknown = known.map((image) => ({ ...image, checksum: undefined }));
      expect(await look({ kind: 'images', workload: W, images: unknown })).toMatchObject({ state: 'done' });
      expect(await look({ kind: 'images', workload: W, images: known })).toMatchObject({ state: 'done' });
    });

    test('a change of images is begun without reading the other workloads', async () => {
      const clock = manualClock();
      const { documents } = await at.open(clock);
      const read: number[] = [];
      const counting: DocumentStore = {
        read: documents.read,
        change: (prefixes, decide) =>
          documents.change(prefixes, (found) => {
            read.push(found.size);
            return decide(found);
          }),
      };
      const { act, begin, look } = await openSimulatedDeployment(counting, clock, 200);
      read.length = 0;
      await begin(act(W));
      expect(Math.max(...read)).toBeLessThan(5);
      expect(await look(act(W))).toMatchObject({ state: 'running' });
      expect(await look(act(`${W}-2`))).toEqual({ state: 'absent' });
    });
  });

  test('a restart of the server changes neither rollouts, faults nor the fence', async () => {
    const { act, begin, addFault, clock, deployment, store } = await opened();
    await addFault({ kind: 'crashLoop', workload: W });
    await begin(act(W));
    await deployment.takeOver(9);
    await store.close();
    const again = await openSimulatedDeployment((await at.open(clock)).documents, clock);
    expect(await again.look(act(W))).toMatchObject({ state: 'running' });
    clock.advance(5000);
    expect(await again.look(act(W))).toMatchObject({ state: 'failed' });
    expect(await again.deployment.begin(act(W), 8)).toEqual({ kind: 'overtaken' });
  });

  test('[UPG17] every hook is in the inventory, and its last lines say that it is simulated', async () => {
    const { deployment, begin, look, clock } = await opened();
    const { hooks } = await deployment.inventory();
    expect(hooks).toEqual(HOOKS);
    for (const hook of hooks) {
      const act: Act = { kind: 'hook', hook, run: 'job-1' };
      await begin(act);
      expect(await look(act)).toMatchObject({ state: 'running' });
      clock.advance(2000);
      expect(await look(act)).toMatchObject({
        state: 'done',
        lines: expect.arrayContaining([expect.stringMatching(/^\[simulated\] /)]),
      });
    }
  });

  describe('the database', () => {
    async function withDatabase() {
      const world = await opened();
      const phase = (name: DatabasePhase): Act => databaseAct(name, 'job-1');
      const pair = async () => {
        const { database } = await world.deployment.inventory();
        const said = database?.instances.map(
          ({ name, role, isReadOnly, engine }) => `${name} ${role} ${isReadOnly ? 'ro' : 'rw'} ${engine}`,
        );
        return [...(said ?? []), database?.trouble === undefined ? 'well' : 'trouble'];
      };
      const run = async (name: DatabasePhase) => {
        await world.begin(phase(name));
        expect(await world.look(phase(name))).toMatchObject({ state: 'running' });
        world.clock.advance(4000);
        return world.look(phase(name));
      };
      return { ...world, phase, pair, run };
    }

    test('[UPG15] the database changes its primary, and reports on each database in one JSON text', async () => {
      const { pair, run } = await withDatabase();
      expect(await pair()).toEqual(['database-a primary rw 16', 'database-b standby ro 16', 'well']);
      await run('readOnly');
      expect(await pair()).toEqual(['database-a primary ro 16', 'database-b standby ro 16', 'trouble']);
      await run('promote');
      expect(await pair()).toEqual(['database-a standby ro 16', 'database-b primary ro 16', 'trouble']);
      const engine = await run('engine');
      expect(await pair()).toEqual(['database-a standby ro 16', 'database-b primary ro 17', 'trouble']);
      const lines = engine.state === 'done' ? engine.lines : [];
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        databases: expect.arrayContaining([{ name: 'system', status: 'upgraded' }]),
      });
      await run('afterEngine');
      await run('readWrite');
      expect(await pair()).toEqual(['database-a standby ro 16', 'database-b primary rw 17', 'trouble']);
      await run('roles');
      expect(await run('standby')).toMatchObject({ state: 'done', lines: [expect.stringContaining('[simulated]')] });
      expect(await pair()).toEqual(['database-a standby ro 17', 'database-b primary rw 17', 'well']);
    });

    test('[UPG13] the database can be restored until the new primary takes writes', async () => {
      const { pair, run, deployment, phase } = await withDatabase();
      for (const name of ['readOnly', 'promote', 'engine'] as const) await run(name);
      await run('restore');
      expect(await pair()).toEqual(['database-a primary rw 16', 'database-b standby ro 16', 'well']);
      const again = (name: DatabasePhase): Act => databaseAct(name, 'job-2');
      expect(await deployment.begin(again('engine'), 1)).toMatchObject({ kind: 'refused' });
      expect(await deployment.begin(phase('engine'), 1)).toMatchObject({ kind: 'begun' });
    });

    test('the database refuses a phase out of order, and refuses restore after the point of no return', async () => {
      const { run, deployment, phase } = await withDatabase();
      expect(await deployment.begin(phase('promote'), 1)).toMatchObject({
        kind: 'refused',
        failure: { reason: expect.stringContaining('promote') },
      });
      for (const name of ['readOnly', 'promote', 'engine', 'readWrite'] as const) await run(name);
      expect(await deployment.begin(phase('restore'), 1)).toMatchObject({ kind: 'refused' });
    });

    test('a second run of a running phase joins it', async () => {
      const { run, begin, look, phase, pair, clock } = await withDatabase();
      for (const name of ['readOnly', 'promote'] as const) await run(name);
      await begin(phase('engine'));
      clock.advance(3000);
      const other: Act = databaseAct('engine', 'job-1, second attempt');
      await begin(other);
      clock.advance(1000);
      expect(await look(other)).toMatchObject({ state: 'done' });
      expect(await pair()).toContain('database-b primary ro 17');
    });

    test('restore interrupts the phase that is running', async () => {
      const { run, begin, look, phase, pair, deployment } = await withDatabase();
      await run('readOnly');
      await begin(phase('promote'));
      expect(await deployment.begin(phase('engine'), 1)).toMatchObject({ kind: 'refused' });
      expect(await run('restore')).toMatchObject({ state: 'done' });
      expect(await look(phase('promote'))).toEqual({ state: 'absent' });
      expect(await pair()).toContain('well');
    });
  });

  describe('[UPG8] volumes', () => {
    test('volumes are created and grown', async () => {
      const { deployment, begin, look } = await opened();
      const act: Act = {
        kind: 'volumes',
        volumes: { 'log-store': { size: '0.2Ti' }, archive: { size: '5Gi', storageClass: 'slow' } },
      };
      expect(await look(act)).toEqual({ state: 'absent' });
      await begin(act);
      expect(await look(act)).toMatchObject({ state: 'done' });
      expect((await deployment.inventory()).volumes).toEqual(
        expect.arrayContaining([
          { name: 'archive', size: '5Gi', storageClass: 'slow' },
          { name: 'log-store', size: '0.2Ti', storageClass: 'standard' },
        ]),
      );
    });

    test('volumes never shrink or change class, and all problems are named at once', async () => {
      const { deployment } = await opened();
      const before = (await deployment.inventory()).volumes;
      const volumes = {
        'log-store': { size: '99Gi' },
        'file-store': { size: 'large' },
        'search-index': { storageClass: 'standard' },
        'new-one': {},
      };
      const begun = await deployment.begin({ kind: 'volumes', volumes }, 1);
      const reason = begun.kind === 'refused' ? begun.failure.reason : '';
      for (const name of Object.keys(volumes)) expect(reason).toContain(name);
      expect((await deployment.inventory()).volumes).toEqual(before);
    });
  });

  test('the deployment keeps a licence, and shows read-only mode', async () => {
    const { deployment, begin, look } = await opened();
    const act: Act = { kind: 'licence', content: '{"product":"Product"}' };
    expect(await look(act)).toEqual({ state: 'absent' });
    await begin(act);
    expect(await look(act)).toMatchObject({ state: 'done' });
    await deployment.showMode({ isReadOnly: true, message: 'Back soon', revision: 2 });
    expect(await deployment.view()).toMatchObject({
      mode: { isReadOnly: true, message: 'Back soon' },
      licence: { length: 21 },
    });
  });

  test('the view shows rollouts that are running or have failed', async () => {
    const { deployment, addFault, act, begin, clock } = await opened();
    await addFault({ kind: 'crashLoop', workload: W });
    await begin(act(W));
    expect((await deployment.view()).rollouts).toEqual({
      [W]: { state: 'running', detail: expect.any(String), movedAt: clock.now() },
    });
    clock.advance(5000);
    const texts = { reason: expect.any(String), lines: expect.any(Array), advice: expect.any(String) };
    const failure = { ...texts, nextActions: [expect.objectContaining({ action: 'removeFault' })] };
    expect((await deployment.view()).rollouts).toEqual({ [W]: { state: 'failed', fault: failure } });
  });

  test('settings apply to acts that begin later, and a rollout of 0 ms ends at once', async () => {
    const { deployment, begin, look, act } = await opened();
    expect(await deployment.changeSettings({ rolloutMs: 0, hookMs: undefined })).toEqual({
      rolloutMs: 0,
      hookMs: 2000,
      databaseMs: 1000,
    });
    await begin(act(W));
    expect(await look(act(W))).toMatchObject({ state: 'done' });
  });

  test('every check passes, and its text says that it is simulated', async () => {
    const checks = await diagnosed((await opened()).deployment);
    expect(checks.map(({ name }) => name)).toEqual(['rights', 'nodes', 'quota', 'disk']);
    for (const { verdict, text } of checks)
      expect([verdict, text]).toEqual(['pass', expect.stringContaining('simulated')]);
  });
});
