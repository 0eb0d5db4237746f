import { expect, test } from 'vitest';
import type { ClusterObject } from '../../src/drivers/kubernetes/api/clusterApi.ts';
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import { objectName } from '../../src/model/objects/bundleObject.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openObjectDriver } from '../support/cluster/objectDriver.ts';
import { openServiceAccount } from '../support/cluster/serviceAccount.ts';
import { cleanUpAfterEachTest, openNamespace } from '../support/cluster/testNamespace.ts';
import { CONFIG_MAP, deploymentObject } from '../support/cluster/wholeObjects.ts';

const SETTINGS = 'ConfigMap/settings';
const CALM = { ...CONFIG_MAP, data: { mode: 'calm' } };
const WILD = { ...CONFIG_MAP, data: { mode: 'wild' } };

function objectOf(content: JsonObject): ClusterObject {
  return { ...content, metadata: { name: String(objectName(content).split('/')[1]) } };
}

describeOnCluster('what keeps an object from being applied:', () => {
  const cleanUp = cleanUpAfterEachTest();

  async function opened(clusterKinds: readonly string[] = [], kubeconfig?: string) {
    const namespace = await openNamespace();
    const driver = await openObjectDriver({
      namespace: namespace.name,
      cleanUp,
      clusterKinds,
      ...(kubeconfig !== undefined && { kubeconfig }),
    });
    const problemsOf = async (content: JsonObject) => (await driver.find(content)).problems;
    return { namespace, ...driver, problemsOf };
  }

  test('[OBJ4] a version of a kind that is not served is named with those that are', async () => {
    const { problemsOf } = await opened();
    const budget = { kind: 'PodDisruptionBudget', metadata: { name: 'web' }, spec: { maxUnavailable: 1 } };
    expect(await problemsOf({ apiVersion: 'policy/v1', ...budget })).toEqual([
      {
        kind: 'notServed',
        reason: 'The cluster does not serve policy/v1 of PodDisruptionBudget/web. It serves policy/v1beta1.',
        advice: 'Write the object for policy/v1beta1, or update the cluster to a release that serves policy/v1.',
      },
    ]);
    const ingress = { apiVersion: 'extensions/v1', kind: 'Ingress', metadata: { name: 'web' }, spec: {} };
    expect((await problemsOf(ingress))[0]?.reason).toContain(
      'It serves networking.k8s.io/v1, networking.k8s.io/v1beta1.',
    );
    expect((await problemsOf({ apiVersion: 'shop.test/v1', kind: 'Shop', metadata: { name: 'a' } }))[0]).toMatchObject({
      kind: 'notServed',
      reason: expect.stringContaining('not served in any version'),
    });
  });

  test('[OBJ2] a kind of the whole cluster needs the setting', async () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'shop-reader' } };
    const refused = await opened();
    expect((await refused.problemsOf(role))[0]).toMatchObject({
      kind: 'refused',
      advice: expect.stringContaining('Add ClusterRole to STEWARD_CLUSTER_KINDS'),
    });
    const allowed = await opened(['ClusterRole']);
    expect(await allowed.find(role)).toMatchObject({ kind: 'create', problems: [] });
  });

  test('[OBJ4] immutable fields are named, with what to do', async () => {
    const { apply, problemsOf } = await opened();
    await apply(deploymentObject());
    const text = JSON.stringify(deploymentObject());
    const other = JSON.parse(text.replaceAll('{"app":"web"}', '{"app":"web","tier":"one"}'));
    expect((await problemsOf(other))[0]).toMatchObject({
      kind: 'immutable',
      reason: expect.stringContaining('because spec.selector cannot be changed after creation'),
      advice: expect.stringContaining('another name'),
    });
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'data' },
      spec: {
        serviceName: 'data',
        selector: { matchLabels: { app: 'data' } },
        template: { metadata: { labels: { app: 'data' } }, spec: { containers: [{ name: 'a', image: 'shop/a:1' }] } },
      },
    };
    await apply(set);
    expect((await problemsOf({ ...set, spec: { ...set.spec, serviceName: 'other' } }))[0]).toMatchObject({
      kind: 'immutable',
      reason: expect.stringContaining('because spec.serviceName cannot be changed after creation'),
    });
    const keys = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, immutable: true };
    await apply({ ...keys, stringData: { key: 'first-value' } });
    const [problem] = await problemsOf({ ...keys, stringData: { key: 'second-value' } });
    expect(problem).toMatchObject({ kind: 'immutable' });
  });

  test('[OBJ4] the text of the server about a Secret is left out', async () => {
    const { problemsOf, deployment, actOn } = await opened();
    const keys = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys' },
      type: 'kubernetes.io/dockerconfigjson',
    };
    const secret = { ...keys, stringData: { '.dockerconfigjson': 'hunter2 is not JSON' } };
    const [problem] = await problemsOf(secret);
    expect(problem).toMatchObject({ kind: 'refused', reason: expect.stringContaining('data[.dockerconfigjson]') });
    const begun = await deployment.begin(actOn('Secret/keys', secret), 1);
    expect(begun.kind).toBe('refused');
    const wrong = { ...keys, type: 'Opaque', data: { key: 'hunter2!' } };
    const told = JSON.stringify([
      problem,
      begun,
      await problemsOf(wrong),
      await deployment.begin(actOn('Secret/keys', wrong), 1),
    ]);
    expect(told).not.toContain('hunter2');
    expect(told).not.toContain(Buffer.from('hunter2').toString('base64').slice(0, 8));
  });

  test('[OBJ4] a field that the kind does not have, and a quota, are problems', async () => {
    const { problemsOf, namespace } = await opened();
    expect((await problemsOf({ ...CALM, dtaa: { a: '1' } }))[0]).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('.dtaa: field not declared in schema'),
    });
    await namespace.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'few' },
      spec: { hard: { configmaps: '1' } },
    });
    await expect.poll(async () => (await problemsOf(CALM))[0]?.kind).toBe('quota');
    expect((await problemsOf(CALM))[0]?.reason).toContain('ConfigMap/settings would exceed the quota few');
  });

  test('[OBJ4] a right that Steward lacks is named, and a Role that grants more than Steward has', async () => {
    const namespace = await openNamespace();
    const account = await openServiceAccount(namespace);
    cleanUp(account.remove);
    const rbac = ['roles', 'rolebindings'].map((resource) => ({
      group: 'rbac.authorization.k8s.io',
      resource,
      verbs: ['get', 'create', 'patch'],
    }));
    await account.grant([{ group: '', resource: 'configmaps', verbs: ['get', 'create', 'patch'] }, ...rbac]);
    const { find } = await openObjectDriver({ namespace: namespace.name, cleanUp, kubeconfig: account.kubeconfig });
    expect(await find(CALM)).toMatchObject({ kind: 'create', problems: [] });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
    expect((await find(service)).problems[0]).toMatchObject({
      kind: 'forbidden',
      reason: expect.stringContaining('services'),
      advice: expect.stringContaining('resources: ["services"]'),
    });
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'wide' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    };
    expect((await find(role)).problems[0]).toMatchObject({
      kind: 'forbidden',
      reason: expect.stringContaining('Role/wide grants rights that Steward does not have'),
    });
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'wide' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'wide' },
    };
    expect((await find(binding)).problems).toEqual([]);
  });

  test('[UPG18] [OBJ4] a manager that reconciles a field is a conflict, unless it is acknowledged', async () => {
    const { apply, find, namespace, deployment, actOn } = await opened();
    await apply(CALM);
    await namespace.applyAs('shop-operator', objectOf(CALM), objectOf({ ...CALM, data: { mode: 'calm' } }));
    const finding = await find(WILD);
    expect(finding).toMatchObject({
      kind: 'change',
      fields: [{ field: 'data.mode', before: 'calm', after: 'wild', managers: ['shop-operator'] }],
      managers: [{ name: 'shop-operator', reconciles: true }],
      problems: [
        {
          kind: 'conflict',
          reason: 'ConfigMap/settings is managed by shop-operator, which would revert a change of data.mode.',
        },
      ],
    });
    expect((await find(WILD, { isAcknowledged: true })).problems).toEqual([]);
    const act = actOn(SETTINGS, WILD, { expected: finding.former });
    expect(await deployment.begin(act, 1)).toMatchObject({ kind: 'refused' });
    expect(await deployment.begin({ ...act, isAcknowledged: true }, 1)).toMatchObject({ kind: 'begun' });
    // A field of its own does not matter.
    await namespace.applyAs('shop-operator', objectOf({ ...CALM, data: { other: 'x' } }));
    expect((await find({ ...CONFIG_MAP, data: { mode: 'tame' } })).problems).toEqual([]);
  });

  test('[OBJ6] removing a field that a manager reconciles is a conflict', async () => {
    const { apply, find, namespace } = await opened();
    await apply({ ...CALM, data: { mode: 'calm', more: '1' } });
    await namespace.applyAs('shop-operator', objectOf({ ...CALM, data: { more: '1' } }));
    expect(await find(CALM)).toMatchObject({
      fields: [{ field: 'data.more', before: '1', after: undefined, managers: ['shop-operator'] }],
      problems: [{ kind: 'conflict' }],
    });
  });

  test('[UPG18] an object with the marks of a controller is a conflict for any change', async () => {
    const { apply, find, namespace } = await opened();
    await apply(CALM);
    await namespace.kubectl(
      'annotate',
      'configmap',
      'settings',
      'argocd.argoproj.io/tracking-id=shop:/ConfigMap:x/settings',
    );
    expect((await find(CALM)).problems).toEqual([]);
    expect((await find(WILD)).problems).toMatchObject([
      { kind: 'conflict', reason: expect.stringContaining('Argo CD') },
    ]);
  });

  test('[OBJ5] a workload that the selector would not find gets its labels, or is refused', async () => {
    const { find, apply, namespace } = await opened();
    const labelled = (value: string) =>
      JSON.parse(
        JSON.stringify(deploymentObject()).replace('"labels":{"app":"web"}', `"labels":{"steward/upgrade":"${value}"}`),
      );
    expect((await find(labelled('false'))).problems[0]?.reason).toContain('do not match the selector');
    expect(await find(deploymentObject())).toMatchObject({ kind: 'create', place: { component: 'web', wave: 50 } });
    await apply(deploymentObject());
    expect((await namespace.read('deployment', 'web'))?.metadata.labels).toMatchObject({
      'steward/upgrade': 'true',
      'steward/installation': 'test',
    });
  });
});
