import { describe, expect, test } from 'vitest';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { settings } from '../support/upgrades/upgradeFields.ts';

const UPGRADES = '/admin/system/upgrades';

let steward: UpgradeServer;

const servers = serversForTests();

const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const imageOf = (name: string, letter: string): string => `registry.example/acme/${name}@${digestOf(letter)}`;

const workload = (kind: string, name: string, image = name) => {
  const template = { spec: { containers: [{ name: 'app', image: imageOf(image, 'a') }] } };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  return { kind, metadata: { name }, spec };
};

/** What kubectl prints about two Deployments and a CronJob, which all have a container `app`, and two of them one name. */
const CLUSTER = {
  kind: 'List',
  items: [workload('Deployment', 'web'), workload('Deployment', 'api'), workload('CronJob', 'api', 'api-jobs')],
};

const version = (
  build: string,
  previousBuild: string,
  letter: string,
  names: readonly (readonly [string, string])[],
) => ({
  id: `${previousBuild === '' ? 'rel' : 'pat'}_10.${build}`,
  update: previousBuild === '' ? 'release' : 'patch',
  version: '10',
  build,
  previousVersion: previousBuild === '' ? '' : '10',
  previousBuild,
  containers: names.map(([name, image]) => ({ name, checksum: digestOf(letter), image: imageOf(image, letter) })),
});

const ADDRESSED = [
  ['web/app', 'web'],
  ['Deployment/api/app', 'api'],
  ['cronjob/api/app', 'api-jobs'],
] as const;

async function start(...versions: readonly object[]): Promise<UpgradeServer> {
  steward = await servers.own({ isAdopted: false });
  const { postParts, must } = steward;
  const filled = await postParts('/admin/demo/deployment/fill', [
    { name: 'inventory', content: JSON.stringify(CLUSTER), fileName: 'cluster.json' },
  ]);
  expect(filled.body).toEqual({ status: 'success', workloads: 3 });
  const manifest = { name: 'versionManifestFile', content: JSON.stringify(versions), fileName: 'm.json' };
  expect((await postParts(`${UPGRADES}/importManifest`, [manifest])).status).toBe(200);
  expect(await must(`${UPGRADES}/adopt`, { versionManifest: 'rel_10.1' })).toMatchObject({ differences: [] });
  return steward;
}

describe('[UPG3] containers that share their name', () => {
  test('workload/container and kind/workload/container address one container each, also of a CronJob', async () => {
    const { must, upgrade, untilEnd, simulated } = await start(
      version('1', '', 'a', ADDRESSED),
      version('2', '1', 'b', ADDRESSED),
    );
    const plan = await must(`${UPGRADES}/plan`, { versionManifest: 'pat_10.2' });
    expect([plan.canStart, plan.steps[0].waves.flat().length]).toEqual([true, 3]);
    await upgrade('pat_10.2');
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    const { workloads } = await simulated.inventory();
    expect(Object.fromEntries(workloads.map(({ name, images }) => [name, images[0]?.image]))).toEqual({
      'Deployment/web': imageOf('web', 'b'),
      'Deployment/api': imageOf('api', 'b'),
      'CronJob/api': imageOf('api-jobs', 'b'),
    });
  });

  test('a bare name that means different images is a failed check that lists the containers', async () => {
    const { must, post } = await start(
      version('1', '', 'a', [['web/app', 'web']]),
      version('2', '1', 'b', [['app', 'web']]),
    );
    const fields = { versionManifest: 'pat_10.2', upgradeSettings: settings({}) };
    const { checks, canStart } = await must(`${UPGRADES}/plan`, fields);
    const check = checks.find(({ name }: { name: string }) => name === 'containers');
    expect([canStart, check.verdict]).toEqual([false, 'fail']);
    for (const [address, image] of [
      ['Deployment/web/app', 'web'],
      ['Deployment/api/app', 'api'],
      ['CronJob/api/app', 'api-jobs'],
    ] as const)
      expect(check.text).toContain(`${address} (${imageOf(image, 'a')})`);
    expect(check.todo).toContain('workload/container');
    expect((await post(`${UPGRADES}/upgrade`, fields)).status).toBe(409);
  });
});
