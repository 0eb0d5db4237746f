import { onTestFinished, expect, test } from 'vitest';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { startFight } from '../support/cluster/objects/fight.ts';
import type { ObjectWorld } from '../support/cluster/objects/objectWorld.ts';
import { changed, IDS, openAdopted } from '../support/cluster/objects/objectWorld.ts';
import { kubectl } from '../support/cluster/kubectl.ts';
import { textsOf } from '../support/cluster/upgradeCalls.ts';
import { until } from '../support/run/until.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';

const DEADLINE = { STEWARD_UPGRADE_DEADLINE_SECONDS: '25' };
const MANAGER = 'shop-operator';
const WEBHOOK = 'objects.faults.test';

/** Nothing answers there, so that the last objects of the version cannot be changed. */
function webhook(name: string) {
  const rule = { apiGroups: ['autoscaling'], apiVersions: ['*'], resources: ['horizontalpodautoscalers'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: WEBHOOK,
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }],
        namespaceSelector: { matchLabels: { objects: name } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

/** After the job, the cluster is as it was before. */
async function expectAsBefore({ scenario, contents, untilRuns }: ObjectWorld, before: unknown): Promise<void> {
  expect(await contents()).toEqual(before);
  await untilRuns(1);
  await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
}

describeOnCluster('a release with objects that is disturbed', () => {
  test('[OBJ7] [UPG13] undoes all objects if the second wave never gets ready', async () => {
    const probe = { exec: { command: ['/bin/busybox', 'false'] }, periodSeconds: 2, timeoutSeconds: 20 };
    const container = 'spec.template.spec.containers.0.readinessProbe';
    const world = await openAdopted(DEADLINE, changed('Deployment/web', { [container]: probe }));
    const before = await world.contents();
    await world.upgrade(2);
    const ended = await world.steward.untilEnd('rolled_back');
    expect(textsOf(ended)).toMatch(/`Deployment\/web` was not done within 25 s/);
    await expectAsBefore(world, before);
    expect(await world.steward.currentVersion()).toBe('1.0.100');
  });

  test('[OBJ7] [UPG13] says which quota forbids an object that comes after the plan, and undoes the others', async () => {
    const world = await openAdopted(DEADLINE);
    const { scenario, steward } = world;
    const before = await world.contents();
    await world.upgrade(2);
    await steward.untilSaid(/The object `CustomResourceDefinition\/\S+` was changed/);
    const pods = String((await scenario.pods()).length);
    await scenario.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small' },
      spec: { hard: { pods } },
    });
    const ended = await steward.untilEnd('rolled_back');
    expect(textsOf(ended)).toMatch(/quota/);
    await scenario.remove('resourcequota', 'small');
    await expectAsBefore(world, before);
  });

  test('[OBJ4] [OBJ7] names the admission webhook that does not answer, in the plan and in the job, and undoes all objects', async () => {
    const world = await openAdopted(DEADLINE);
    const { scenario, steward } = world;
    const before = await world.contents();
    await kubectl('label', 'namespace', scenario.name, `objects=${scenario.name}`);
    const remove = () => kubectl('delete', 'validatingwebhookconfiguration', scenario.name, '--ignore-not-found');
    onTestFinished(async () => void (await remove()));
    await scenario.apply(webhook(scenario.name));
    const { text } = await steward.post(`${UPGRADES}/plan`, { versionManifest: IDS[2], upgradeSettings: '{}' });
    expect(text).toContain(WEBHOOK);
    await remove();
    await world.upgrade(2);
    await steward.untilSaid(/The object `CustomResourceDefinition\/\S+` was changed/);
    await scenario.apply(webhook(scenario.name));
    // The webhook answers no question about its own kind during the undo, and keeps no other object from being undone.
    expect(textsOf(await steward.untilEnd('rolled_back'))).toContain(WEBHOOK);
    await remove();
    await expectAsBefore(world, before);
  });

  test('[OBJ6] [OBJ7] [UPG12] goes on after each kill of the process, and ends as without', async () => {
    const world = await openAdopted();
    await world.upgrade(2);
    for (const said of [
      /The object `CustomResourceDefinition\/\S+` was changed/,
      /The object `ConfigMap\/settings` was changed/,
      /StatefulSet\/store started/,
      /StatefulSet\/store completed/,
      /Deployment\/web completed/,
      /DaemonSet\/agent started/,
    ]) {
      await world.steward.untilSaid(said);
      await world.restart();
    }
    await world.steward.untilEnd('success');
    expect(await world.differences(2)).toEqual([]);
    await world.untilRuns(2, ['legacy/app']);
  });

  test('[OBJ4] [UPG18] names another manager of a field in the plan', async () => {
    const world = await openAdopted();
    const stopFight = await startFight(world.scenario, MANAGER, 'a');
    onTestFinished(stopFight);
    const plan = await world.plan(2);
    const found = plan.objects.find(({ object }) => object === 'ConfigMap/settings');
    expect(found).toMatchObject({ action: 'conflict' });
    expect(found?.fields.find(({ field }) => field === 'data.MODE')?.managers).toContain(MANAGER);
    expect(plan).toMatchObject({ canStart: false });
    expect(plan.checks.find(({ name }) => name === 'objectOwners')).toMatchObject({
      verdict: 'fail',
      text: expect.stringContaining(MANAGER),
    });
    await stopFight();
  });

  test('[OBJ6] [UPG18] names a manager that reverts a field during the job', async () => {
    const world = await openAdopted(DEADLINE);
    await world.upgrade(2);
    await world.steward.untilSaid(/The object `ConfigMap\/settings` was changed/);
    const stopFight = await startFight(world.scenario, MANAGER, 'a');
    onTestFinished(stopFight);
    await until('the job has ended', async () => (await world.steward.status()).state !== 'in_progress');
    await stopFight();
    expect(textsOf(await world.steward.status())).toContain(MANAGER);
  });
});
