import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';

const KEPT_MS = 2 * SECOND;

describe('[DEC63] the state of the system at a glance', () => {
  let steward: UpgradeServer;
  beforeAll(async () => {
    steward = await startUpgradeServer();
  });
  afterAll(() => steward.close());

  const overview = () => steward.must('/admin/system/overview');
  const deployment = () => steward.must('/admin/system/deployment');

  test('the overview has one entry for each of the last 60 minutes, and no job before the first', async () => {
    const { perMinute, job, drift, obstacles, mode } = await overview();
    expect(perMinute).toHaveLength(60);
    expect([job, drift, obstacles, mode.isReadOnly]).toEqual([null, [], [], false]);
  });

  test('a change is seen when the kept answer is two seconds old', async () => {
    await overview();
    await steward.must('/admin/mode', { isReadOnly: 'true', message: 'Back at noon' });
    expect((await overview()).mode.isReadOnly).toBe(false);
    await steward.pass(KEPT_MS);
    expect((await overview()).mode).toMatchObject({ isReadOnly: true, message: 'Back at noon' });
    await steward.must('/admin/mode', { isReadOnly: 'false' });
  });

  test('a workload that runs another image than that of the installed version has drifted', async () => {
    const { name } = (await steward.simulated.inventory()).workloads[0] ?? { name: '' };
    await steward.reset((inventory) => ({
      ...inventory,
      workloads: inventory.workloads.map((one) =>
        one.name === name
          ? {
              ...one,
              images: one.images.map((image) => ({ ...image, image: 'registry.example/other:1', checksum: undefined })),
            }
          : one,
      ),
    }));
    await steward.pass(KEPT_MS);
    expect((await overview()).drift).toEqual([name]);
    const { workloads } = await deployment();
    const drifted = workloads.filter(({ runs }: { readonly runs: string }) => runs === 'other');
    expect(drifted.map(({ workload }: { readonly workload: string }) => workload)).toEqual([name]);
    await steward.reset();
  });

  test('while a job updates workloads, each runs the installed or the next version', async () => {
    await steward.upgrade('pat_10.9.1.1842');
    let seen: readonly string[] = [];
    await steward.clock.untilTrue('a workload runs the next version', async () => {
      seen = (await deployment()).workloads.map(({ runs }: { readonly runs: string }) => runs);
      return seen.includes('next');
    });
    expect([...new Set(seen)].toSorted()).toEqual(['installed', 'next']);
    await steward.untilEnd();
    await steward.pass(KEPT_MS);
    expect((await overview()).job).toMatchObject({ state: 'success', to: '10.9.1.1842' });
  });

  test.each(['overview', 'deployment'])('%s is for administrators', async (name) => {
    const publisher = await steward.tokenFor('publisher');
    expect((await steward.anonymous.post(`/admin/system/${name}`, { token: publisher })).status).toBe(403);
  });
});
