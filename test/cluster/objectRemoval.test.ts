import { expect, test } from 'vitest';
import type { ClusterObject } from '../../src/drivers/kubernetes/api/clusterApi.ts';
import { valueAt } from '../../src/foundation/schema/json.ts';
import { describeOnCluster } from '../support/cluster/cluster.ts';
import { openObjectDriver } from '../support/cluster/objectDriver.ts';
import { cleanUpAfterEachTest, openNamespace } from '../support/cluster/testNamespace.ts';
import { CONFIG_MAP, SERVICE, bundle, deploymentObject } from '../support/cluster/wholeObjects.ts';
import { objectName } from '../../src/model/objects/bundleObject.ts';

const SETTINGS = 'ConfigMap/settings';

/** A definition of a kind `Shop`, whose group is of one test. */
function definition(group: string, versions: readonly string[] = ['v1'], stored = versions.at(-1)) {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `shops.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Shop', plural: 'shops', singular: 'shop' },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: name === stored,
        schema,
        subresources: { status: {} },
      })),
    },
  };
}

describeOnCluster('objects that come and go:', () => {
  const cleanUp = cleanUpAfterEachTest();

  async function opened(clusterKinds: readonly string[] = []) {
    const namespace = await openNamespace();
    const driver = await openObjectDriver({ namespace: namespace.name, cleanUp, clusterKinds });
    const finding = async (object: string) => (await driver.compare({ object, content: undefined }))[0];
    const remove = async (object: string) => {
      const { former } = (await finding(object)) ?? {};
      return driver.deployment.begin(driver.actOn(object, undefined, { expected: former }), 1);
    };
    return { namespace, ...driver, finding, remove };
  }

  test('[OBJ7] removed is only what has the label of this installation', async () => {
    const { namespace, finding, apply, remove, look, actOn } = await opened();
    expect(await finding(SETTINGS)).toMatchObject({ kind: 'absent' });
    await namespace.apply(CONFIG_MAP);
    expect(await finding(SETTINGS)).toMatchObject({
      kind: 'keep',
      kept: expect.stringContaining('it has no label steward/installation of this installation'),
    });
    expect(await remove(SETTINGS)).toMatchObject({ kind: 'refused' });
    await apply(CONFIG_MAP);
    expect(await finding(SETTINGS)).toMatchObject({ kind: 'remove', problems: [] });
    expect(await look(actOn(SETTINGS, undefined))).toEqual({ state: 'absent' });
    expect(await remove(SETTINGS)).toEqual({ kind: 'begun' });
    expect(await look(actOn(SETTINGS, undefined))).toEqual({ state: 'done', lines: [] });
    expect(await remove(SETTINGS)).toEqual({ kind: 'begun' });
  });

  test('[OBJ7] undo creates again what was removed, of every kind', async () => {
    const { apply, finding, remove, undo, namespace, compare } = await opened();
    const objects = bundle(1);
    for (const content of objects) await apply(content);
    const names = objects.map(objectName);
    const formers = [];
    for (const name of names) {
      formers.push((await finding(name))?.former);
      expect(await remove(name)).toEqual({ kind: 'begun' });
    }
    await expect
      .poll(async () =>
        (await namespace.list('deployment,service,secret,role')).filter((one) => one.metadata.name.endsWith('-0')),
      )
      .toEqual([]);
    for (const [n, name] of names.entries()) expect(await undo(name, formers[n])).toMatchObject({ kind: 'begun' });
    const wanted = objects.map((content) => ({ object: objectName(content), content }));
    const changed = (await compare(...wanted)).filter(
      ({ fields, problems }) => fields.length > 0 || problems.length > 0,
    );
    expect(changed).toEqual([]);
  });

  test('[OBJ7] what a removal ends for good is named', async () => {
    const { apply, finding, remove, namespace, look, actOn } = await opened();
    await apply({ ...CONFIG_MAP, metadata: { name: 'settings', finalizers: ['shop.test/keep'] } });
    expect((await finding(SETTINGS))?.final).toBe('finalizers run at its removal: shop.test/keep');
    await remove(SETTINGS);
    expect(await look(actOn(SETTINGS, undefined))).toMatchObject({
      state: 'running',
      detail: 'its removal waits for the finalizers shop.test/keep',
    });
    await namespace.kubectl('patch', 'configmap', 'settings', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    const balanced = { ...SERVICE, spec: { ...SERVICE.spec, type: 'LoadBalancer' } };
    await apply(balanced);
    expect((await finding('Service/web'))?.final).toBeUndefined();
  });

  test('[OBJ4] [OBJ5] instances are unknown until their definition is established', async () => {
    const { namespace, compare, apply, deployment, actOn, look, finding, remove, undo } = await opened([
      'CustomResourceDefinition',
    ]);
    const group = `${namespace.name}.test`;
    cleanUp(() => namespace.kubectl('delete', 'crd', `shops.${group}`, '--ignore-not-found', '--wait=false'));
    const instance = { apiVersion: `${group}/v1`, kind: 'Shop', metadata: { name: 'main' }, spec: { size: 3 } };
    const [shop, crd] = [objectName(instance), `CustomResourceDefinition/shops.${group}`];
    const wanted = [definition(group), instance].map((content) => ({ object: objectName(content), content }));
    expect((await compare(...wanted)).map(({ kind, problems }) => [kind, problems.length])).toEqual([
      ['create', 0],
      ['unknown', 0],
    ]);
    const { act, begun } = await apply(definition(group));
    expect(begun.kind).toBe('begun');
    await expect.poll(() => look(act)).toEqual({ state: 'done', lines: [] });
    await expect
      .poll(async () => (await deployment.begin(actOn(shop, instance), 1).catch(() => undefined))?.kind)
      .toBe('begun');
    await expect.poll(() => look(actOn(shop, instance))).toEqual({ state: 'done', lines: [] });
    expect((await compare(...wanted)).map(({ kind }) => kind)).toEqual(['unchanged', 'unchanged']);
    expect(await finding(crd)).toMatchObject({ kind: 'keep', kept: 'it defines a kind of which there is 1 object' });
    // A definition that drops a version in which objects are stored.
    const next = await compare({ object: crd, content: definition(group, ['v2']) });
    expect(next[0]?.problems[0]?.kind ?? next[0]?.final).toBeDefined();
    const both = await apply(definition(group, ['v1', 'v2'], 'v1'));
    expect(both.begun.kind).toBe('begun');
    const former = (await finding(shop))?.former;
    expect(await remove(shop)).toEqual({ kind: 'begun' });
    expect(await undo(shop, former)).toMatchObject({ kind: 'begun' });
    expect(valueAt(await namespace.read(`shops.${group}`, 'main'), 'spec')).toEqual({ size: 3 });
    await remove(shop);
    expect(await finding(crd)).toMatchObject({ kind: 'remove' });
  });

  test('[OBJ6] an object that was changed since the plan is left as it is', async () => {
    const { namespace, apply, find, deployment, actOn } = await opened();
    await apply(CONFIG_MAP);
    const wild = { ...CONFIG_MAP, data: { mode: 'wild' } };
    const { former } = await find(wild);
    await namespace.patch('configmap', 'settings', { data: { mode: 'odd' } }, 'kubectl-edit');
    const begun = await deployment.begin(actOn(SETTINGS, wild, { expected: former }), 1);
    expect(begun).toMatchObject({
      kind: 'refused',
      failure: { reason: 'data.mode of ConfigMap/settings was changed by kubectl-edit since the plan.' },
    });
    expect(await deployment.begin(actOn(SETTINGS, wild), 1)).toMatchObject({ kind: 'refused' });
    await namespace.remove('configmap', 'settings');
    expect(await deployment.begin(actOn(SETTINGS, wild, { expected: former }), 1)).toMatchObject({
      failure: { reason: 'ConfigMap/settings was removed since the plan.' },
    });
    expect(await deployment.begin(actOn(SETTINGS, wild), 1)).toMatchObject({ kind: 'begun' });
    expect(await deployment.begin(actOn(SETTINGS, wild), 1)).toMatchObject({ kind: 'begun' });
  });

  test('[UPG11] a holder that was overtaken changes no object, and a takeover creates none', async () => {
    const { namespace, apply, deployment, actOn } = await opened();
    await apply(CONFIG_MAP);
    await deployment.takeOver(7, undefined, [SETTINGS, 'Secret/none', 'Deployment/none', 'Shop.shop.test/none']);
    expect((await namespace.read('configmap', 'settings'))?.metadata.annotations).toMatchObject({
      'steward/fence': '7',
    });
    const act = actOn(SETTINGS, { ...CONFIG_MAP, data: {} }, { expected: 'any' });
    expect(await deployment.begin(act, 6)).toEqual({ kind: 'overtaken' });
    expect(await deployment.begin(actOn(SETTINGS, undefined, { expected: 'any' }), 6)).toEqual({ kind: 'overtaken' });
    expect((await namespace.list('secret')).filter(({ metadata }) => metadata.name === 'none')).toEqual([]);
    expect(await deployment.begin(act, 7)).toMatchObject({ kind: 'begun' });
  });

  test('[OBJ5] [UPG18] a field that another manager has reverted is named with the manager', async () => {
    const { namespace, apply, look } = await opened();
    const { act, begun } = await apply(CONFIG_MAP);
    const receipt = begun.kind === 'begun' ? begun.receipt : undefined;
    expect(await look(act, receipt)).toEqual({ state: 'done', lines: [] });
    await namespace.applyAs('shop-operator', { ...CONFIG_MAP, data: { mode: 'odd' } } as ClusterObject);
    expect(await look(act, receipt)).toEqual({ state: 'absent', changedBy: 'shop-operator' });
    const web = await apply(deploymentObject());
    expect(await look(web.act, '1')).toMatchObject({ state: 'running', trouble: { reason: expect.any(String) } });
  });
});
