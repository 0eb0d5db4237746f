import { expect, onTestFinished, test } from 'vitest';
import { RIGHTS } from '../../src/drivers/kubernetes/preflight/rights.ts';
import { kubectl } from '../support/cluster/kubectl.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { textOf } from '../support/cluster/objects/clusterFacts.ts';
import type { ChangeObjects, ObjectWorld, ShownPlan } from '../support/cluster/objects/objectWorld.ts';
import { changed, IDS, openAdopted } from '../support/cluster/objects/objectWorld.ts';
import type { Scenario } from '../support/cluster/scenario.ts';
import { openServiceAccount } from '../support/cluster/serviceAccount.ts';
import { textsOf } from '../support/cluster/upgradeCalls.ts';

const REFUSED = 'refused, with the cluster as before';
const SETTINGS = 'ConfigMap/settings';

function objectIn({ objects }: ShownPlan, name: string) {
  return objects.find(({ object }) => object === name);
}

function checkIn({ checks }: ShownPlan, name = 'objects') {
  return checks.find((one) => one.name === name);
}

async function editSettings({ scenario }: ObjectWorld, mode: string): Promise<void> {
  await scenario.patch('configmap', 'settings', { data: { MODE: mode } }, 'kubectl-edit');
}

/** The plan shows why an object is refused, and a start changes nothing. */
async function refusal(world: ObjectWorld, object: string, reason: RegExp): Promise<typeof REFUSED> {
  const before = await world.contents();
  const plan = await world.plan(2);
  expect(plan.canStart).toBe(false);
  expect(checkIn(plan)).toMatchObject({ verdict: 'fail', text: expect.stringMatching(reason) });
  expect(objectIn(plan, object)?.reasons?.join('\n')).toMatch(reason);
  const answer = await world.steward.post('/admin/system/upgrades/upgrade', {
    versionManifest: IDS[2],
    withoutRestorePoint: 'true',
    upgradeSettings: '{}',
  });
  // The checks are part of the job, too.
  const told = answer.status === 200 ? textsOf(await world.steward.untilEnd('failed')) : answer.text;
  expect(told).toMatch(reason);
  expect(await world.contents()).toEqual(before);
  expect(await world.steward.currentVersion()).toBe('1.0.100');
  return REFUSED;
}

/** The definition of 2.0 has `v2` alone, although objects are stored as `v1`. */
const withoutStored: ChangeObjects = (objects) =>
  objects.map((one) => {
    if (one['kind'] === 'Widget') return { ...one, apiVersion: textOf(one['apiVersion']).replace('/v1', '/v2') };
    if (one['kind'] !== 'CustomResourceDefinition') return one;
    const copy = structuredClone(one) as { spec: { versions: { name: string; storage: boolean }[] } };
    copy.spec.versions = copy.spec.versions
      .filter(({ name }) => name === 'v2')
      .map((version) => ({ ...version, storage: true }));
    return copy;
  });

/** All rights that the application needs, except on what its Role grants. */
async function openAccount(scenario: Scenario): Promise<Record<string, string>> {
  const verbs = ['get', 'list', 'create', 'patch', 'delete'];
  const RBAC = 'rbac.authorization.k8s.io';
  const kinds = [
    ['', 'configmaps'],
    ['', 'services'],
    ['', 'serviceaccounts'],
    ['autoscaling', 'horizontalpodautoscalers'],
    ['policy', 'poddisruptionbudgets'],
    [RBAC, 'roles'],
    [RBAC, 'rolebindings'],
    [`${scenario.name}.test`, 'widgets'],
  ] as const;
  const workloads = RIGHTS.filter(({ group }) => group === 'apps').map((one) => ({
    ...one,
    verbs: ['create', 'delete'],
  }));
  const more = kinds.map(([group, resource]) => ({ group, resource, verbs }));
  const account = await openServiceAccount(scenario, [...RIGHTS, ...workloads, ...more]);
  onTestFinished(account.remove);
  const rules = [{ apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs }];
  const role = { apiGroup: RBAC, kind: 'ClusterRole', name: scenario.name };
  const subjects = [{ kind: 'ServiceAccount', name: 'steward', namespace: scenario.name }];
  const metadata = { name: scenario.name };
  onTestFinished(async () => void (await kubectl('delete', 'clusterrole,clusterrolebinding', scenario.name)));
  await scenario.apply(
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules } as Parameters<Scenario['apply']>[0],
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata, subjects, roleRef: role } as Parameters<
      Scenario['apply']
    >[0],
  );
  return { STEWARD_KUBECONFIG: account.kubeconfig };
}

describeOnCluster('a release with objects that cannot be installed as planned', () => {
  test('[OBJ4] a field that a person changes before the plan is shown before and after; after the plan, the start is refused and names it', async () => {
    const world = await openAdopted();
    await editSettings(world, 'by hand');
    const plan = await world.plan(2);
    expect(objectIn(plan, SETTINGS)?.fields).toEqual(
      expect.arrayContaining([expect.objectContaining({ field: 'data.MODE', before: 'by hand', after: 'b' })]),
    );
    await editSettings(world, 'again');
    const before = await world.contents();
    const { status, text } = await world.steward.post('/admin/system/upgrades/upgrade', {
      versionManifest: IDS[2],
      withoutRestorePoint: 'true',
      upgradeSettings: '{}',
      planHash: plan.planHash,
    });
    expect(status).toBe(409);
    expect(text).toContain(SETTINGS);
    expect(await world.contents()).toEqual(before);
  });

  test('[OBJ4] another selector of a Deployment is a failed check, and nothing is changed', async () => {
    const other = changed('Deployment/web', {
      'spec.selector.matchLabels.part': 'web',
      'spec.template.metadata.labels.part': 'web',
    });
    expect(await refusal(await openAdopted({}, other), 'Deployment/web', /selector/)).toBe(REFUSED);
  });

  test('[OBJ4] another address of a Service is a failed check, and nothing is changed', async () => {
    const other = changed('Service/web', { 'spec.clusterIP': 'None' });
    expect(await refusal(await openAdopted({}, other), 'Service/web', /clusterIP/)).toBe(REFUSED);
  });

  test('[OBJ4] an API version that is not served is named with those that are', async () => {
    const other = changed('PodDisruptionBudget/web', { apiVersion: 'policy/v1' });
    const world = await openAdopted({}, other);
    expect(await refusal(world, 'PodDisruptionBudget/web', /policy\/v1\b[^]*policy\/v1beta1/)).toBe(REFUSED);
  });

  test('[OBJ7] a definition that drops a stored version is a failed check with the reason of the cluster', async () => {
    const world = await openAdopted({}, withoutStored);
    const plan = await world.plan(2);
    const name = `CustomResourceDefinition/widgets.${world.scenario.name}.test`;
    expect(JSON.stringify(objectIn(plan, name))).toMatch(/v1/);
    expect(plan.canStart).toBe(false);
    expect(objectIn(plan, name)).toMatchObject({
      action: 'change',
      reasons: [expect.stringContaining('storedVersions')],
    });
  });

  test('[OBJ4] a Role that grants more than the account of Steward has is a failed check that names the right', async () => {
    const other = changed('Role/app', {
      'rules.0.resources': ['configmaps', 'endpoints'],
      'rules.0.verbs': ['get', 'list', 'watch'],
    });
    const world = await openAdopted(openAccount, other);
    expect(await refusal(world, 'Role/app', /endpoints/)).toBe(REFUSED);
  });
});
