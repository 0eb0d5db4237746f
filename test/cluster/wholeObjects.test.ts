import { expect, test } from 'vitest';
import type { ClusterObject } from '../../src/drivers/kubernetes/api/clusterApi.ts';
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import { isObject, valueAt } from '../../src/foundation/schema/json.ts';
import { objectName } from '../../src/model/objects/bundleObject.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openObjectDriver } from '../support/cluster/objectDriver.ts';
import { cleanUpAfterEachTest, openNamespace } from '../support/cluster/testNamespace.ts';
import { CONFIG_MAP, SERVICE, bundle, deploymentObject } from '../support/cluster/wholeObjects.ts';

const DEPLOYMENT = 'Deployment/web';
const SETTINGS = 'ConfigMap/settings';
const FENCED = new Set(['steward/fence', 'steward/installation']);
const COUNTED = new Set(['resourceVersion', 'generation', 'managedFields']);

/** A server may add a variable that comes back at the end of the list. */
function sortVariables(value: unknown): void {
  if (!isObject(value) && !Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    sortVariables(inner);
    if (key === 'env' && Array.isArray(inner)) inner.sort((one, other) => String(one.name).localeCompare(other.name));
  }
}

/** What a person sees of an object, without what each write counts. */
function shown(object: ClusterObject | undefined): JsonObject {
  if (!isObject(object)) return {};
  const { status: _, metadata, ...rest } = object;
  const marks = Object.fromEntries(Object.entries(metadata).filter(([key]) => !COUNTED.has(key)));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(
    ([key]) => !FENCED.has(key) && key !== 'deployment.kubernetes.io/revision',
  );
  sortVariables(rest);
  return { ...rest, metadata: { ...marks, annotations: Object.fromEntries(annotations) } };
}

/** A Deployment of the next version: another variable, one less, another volume, no limits. */
function nextDeployment(): JsonObject {
  const text = JSON.stringify(deploymentObject('web', 'shop/web:2'));
  return JSON.parse(
    text
      .replace('"name":"MODE","value":"calm"', '"name":"LEVEL","value":"high"')
      .replace('"emptyDir":{}', '"configMap":{"name":"settings"}')
      .replace(',"limits":{"memory":"128Mi"}', ''),
  );
}

describeOnCluster('objects that are applied whole:', () => {
  const cleanUp = cleanUpAfterEachTest();

  async function opened() {
    const namespace = await openNamespace();
    const driver = await openObjectDriver({ namespace: namespace.name, cleanUp });
    const read = async (kind: string, name: string) => shown(await namespace.read(kind, name));
    return { namespace, ...driver, read };
  }

  test('[OBJ4] [OBJ10] objects that are as applied cost one list for each kind and no write', async () => {
    const { apply, compare, sent } = await opened();
    const objects = bundle(5);
    for (const content of objects) await apply(content);
    sent.length = 0;
    const findings = await compare(...objects.map((content) => ({ object: objectName(content), content })));
    expect(findings.filter(({ kind }) => kind !== 'unchanged')).toEqual([]);
    const kinds = new Set(objects.map(({ kind }) => kind));
    expect(sent.filter((request) => !request.startsWith('GET'))).toEqual([]);
    // One more for the autoscalers.
    expect(sent.length).toBeLessThanOrEqual(kinds.size + 1);
  });

  test('[OBJ4] values that the server writes in another way make no difference, and are asked about once', async () => {
    const { apply, find, sent } = await opened();
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'quota' },
      spec: { hard: { 'requests.cpu': '1000m', 'requests.memory': '1024Mi' } },
    };
    await apply(quota);
    expect((await find(quota)).kind).toBe('unchanged');
    sent.length = 0;
    expect((await find(quota)).kind).toBe('unchanged');
    expect(sent.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });

  test('[OBJ4] the fields of a change are named as people write them, with their values and managers', async () => {
    const { apply, find, namespace } = await opened();
    await apply(deploymentObject());
    await namespace.patch('deployment', 'web', { metadata: { labels: { app: 'web' } } }, 'kubectl-edit');
    const finding = await find(nextDeployment());
    expect(finding.kind).toBe('change');
    const container = 'spec.template.spec.containers[web]';
    expect(finding.fields).toEqual(
      expect.arrayContaining([
        { field: `${container}.image`, before: 'shop/web:1', after: 'shop/web:2', managers: [] },
        { field: `${container}.env[MODE].value`, before: 'calm', after: undefined, managers: [] },
        { field: `${container}.env[LEVEL].value`, before: undefined, after: 'high', managers: [] },
        { field: `${container}.resources.limits.memory`, before: '128Mi', after: undefined, managers: [] },
      ]),
    );
    expect(finding.problems).toEqual([]);
  });

  test('[OBJ7] undo gives a Deployment exactly its former fields', async () => {
    const { apply, undo, read, actOn, look } = await opened();
    await apply(deploymentObject());
    const before = await read('deployment', 'web');
    const { former, begun } = await apply(nextDeployment());
    expect(begun.kind).toBe('begun');
    expect(await read('deployment', 'web')).not.toEqual(before);
    expect(await undo(DEPLOYMENT, former)).toEqual({ kind: 'begun', receipt: expect.any(String) });
    expect(await read('deployment', 'web')).toEqual(before);
    expect((await look(actOn(DEPLOYMENT, former, { expected: 'any' })))?.state).toBe('running');
  });

  test('[OBJ7] undo of the first apply leaves an object as another tool had made it', async () => {
    const { apply, undo, read, namespace } = await opened();
    await namespace.apply(deploymentObject('web', 'shop/web:0') as unknown as ClusterObject, CONFIG_MAP);
    const before = [await read('deployment', 'web'), await read('configmap', 'settings')];
    const labelled = { ...deploymentObject('web', 'shop/web:1') };
    const formers = [await apply(labelled), await apply({ ...CONFIG_MAP, data: { mode: 'wild', extra: 'yes' } })];
    expect(formers.map(({ begun }) => begun.kind)).toEqual(['begun', 'begun']);
    expect(valueAt(await read('configmap', 'settings'), 'data')).toEqual({
      mode: 'wild',
      extra: 'yes',
      'shop.conf': 'a=1\n',
    });
    expect(valueAt(await read('configmap', 'settings'), 'metadata', 'labels')).toMatchObject({
      'steward/installation': 'test',
    });
    await undo(DEPLOYMENT, formers[0]?.former);
    await undo(SETTINGS, formers[1]?.former);
    expect([await read('deployment', 'web'), await read('configmap', 'settings')]).toEqual(before);
  });

  test('[OBJ7] undo removes an entry of a map although kubectl had made the map', async () => {
    const { apply, undo, read, namespace } = await opened();
    const first = { ...CONFIG_MAP, data: { mode: 'calm', level: 'low' } };
    await namespace.apply(first);
    const before = await read('configmap', 'settings');
    const next = { ...CONFIG_MAP, data: { mode: 'wild', speed: 'high' } };
    const { former } = await apply(next, { installed: first });
    expect(valueAt(await read('configmap', 'settings'), 'data')).toEqual(next.data);
    await undo(SETTINGS, former);
    expect(await read('configmap', 'settings')).toEqual(before);
  });

  test('[OBJ7] a probe that a version adds is removed with its defaults by one change', async () => {
    const { apply, undo, read, namespace } = await opened();
    const text = JSON.stringify(deploymentObject());
    await apply(JSON.parse(text.replace(/"readinessProbe":\{.*?"periodSeconds":3\},/, '')));
    const before = await read('deployment', 'web');
    expect(JSON.stringify(before)).not.toContain('readinessProbe');
    const { former } = await apply(deploymentObject());
    const generation = (await namespace.read('deployment', 'web'))?.metadata.generation ?? 0;
    expect(await undo(DEPLOYMENT, former)).toEqual({ kind: 'begun', receipt: String(generation + 1) });
    expect(await read('deployment', 'web')).toEqual(before);
  });

  test('[OBJ6] a change of images leaves every other field that was applied', async () => {
    const { apply, deployment, read, find } = await opened();
    await apply(deploymentObject());
    const before = await read('deployment', 'web');
    const images = [{ container: 'web', image: 'shop/web:2', checksum: undefined }];
    const act = { kind: 'images' as const, workload: DEPLOYMENT, images };
    expect(await deployment.rehearse([act])).toEqual([undefined]);
    expect((await deployment.begin(act, 2)).kind).toBe('begun');
    const expected = JSON.parse(JSON.stringify(before).replace('shop/web:1', 'shop/web:2'));
    expect(await read('deployment', 'web')).toEqual(expected);
    // Also where the watch knows the workload.
    await deployment.observe([{ ...act, receipt: '1' }]);
    const again = { ...act, images: [{ container: 'web', image: 'shop/web:3', checksum: undefined }] };
    expect((await deployment.begin(again, 2)).kind).toBe('begun');
    expect(await read('deployment', 'web')).toEqual(
      JSON.parse(JSON.stringify(before).replace('shop/web:1', 'shop/web:3')),
    );
    expect((await find(deploymentObject('web', 'shop/web:3'))).kind).toBe('unchanged');
  });

  test('[OBJ6] a field that a new version leaves out is removed by one change, also where kubectl owns it', async () => {
    const { apply, find, namespace, read } = await opened();
    await namespace.apply(deploymentObject() as unknown as ClusterObject);
    await apply(deploymentObject());
    const generation = (await namespace.read('deployment', 'web'))?.metadata.generation ?? 0;
    const text = JSON.stringify(deploymentObject());
    const next = JSON.parse(
      text.replace('{"name":"MODE","value":"calm"},', '').replace(',"limits":{"memory":"128Mi"}', ''),
    );
    const finding = await find(next);
    expect(finding.fields.map(({ field, after, managers }) => [field, after, managers])).toEqual([
      ['spec.template.spec.containers[web].env[MODE].value', undefined, ['kubectl-client-side-apply']],
      ['spec.template.spec.containers[web].resources.limits.memory', undefined, ['kubectl-client-side-apply']],
    ]);
    expect(finding.problems).toEqual([]);
    expect(finding.managers).toEqual([{ name: 'kubectl-client-side-apply', reconciles: false }]);
    expect((await apply(next)).begun.kind).toBe('begun');
    expect(JSON.stringify(await read('deployment', 'web'))).not.toMatch(/MODE.{20}calm.*limits/);
    expect((await namespace.read('deployment', 'web'))?.metadata.generation).toBe(generation + 1);
    expect((await find(next)).kind).toBe('unchanged');
  });

  test('[OBJ6] replicas are left to an autoscaler', async () => {
    const { apply, find, namespace } = await opened();
    const scaler = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'web' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        minReplicas: 1,
        maxReplicas: 9,
      },
    };
    await apply(scaler);
    await apply(deploymentObject());
    await namespace.kubectl('scale', 'deployment', 'web', '--replicas=5');
    expect((await find(deploymentObject())).fields).toEqual([]);
    await apply(deploymentObject('web', 'shop/web:2'));
    expect((await namespace.read('deployment', 'web'))?.spec).toMatchObject({ replicas: 5 });
    await namespace.kubectl('delete', 'hpa', 'web');
    expect((await find(deploymentObject('web', 'shop/web:2'))).fields).toEqual([
      { field: 'spec.replicas', before: 5, after: 2, managers: expect.any(Array) },
    ]);
  });

  test('[OBJ5] another configuration restarts the pods of a workload, and none stays as it is', async () => {
    const { apply, find } = await opened();
    await apply(deploymentObject(), { configuration: 'one' });
    expect((await find(deploymentObject())).kind).toBe('unchanged');
    expect((await find(deploymentObject(), { configuration: 'two' })).fields).toEqual([
      { field: 'spec.template.metadata.annotations[steward/configuration]', before: 'one', after: 'two', managers: [] },
    ]);
  });

  test('[OBJ6] a Service without protocols and a Secret with texts are applied', async () => {
    const { apply, find, read } = await opened();
    await apply(SERVICE);
    expect((await find(SERVICE)).kind).toBe('unchanged');
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { a: '1', b: '2' } };
    await apply(secret);
    await apply({ ...secret, stringData: { a: '1' } });
    expect(valueAt(await read('secret', 'keys'), 'data')).toEqual({ a: 'MQ==' });
  });
});
