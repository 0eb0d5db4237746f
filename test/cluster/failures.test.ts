import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { expectRunning, patch, references, release } from '../support/cluster/appVersions.ts';
import type { ClusterSteward, Scenario } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { textsOf } from '../support/cluster/upgradeCalls.ts';
import { hookObject } from '../support/cluster/workloadObjects.ts';
import { CODE } from '../support/upgrades/codes.ts';

const NAME = 'failures-app';
const WEB = 'Deployment/web/app';
const STORE = 'StatefulSet/store/store';
const AGENT = 'DaemonSet/agent/agent';

describeOnCluster('jobs that fail or are cancelled', () => {
  let scenario: Scenario;
  let steward: ClusterSteward;
  let first: AppImages;
  let second: AppImages;

  beforeAll(async () => {
    scenario = await openScenario();
    const [one, two] = [await makeImage(NAME, '1.0'), await makeImage(NAME, '2.0')];
    const broken = await makeImage('failures-broken', '2.0');
    first = { [WEB]: one, [STORE]: one, [AGENT]: one };
    second = { [WEB]: two, [STORE]: broken, [AGENT]: two };
    await scenario.install([
      { kind: 'Deployment', name: 'web', wave: 10, containers: { app: one.tagged } },
      { kind: 'DaemonSet', name: 'agent', wave: 20, containers: { agent: one.tagged } },
      { kind: 'StatefulSet', name: 'store', wave: 20, containers: { store: one.tagged } },
    ]);
    steward = await scenario.steward();
    await steward.importManifest([
      release('1.0.100', '', first),
      patch('1.0.101', second),
      release('2.0.200', '1.0', { ...second, [STORE]: two }),
    ]);
    await steward.adopt('rel_1.0.100');
  });
  afterAll(() => scenario?.close());

  async function expectUntouched(): Promise<void> {
    expect(await scenario.configured()).toEqual(references(first, ({ tagged }) => tagged));
    await expectRunning(scenario, first);
    expect(await steward.currentVersion()).toBe('1.0.100');
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
  }

  /** The Jobs of hooks, and their pods. */
  async function hookRuns(): Promise<readonly string[]> {
    const jobs = await scenario.kubectl('get', 'jobs', '-o', 'name');
    const pods = await scenario.kubectl('get', 'pods', '-l', 'job-name', '-o', 'name');
    return `${jobs}${pods}`.split('\n').filter((line) => line !== '');
  }

  test('[UPG13] a crash loop fails with the last log lines, and everything gets its literal former reference back', async () => {
    scenario.crash('failures-broken 2.0');
    await steward.upgrade('pat_1.0.101');
    const ended = await steward.untilEnd('rolled_back');
    const failure = ended.messages.find(({ code }) => code === CODE.stepFailed);
    expect(failure?.message).toContain('StatefulSet/store');
    expect(failure?.message).toContain('the exit code 3');
    expect(failure?.message).toContain('fatal: the index of failures-broken 2.0 is damaged');
    expect(ended.messages.at(-1)?.message).toContain('The deployment runs 1.0.100 as before.');
    await expectUntouched();
  });

  test('[UPG17] a hook that fails is reported with its last lines, and the job is rolled back', async () => {
    const { reference } = await makeImage(NAME, '1.0');
    const script = 'echo "copying"; echo "fatal: the disk is full"; exit 4';
    await scenario.apply(hookObject('backup', { name: 'copy', image: reference, command: ['sh', '-c', script] }));
    await steward.upgrade('rel_2.0.200');
    const ended = await steward.untilEnd('rolled_back');
    const failure = ended.messages.find(({ code }) => code === CODE.stepFailed);
    expect(failure?.message).toContain('backup');
    expect(failure?.message).toContain('fatal: the disk is full');
    expect(textsOf(ended)).not.toContain('is updated with the image');
    await expectUntouched();
  });

  test('[UPG17] [UPG21] a hook that runs when the job is cancelled is stopped: its Job is gone and its pods end', async () => {
    const { reference } = await makeImage(NAME, '1.0');
    await scenario.kubectl('delete', 'jobs', '--all');
    await expect.poll(hookRuns, { interval: 300 }).toEqual([]);
    await scenario.apply(hookObject('backup', { name: 'copy', image: reference }));
    const job = await steward.upgrade('rel_2.0.200');
    await steward.untilSaid(/restore point is being created/);
    await expect.poll(hookRuns, { interval: 300 }).toHaveLength(2);
    await steward.control(job, 'cancel');
    const ended = await steward.untilEnd('rolled_back');
    expect(textsOf(ended)).toContain('The hook `backup` was running and has been stopped.');
    await expect.poll(hookRuns, { interval: 300 }).toEqual([]);
    await expectUntouched();
  });
});
