import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { expectRunning, patch, references, release } from '../support/cluster/appVersions.ts';
import { describeOnCluster, makeImage, restart } from '../support/cluster/cluster.ts';
import type { ClusterSteward, Scenario } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { mustBeOk, textsOf } from '../support/cluster/upgradeCalls.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { storeSetting } from '../support/server/stewardProcess.ts';
import { postgresKind } from '../support/store/stores.ts';
import { CODE } from '../support/upgrades/codes.ts';
import type { Status } from '../support/upgrades/upgradeServer.ts';

const NAME = 'interruptions-app';
const WEB = 'Deployment/web/app';
const STORE = 'StatefulSet/store/store';

async function imagesOf(tag: string): Promise<AppImages> {
  const image = await makeImage(NAME, tag);
  return { [WEB]: image, [STORE]: image };
}

/** Checks that every workload was updated once, however often the job was interrupted. */
function expectUpdatedOnce(ended: Status): void {
  expect(ended.messages.filter(({ code }) => code === CODE.workloadUpdated)).toHaveLength(2);
  expect(ended.messages.at(-1)?.code).toBe(CODE.upgradeSucceeded);
}

describeOnCluster('jobs that are interrupted', () => {
  let scenario: Scenario;
  let steward: ClusterSteward;
  let versions: readonly AppImages[];

  beforeAll(async () => {
    scenario = await openScenario();
    versions = [await imagesOf('1.0'), await imagesOf('2.0'), await imagesOf('3.0'), await imagesOf('4.0')];
    const [first = {}] = versions;
    const image = first[WEB]?.tagged ?? '';
    await scenario.install([
      { kind: 'Deployment', name: 'web', wave: 10, containers: { app: image } },
      { kind: 'StatefulSet', name: 'store', wave: 20, containers: { store: image } },
    ]);
    steward = await scenario.steward();
  });
  afterAll(() => scenario?.close());

  /** Imports the versions, and records that the deployment runs one of them. */
  async function prepare(server: ClusterSteward, current: string): Promise<void> {
    const [first = {}, second = {}, third = {}, fourth = {}] = versions;
    await server.importManifest([
      release('1.0.100', '', first),
      patch('1.0.101', second),
      patch('1.0.102', third),
      patch('1.0.103', fourth),
    ]);
    mustBeOk(await server.adopt(current));
  }

  async function expectInstalled(server: ClusterSteward, name: string, images: AppImages = {}): Promise<void> {
    expect(await scenario.configured()).toEqual(references(images));
    await expectRunning(scenario, images);
    expect(await server.currentVersion()).toBe(name);
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
  }

  test('[UPG11] a job goes on after the API server, the kubelet and the registry were killed in its middle', async () => {
    await prepare(steward, 'rel_1.0.100');
    scenario.hold(`${NAME} 2.0`);
    await steward.upgrade('pat_1.0.101');
    await steward.untilSaid(/Deployment\/web is updated/);
    await restart('apiserver');
    await restart('registry');
    await restart('kubelet');
    expect((await steward.status()).state).toBe('in_progress');
    scenario.release(`${NAME} 2.0`);
    const ended = await steward.untilEnd('success');
    expectUpdatedOnce(ended);
    expect(textsOf(ended)).not.toContain('Rolling back');
    await expectInstalled(steward, '1.0.101', versions[1]);
  });

  test('[UPG11] a job goes on when Steward was killed in its middle and is started again on the same data', async () => {
    scenario.hold(`${NAME} 3.0`);
    await steward.upgrade('pat_1.0.102');
    await steward.untilSaid(/Deployment\/web is updated/);
    await steward.end('SIGKILL');
    scenario.release(`${NAME} 3.0`);
    steward = await scenario.steward();
    const ended = await steward.untilEnd('success');
    expect(textsOf(ended)).toContain('A server has taken over this job and continues it.');
    expectUpdatedOnce(ended);
    await expectInstalled(steward, '1.0.102', versions[2]);
  });

  test.skipIf(!postgresKind.isHere)(
    `[UPG11] another replica goes on with a job when the one that ran it is killed, ${postgresKind.title}`,
    async ({ onTestFinished }) => {
      const [made, keys] = [await postgresKind.place(), temporaryFolder()];
      onTestFinished(async () => {
        await scenario.endServers();
        await made.remove();
        keys.remove();
      });
      const key = join(keys.path, 'master.key');
      writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 });
      const env = { STEWARD_STORE: storeSetting(made.place), STEWARD_MASTER_KEY_FILE: key };
      const one = await scenario.steward(env, 'one');
      await prepare(one, 'pat_1.0.102');
      scenario.hold(`${NAME} 4.0`);
      // It is started while only one replica runs, so that it is known which one works on it.
      await one.upgrade('pat_1.0.103');
      await one.untilSaid(/Deployment\/web is updated/);
      const other = await scenario.steward(env, 'other');
      await one.end('SIGKILL');
      scenario.release(`${NAME} 4.0`);
      const ended = await other.untilEnd('success');
      expect(textsOf(ended)).toContain('A server has taken over this job and continues it.');
      expectUpdatedOnce(ended);
      await expectInstalled(other, '1.0.103', versions[3]);
    },
  );
});
