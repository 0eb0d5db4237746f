import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { AppImages, ImageEntry } from '../support/cluster/appVersions.ts';
import { expectRunning, patch, references, release } from '../support/cluster/appVersions.ts';
import type { AppWorkload, ClusterSteward, Scenario } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { textsOf } from '../support/cluster/upgradeCalls.ts';
import { CODE } from '../support/upgrades/codes.ts';

/** Twelve workloads of all kinds. Each container is given with the repository of its image. */
const WORKLOADS: readonly AppWorkload[] = [
  { kind: 'StatefulSet', name: 'db', wave: 10, containers: { db: 'store' } },
  { kind: 'StatefulSet', name: 'queue', wave: 10, containers: { queue: 'store' } },
  { kind: 'Deployment', name: 'web', wave: 20, containers: { app: 'web' } },
  { kind: 'Deployment', name: 'api', wave: 20, containers: { app: 'tool' }, initContainers: { migrate: 'store' } },
  { kind: 'Deployment', name: 'portal', wave: 20, containers: { portal: 'web', sidecar: 'tool' } },
  { kind: 'Deployment', name: 'search', wave: 20, containers: { search: 'web' } },
  { kind: 'Deployment', name: 'mail', wave: 30, containers: { mail: 'tool' } },
  { kind: 'Deployment', name: 'jobs', wave: 30, containers: { jobs: 'tool' } },
  { kind: 'DaemonSet', name: 'agent', wave: 30, containers: { agent: 'tool' } },
  { kind: 'DaemonSet', name: 'logs', wave: 30, containers: { logs: 'store' } },
  { kind: 'CronJob', name: 'nightly', wave: 40, containers: { nightly: 'tool' } },
  { kind: 'CronJob', name: 'cleanup', wave: 40, containers: { cleanup: 'tool' } },
];

const CONTAINERS = WORKLOADS.flatMap(({ kind, name, containers, initContainers }) =>
  Object.entries({ ...initContainers, ...containers }).map(
    ([container, repository]): [address: string, repository: string] => [`${kind}/${name}/${container}`, repository],
  ),
);

/** The images of all containers with a tag, pushed to the registry. */
async function imagesOf(tag: string): Promise<AppImages> {
  const made = CONTAINERS.map(async ([address, repository]): Promise<[string, ImageEntry]> => [
    address,
    await makeImage(`upgrades-${repository}`, tag),
  ]);
  return Object.fromEntries(await Promise.all(made));
}

function withImages(images: AppImages): readonly AppWorkload[] {
  const named = (address: string, containers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.keys(containers).map((name) => [name, images[`${address}/${name}`]?.tagged ?? '']));
  return WORKLOADS.map((one) => ({
    ...one,
    containers: named(`${one.kind}/${one.name}`, one.containers),
    initContainers: named(`${one.kind}/${one.name}`, one.initContainers ?? {}),
  }));
}

describeOnCluster('upgrades of twelve workloads', () => {
  let scenario: Scenario;
  let steward: ClusterSteward;
  let first: AppImages;
  let second: AppImages;
  let third: AppImages;

  beforeAll(async () => {
    scenario = await openScenario();
    [first, second, third] = [await imagesOf('1.0'), await imagesOf('2.0'), await imagesOf('2.0.1')];
    await scenario.install(withImages(first));
    steward = await scenario.steward();
    await steward.importManifest([
      release('1.0.100', '', first),
      release('2.0.200', '1.0', second),
      patch('2.0.201', third),
    ]);
  });
  afterAll(() => scenario?.close());

  test('[UPG19] adopt records the version that kubectl installed, because the running digests are those of its manifest', async () => {
    const { status, body } = await steward.adopt('rel_1.0.100');
    expect(status).toBe(200);
    expect(body.differences).toEqual([]);
    expect(await steward.currentVersion()).toBe('1.0.100');
  });

  test('[UPG7] [UPG12] a release and its latest patch update all kinds of workloads, and every pod runs the digests of the manifest', async () => {
    await steward.upgrade('rel_2.0.200', { withoutRestorePoint: 'true' });
    await steward.untilSaid(/read-only mode/);
    await expect.poll(() => scenario.mode(), { interval: 200 }).toMatchObject({ isReadOnly: 'true' });
    const ended = await steward.untilEnd('success');
    expect(ended.messages.filter(({ code }) => code === CODE.workloadUpdated)).toHaveLength(24);
    expect(textsOf(ended)).toContain('2175 12 out of 12 deployments updated');
    expect(textsOf(ended)).toContain('2173 12 out of 12 deployments updated');
    expect(ended.messages.at(-1)?.message).toBe('Deployment upgraded successfully from 1.0.100 to 2.0.201.');
    expect(await scenario.configured()).toEqual(references(third));
    await expectRunning(scenario, third);
    expect(await steward.currentVersion()).toBe('2.0.201');
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
    expect(await scenario.events()).toEqual(['UpgradeStarted', 'UpgradeSucceeded']);
  });

  test('[UPG4] a rollback of the patch restores the references of the release', async () => {
    await steward.rollback('pat_2.0.201');
    await steward.untilEnd('success');
    expect(await scenario.configured()).toEqual(references(second));
    await expectRunning(scenario, second);
    expect(await steward.currentVersion()).toBe('2.0.200');
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
  });
});
