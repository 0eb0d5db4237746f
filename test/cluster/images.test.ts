import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnCluster, makeImage, removeImage } from '../support/cluster/cluster.ts';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { expectRunning, patch, references, release } from '../support/cluster/appVersions.ts';
import type { ClusterSteward, Scenario } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { textsOf } from '../support/cluster/upgradeCalls.ts';
import { CODE } from '../support/upgrades/codes.ts';

const NAME = 'images-app';
const WEB = 'Deployment/web/app';
const STORE = 'StatefulSet/store/store';

describeOnCluster('images that cannot be installed', () => {
  let scenario: Scenario;
  let steward: ClusterSteward;
  let first: AppImages;

  beforeAll(async () => {
    scenario = await openScenario();
    const image = await makeImage(NAME, '1.0');
    first = { [WEB]: image, [STORE]: image };
    await scenario.install([
      { kind: 'Deployment', name: 'web', wave: 10, containers: { app: image.tagged } },
      { kind: 'StatefulSet', name: 'store', wave: 20, containers: { store: image.tagged } },
    ]);
    steward = await scenario.steward();
    await steward.importManifest([release('1.0.100', '', first)]);
    await steward.adopt('rel_1.0.100');
  });
  afterAll(() => scenario?.close());

  test('[UPG6] a plan names an image that does not exist and one with another digest than the manifest, and the upgrade is refused', async () => {
    const other = await makeImage(NAME, '2.0');
    const absent = { tagged: other.tagged.replace(NAME, 'images-nowhere'), checksum: other.checksum };
    const differs = { tagged: other.tagged, checksum: `sha256:${'0'.repeat(64)}` };
    await steward.importManifest([patch('1.0.101', { [WEB]: absent, [STORE]: differs })]);
    const { verdict, text } = await steward.check('pat_1.0.101', 'images');
    expect(verdict).toBe('fail');
    expect(text).toContain(`${absent.tagged}@${absent.checksum} is missing`);
    expect(text).toContain(`${differs.tagged}@${differs.checksum} has the checksum ${other.checksum} in the registry`);
    expect(await steward.failedChecks('pat_1.0.101')).toEqual(['images']);

    const { status, text: refusal } = await steward.insist('upgrade', { versionManifest: 'pat_1.0.101' });
    expect(status).toBe(409);
    expect(refusal).toContain('images-nowhere');
    expect(await scenario.configured()).toEqual(references(first, ({ tagged }) => tagged));
    await expectRunning(scenario, first);
    expect((await steward.status()).state).toBe('no_upgrade');
  });

  test('[UPG12] [UPG13] an image that vanishes after the plan fails the job within seconds, and a StatefulSet gets its literal former reference back', async () => {
    const [good, gone] = [await makeImage(NAME, '2.0'), await makeImage('images-gone', `1.${Date.now()}`)];
    await steward.importManifest([patch('1.0.102', { [WEB]: good, [STORE]: gone })]);
    // The first wave waits until the image of the second has been removed.
    scenario.hold(`${NAME} 2.0`);
    await steward.upgrade('pat_1.0.102');
    await steward.untilSaid(/Deployment\/web is updated/);
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'true' });
    await removeImage('images-gone', gone.checksum);
    scenario.release(`${NAME} 2.0`);

    const ended = await steward.untilEnd('rolled_back');
    const failure = ended.messages.find(({ code }) => code === CODE.stepFailed);
    expect(failure?.message).toContain('StatefulSet/store');
    expect(failure?.message).toContain('images-gone');
    expect(textsOf(ended)).toContain('Rolled back 2 of 2 workloads');
    expect(await scenario.configured()).toEqual(references(first, ({ tagged }) => tagged));
    await expectRunning(scenario, first);
    expect(await steward.currentVersion()).toBe('1.0.100');
    await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
    expect(await scenario.events()).toEqual(['UpgradeStarted', 'UpgradeRolledBack']);
  });
});
