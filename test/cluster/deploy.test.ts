import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterObject } from '../../src/drivers/kubernetes/api/clusterApi.ts';
import { listAt, textAt } from '../../src/drivers/kubernetes/api/objectFields.ts';
import { RIGHTS } from '../../src/drivers/kubernetes/preflight/rights.ts';
import type { AppImages } from '../support/cluster/appVersions.ts';
import { patch, release } from '../support/cluster/appVersions.ts';
import type { TestImage } from '../support/cluster/cluster.ts';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { Installation } from '../support/cluster/deploy/installation.ts';
import { openInstallation } from '../support/cluster/deploy/installation.ts';
import { makePostgresImage } from '../support/cluster/deploy/postgresImage.ts';
import type { ReplicaLoad } from '../support/cluster/deploy/replicaLoad.ts';
import { startReplicaLoad } from '../support/cluster/deploy/replicaLoad.ts';
import { makeBrokenImage, makeStewardImages } from '../support/cluster/deploy/stewardImage.ts';
import { roleObject, serverAddress } from '../support/cluster/serviceAccount.ts';
import type { UpgradeCalls } from '../support/cluster/upgradeCalls.ts';
import { mustBeOk, textsOf } from '../support/cluster/upgradeCalls.ts';
import { workloadObject } from '../support/cluster/workloadObjects.ts';
import { postgresKind } from '../support/store/stores.ts';
import { CODE } from '../support/upgrades/codes.ts';
import type { Status } from '../support/upgrades/upgradeServer.ts';
import { STEADY_PATH, untilDelivered } from '../support/webhooks/webhookSetup.ts';

const APP = 'deploy-app';
const WEB = 'Deployment/web/app';
const STEWARD = 'Deployment/steward/steward';

function imagesOf(web: TestImage, steward: TestImage): AppImages {
  return { [WEB]: web, [STEWARD]: steward };
}

/** Installs a small application beside Steward, imports two versions of both, and adopts the first. */
async function prepare(
  installation: Installation,
  calls: UpgradeCalls,
  stewardImages: readonly [TestImage, TestImage],
): Promise<void> {
  const [first, second] = [await makeImage(APP, '1.0'), await makeImage(APP, '2.0')];
  await installation.apply(
    workloadObject({ kind: 'Deployment', name: 'web', containers: [{ name: 'app', image: first.tagged }] }),
  );
  await installation.kubectl('rollout', 'status', 'deployment/web', '--timeout=5m');
  await calls.importManifest([
    release('1.0.100', '', imagesOf(first, stewardImages[0])),
    patch('1.0.101', imagesOf(second, stewardImages[1])),
  ]);
  expect(mustBeOk(await calls.adopt('rel_1.0.100')).differences).toEqual([]);
}

function isStewardWith({ checksum }: TestImage): (pod: ClusterObject) => boolean {
  return ({ metadata, status }) =>
    metadata.name.startsWith('steward-') &&
    listAt(status, 'containerStatuses').some((one) => textAt(one, 'imageID').includes(checksum));
}

async function checksumsOf(installation: Installation): Promise<readonly string[]> {
  return (await installation.replicas()).map(({ checksum }) => checksum);
}

/** Checks that the messages of an upgrade are complete, and that Steward was updated after the application. */
function expectCompleteUpgrade(ended: Status): void {
  expect(ended.messages[0]?.code).toBe(CODE.upgradeStarted);
  expect(ended.messages.at(-1)?.code).toBe(CODE.upgradeSucceeded);
  const updated = ended.messages.filter(({ code }) => code === CODE.workloadUpdated).map(({ message }) => message);
  expect(updated).toEqual([expect.stringContaining('Deployment/web'), expect.stringContaining('Deployment/steward')]);
  expect(textsOf(ended)).toContain('A server has taken over this job and continues it.');
}

describeOnCluster('deploy/steward.yaml', () => {
  let images: readonly [TestImage, TestImage];
  let installation: Installation;
  let calls: UpgradeCalls;

  beforeAll(async () => {
    images = await makeStewardImages();
    installation = await openInstallation({ file: 'steward.yaml', image: images[0].tagged });
    calls = await installation.signIn();
    await prepare(installation, calls, images);
  });
  afterAll(() => installation?.close());

  test('[UPG18] Steward in a pod upgrades its own namespace, and its account has every right that it needs', async () => {
    const [replica] = await installation.replicas();
    expect(await installation.log(replica?.pod ?? '')).toContain(
      `the namespace ${installation.name} of the Kubernetes cluster ${await serverAddress()}`,
    );
    expect(await calls.failedChecks('pat_1.0.101')).toEqual([]);
    expect(await calls.check('pat_1.0.101', 'rights')).toMatchObject({
      verdict: 'pass',
      text: `Steward has all 39 rights that it needs in the namespace ${installation.name}.`,
    });
  });

  test('[UPG18] without one of its rights, the plan names exactly that one', async () => {
    for (const { right, verb } of RIGHTS.flatMap((one) => one.verbs.map((name) => ({ right: one, verb: name })))) {
      const less = { ...right, verbs: right.verbs.filter((one) => one !== verb) };
      const rights = RIGHTS.map((one) => (one === right ? less : one)).filter(({ verbs }) => verbs.length > 0);
      await installation.apply(roleObject(rights));
      const lack = `The account of Steward lacks rights in the namespace ${installation.name}: ${verb} ${right.resource}.`;
      const plan = async (): Promise<string> => (await calls.insist('plan', { versionManifest: 'pat_1.0.101' })).text;
      await expect.poll(plan, { interval: 100 }).toContain(lack);
    }
    await installation.apply(roleObject(RIGHTS));
    await expect.poll(() => calls.failedChecks('pat_1.0.101'), { interval: 100 }).toEqual([]);
  });

  test('[UPG11] Steward upgrades itself last, and the new pod continues the job to its end', async () => {
    const [before] = await installation.replicas();
    expect(before?.checksum).toBe(images[0].checksum);
    await calls.upgrade('pat_1.0.101');
    const ended = await calls.untilEnd('success');
    expectCompleteUpgrade(ended);
    const [after] = await installation.replicas();
    expect(after?.checksum).toBe(images[1].checksum);
    expect(after?.pod).not.toBe(before?.pod);
    expect(await calls.currentVersion()).toBe('1.0.101');
  });

  test('[UPG4] a rollback of the patch goes back to the old Steward', async () => {
    await calls.rollback('pat_1.0.101');
    const ended = await calls.untilEnd('success');
    expect(ended.messages.at(-1)?.code).toBe(CODE.rollbackSucceeded);
    expect(await checksumsOf(installation)).toEqual([images[0].checksum]);
    expect(await calls.currentVersion()).toBe('1.0.100');
  });

  test('[UPG11] a new Steward that does not start is undone with kubectl, and the old one then rolls the job back', async () => {
    const broken = await makeBrokenImage();
    await calls.importManifest([patch('1.0.102', imagesOf(await makeImage(APP, '2.0'), broken))]);
    await calls.upgrade('pat_1.0.102');
    await expect
      .poll(async () => (await installation.list('pods')).filter(isStewardWith(broken)).length, { interval: 500 })
      .toBe(1);
    await installation.kubectl('rollout', 'undo', 'deployment/steward');
    const ended = await calls.untilEnd('rolled_back');
    expect(ended.messages.at(-1)?.message).toContain('The deployment runs 1.0.100 as before.');
    expect(textsOf(ended)).toContain('The image of `Deployment/steward` was changed by `kubectl` during the job.');
    expect(await checksumsOf(installation)).toEqual([images[0].checksum]);
  });
});

describeOnCluster('deploy/steward-postgres.yaml', () => {
  let images: readonly [TestImage, TestImage];
  let installation: Installation;
  let calls: UpgradeCalls;
  let load: ReplicaLoad;

  beforeAll(async () => {
    images = await makeStewardImages();
    const postgres = await makePostgresImage();
    installation = await openInstallation({
      file: 'steward-postgres.yaml',
      image: images[0].tagged,
      postgresImage: postgres.tagged,
      // The receiver of the test is on this machine.
      env: { STEWARD_WEBHOOK_ALLOW: '127.0.0.1' },
    });
    calls = await installation.signIn();
    await prepare(installation, calls, images);
    load = await startReplicaLoad(installation, calls, calls.token);
  });
  afterAll(async () => {
    await load?.stop();
    await load?.close();
    await installation?.close();
  });

  test.skipIf(!postgresKind.isHere)(
    `[UPG11] of three simultaneous upgrades through three replicas with HTTPS one is accepted and shown by all, ${postgresKind.title}`,
    async () => {
      const replicas = await installation.replicas();
      expect(replicas.map(({ url }) => new URL(url).protocol)).toEqual(['https:', 'https:', 'https:']);
      const all = await Promise.all(replicas.map((one) => installation.signIn(one)));
      const answers = await Promise.all(all.map((one) => one.insist('upgrade', { versionManifest: 'pat_1.0.101' })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
      const shown = await Promise.all(all.map((one) => one.status()));
      expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(['in_progress']));
      const ended = await calls.untilEnd('success');
      expectCompleteUpgrade(ended);
      expect(ended.messages.filter(({ code }) => code === CODE.upgraderLaunching)).toHaveLength(1);
      expect(await checksumsOf(installation)).toEqual(Array.from({ length: 3 }, () => images[1].checksum));
      // A Service named "steward-postgres" must not give Steward variables that it takes for settings.
      for (const { pod } of await installation.replicas())
        expect(await installation.log(pod)).not.toContain('unknown setting');
    },
  );

  test.skipIf(!postgresKind.isHere)(
    `[UPG4] [STO1] the replicas go back to the old version, and clients lost no event and met no error on either way, ${postgresKind.title}`,
    async () => {
      await calls.rollback('pat_1.0.101');
      const ended = await calls.untilEnd('success');
      expect(ended.messages.at(-1)?.code).toBe(CODE.rollbackSucceeded);
      expect(await checksumsOf(installation)).toEqual(Array.from({ length: 3 }, () => images[0].checksum));
      await load.stop();
      await untilDelivered(calls, load.setup);
      const { events, receiver, problems, counts } = load;
      expect([...problems, ...events.problems, ...receiver.problems]).toEqual([]);
      expect(counts.soap).toBeGreaterThan(0);
      expect(events.accepted.size).toBeGreaterThan(0);
      const arrived = receiver.idsAt(STEADY_PATH);
      expect([...events.accepted.values()].filter(({ id }) => !arrived.has(id))).toEqual([]);
    },
  );
});
