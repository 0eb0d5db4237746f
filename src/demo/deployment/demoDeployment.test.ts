import { describe, expect, test } from 'vitest';
import { HOOKS } from '../../model/hook.ts';
import { manualClock } from '../../../test/support/clock/manualClock.ts';
import { openSimulatedDeployment } from '../../../test/support/upgrades/simulatedDeployment.ts';
import { eachStore, placeForEachTest } from '../../../test/support/store/stores.ts';
import { StewardError } from '../../foundation/errors.ts';
import { DAY } from '../../foundation/clock.ts';
import { silentLog } from '../../foundation/log.ts';
import { createSealer } from '../../foundation/sealer.ts';
import type { Call } from '../../http/server/handler.ts';
import { demoHandlers } from '../demoHandlers.ts';
import { createUpgrades } from '../../upgrades/upgrades.ts';
import type { Inventory } from '../../model/workload.ts';
import { inventoryDocument } from './inventoryDocument.ts';
import type { Fields } from '../../wire/fields/fields.ts';
import { problemsOf } from '../../wire/fields/fields.ts';
import { chainProblems } from '../../model/manifest/chainProblems.ts';
import { imageProblems } from '../../model/objects/rules/imageProblems.ts';
import { readBundle } from '../../model/objects/readBundle.ts';
import { checkBundle } from '../../upgrades/objects/checkBundle.ts';
import { configMap } from '../../../test/support/upgrades/objects/objectSamples.ts';
import { manifestText, readManifest } from '../../model/manifest/manifest.ts';
import { createDemo, fillDemoDeployment } from './demoDeployment.ts';
import { demoInventory, demoProduct } from './demoProduct.ts';

function read(sent: unknown): Inventory {
  const found = inventoryDocument.read(JSON.stringify(sent));
  if (found.kind === 'invalid') throw new Error(found.problem);
  return found.value;
}

function problemsIn(sent: unknown): readonly string[] {
  const found = inventoryDocument.read(JSON.stringify(sent));
  return found.kind === 'invalid' ? problemsOf(found) : [];
}

/** A call with the parts that the demo's handlers use. */
function call<V>(fields: V, isChange = false): Call<Fields> & { readonly fields: V } {
  return { fields, isChange } as unknown as Call<Fields> & { readonly fields: V };
}

describe('the demo manifest', () => {
  const { versions } = demoProduct();
  const counts = Object.fromEntries(versions.map(({ id, containers }) => [id, containers.length]));

  test.each([6, 48, 1000])('[UPG3] the manifest for %d workloads can be read', (count) => {
    const world = demoProduct(count);
    expect(readManifest(manifestText({ versions: world.versions, signature: undefined }))).toEqual({
      kind: 'valid',
      manifest: { versions: world.versions, signature: undefined },
      warnings: [],
    });
    expect(new Set(world.inventory.workloads.map(({ name }) => name)).size).toBe(count);
  });

  test('releases change all workloads, and patches change some', () => {
    expect(counts).toEqual({
      'rel_10.9.1': 48,
      'pat_10.9.1.1842': 12,
      'rel_11.0': 48,
      'pat_11.0.2187': 16,
      'rel_11.1': 48,
    });
    expect(versions.every(({ name, description }) => name.startsWith('Demo') && description.startsWith('Demo'))).toBe(
      true,
    );
    expect(versions.at(-1)).toMatchObject({ previousVersion: '11.0', previousBuild: '2187' });
  });

  test('the first version has the images of the fresh deployment', () => {
    const images = demoInventory().workloads.flatMap((workload) => workload.images);
    const first = versions[0]?.containers.map(({ name, image, checksum }) => ({ container: name, image, checksum }));
    expect(images).toEqual(first);
  });
});

describe('the inventory of a request', () => {
  test('an inventory may be the output of kubectl', () => {
    const item = (name: string, metadata: object) => ({
      kind: 'Deployment',
      metadata: { name, ...metadata },
      spec: { template: { spec: { containers: [{ name: 'main', image: `registry.example/${name}:1` }] } } },
    });
    const labels = { 'app.kubernetes.io/component': 'Front', 'app.kubernetes.io/part-of': 'shop' };
    const { workloads, hooks, database } = read({
      kind: 'List',
      items: [item('web', { labels, annotations: { 'steward/wave': '10' } }), item('api', {})],
    });
    expect(workloads).toMatchObject([
      { name: 'Deployment/web', component: 'Front', module: 'shop', wave: 10, images: [{ container: 'main' }] },
      { name: 'Deployment/api', component: 'api', module: 'api', wave: 50 },
    ]);
    expect(hooks).toEqual(HOOKS);
    expect(database?.instances).toHaveLength(2);
  });

  test('an invalid inventory is refused with every problem', () => {
    const [workload] = demoInventory().workloads;
    expect(
      problemsIn({
        workloads: [workload, { ...workload, wave: -1 }, { name: 'Big', images: [{ container: 'a', image: 'B A D' }] }],
        volumes: [{ name: 'v', size: 'huge', storageClass: 'standard' }],
        hooks: ['none'],
        database: { instances: [] },
        surprise: 1,
      }),
    ).toEqual([
      'workload 2 (object-store): wave must be a whole number of at least 0',
      'workload 2 (object-store): name is the same as that of workload 1',
      expect.stringContaining('workload 3: name must be'),
      expect.stringContaining('workload 3: component must be'),
      expect.stringContaining('workload 3: module must be'),
      expect.stringContaining('workload 3: wave must be'),
      expect.stringContaining('workload 3: image 1 (a): image must be'),
      'volume 1 (v): size must be a size, such as 20Gi',
      expect.stringContaining('hooks must be an array of some of backup'),
      'database: instances must be an array of 2 objects',
      'unknown field `surprise`',
    ]);
    expect(problemsIn('text')).toEqual(['must be an object: an inventory, or the output of kubectl']);
    expect(problemsIn({ items: [{ kind: 'Pod' }, 5] }).length).toBeGreaterThan(2);
  });
});

eachStore((kind) => {
  const at = placeForEachTest(kind);

  async function opened() {
    const clock = manualClock();
    const store = await at.open(clock);
    const world = await openSimulatedDeployment(store.documents, clock, 3);
    const { deployment } = world;
    const upgrades = createUpgrades({
      store: store.upgrades,
      jobs: store.jobs,
      uploads: store.uploads,
      deployment,
      clock,
      log: silentLog,
      limits: { parallel: 8, deadlineMs: 1_800_000, observeEveryMs: 100 },
      manifestKey: undefined,
      licenceKey: undefined,
      namespace: undefined,
      clusterKinds: new Set(),
      sealer: createSealer([Buffer.alloc(32, 7)]),
    });
    const demo = createDemo({ deployment, upgrades, clock });
    return { ...world, upgrades, clock, demo, handlers: demoHandlers(demo, '/admin') };
  }

  test('[DEC49] the answer of the resource can be sent back unchanged', async () => {
    const { handlers, deployment, begin, act, clock, demo } = await opened();
    await begin(act('object-store'));
    clock.advance(5000);
    const before = await deployment.inventory();
    const { body } = await handlers.deployment(call({}));
    expect(body).toMatchObject({ simulated: true, fence: 1 });
    await handlers.reset(call({}));
    expect((await deployment.inventory()).workloads).toHaveLength(48);
    const inventory = read(body);
    expect(await handlers.fill(call({ inventory }))).toEqual({ body: { status: 'success', workloads: 3 } });
    expect(await deployment.inventory()).toEqual(before);
    expect(await demo.view()).toMatchObject({ fence: 1, rollouts: {} });
  });

  test('a reset removes faults and settings but keeps the fence', async () => {
    const { deployment, handlers, addFault, act } = await opened();
    await deployment.takeOver(4);
    await addFault({ kind: 'quota' });
    const change = { rolloutMs: 1, hookMs: undefined, databaseMs: undefined };
    expect(await handlers.settings(call(change, true))).toMatchObject({ body: { status: 'success', rolloutMs: 1 } });
    await handlers.reset(call({}));
    expect(await handlers.settings(call(change))).toEqual({
      body: { rolloutMs: 2000, hookMs: 2000, databaseMs: 1000 },
    });
    expect(await handlers.faults(call({}))).toEqual({ body: { faults: [] } });
    expect(await deployment.begin(act('object-store'), 3)).toEqual({ kind: 'overtaken' });
  });

  test('faults are added, listed and removed', async () => {
    const { handlers } = await opened();
    const nothing = { workload: undefined, phase: undefined, hook: undefined, seconds: undefined, times: undefined };
    await handlers.addFault(call({ ...nothing, kind: 'crashLoop', workload: 'object-store' }));
    await handlers.addFault(call({ ...nothing, kind: 'quota' }));
    const { body } = await handlers.faults(call({}));
    expect(body).toMatchObject({ faults: [{ workload: 'object-store', times: null, struck: 0 }, { kind: 'quota' }] });
    const remove = async (fields: { id: string | undefined; all: boolean | undefined }) =>
      handlers.removeFaults(call(fields));
    await expect(remove({ id: undefined, all: undefined })).rejects.toMatchObject({ code: 'invalid' });
    await expect(remove({ id: 'a', all: true })).rejects.toMatchObject({ code: 'invalid' });
    expect(await remove({ id: undefined, all: true })).toMatchObject({ body: { removed: 2 } });
  });

  test('[DEC125] an object is changed in the name of another manager, which the deployment shows', async () => {
    const { handlers, deployment } = await opened();
    const by = { manager: undefined, reconciles: undefined };
    await deployment.placeObject(configMap({ MODE: 'a', SIZE: '1' }), { name: 'some-person', reconciles: false });
    await handlers.changeObject(call({ object: 'ConfigMap/contract', field: 'data.MODE', value: 'b', ...by }));
    await handlers.changeObject(call({ object: 'ConfigMap/contract', field: 'data.SIZE', value: undefined, ...by }));
    expect((await deployment.liveObjects()).get('ConfigMap/contract')).toEqual(configMap({ MODE: 'b' }));
    expect((await handlers.deployment(call({}))).body).toMatchObject({
      objects: [{ object: 'ConfigMap/contract', isOurs: false, changedBy: 'kubectl' }],
    });
    const wrong = { field: 'data.MODE', value: 'b', ...by };
    await expect(handlers.changeObject(call({ ...wrong, object: 'ConfigMap/none' }))).rejects.toMatchObject({
      code: 'notFound',
    });
    const unreadable = { ...wrong, object: 'ConfigMap/contract', field: 'data..' };
    await expect(handlers.changeObject(call(unreadable))).rejects.toMatchObject({ code: 'invalid' });
  });

  test('[DEC125] a change of an object by hand without effect, or of what it is, is refused with the form that works', async () => {
    const { handlers, deployment } = await opened();
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { ports: [{ name: 'http', port: 80 }], externalIPs: ['10.0.0.1'], publishNotReadyAddresses: true },
    };
    await deployment.placeObject(service, { name: 'some-person', reconciles: false });
    const change = async (field: string, value?: string): Promise<unknown> => {
      try {
        await handlers.changeObject(
          call({ object: 'Service/web', field, value, manager: undefined, reconciles: undefined }),
        );
        return 'changed';
      } catch (error) {
        return error instanceof StewardError ? error.details : error;
      }
    };
    for (const field of ['spec.ports[0].port', 'spec.ports[x].port', 'spec.ports.http.port', 'spec.ports.0.port'])
      expect(await change(field, '81')).toEqual([
        expect.stringMatching(/^field: .* such as spec\.ports\[http\]\.port$/),
      ]);
    for (const field of ['metadata.name', 'metadata.namespace', 'kind', 'apiVersion'])
      expect(await change(field, 'x')).toEqual([
        expect.stringMatching(/^field: must not be apiVersion, kind, metadata/),
      ]);
    for (const [field, value, problem] of [
      ['spec.ports[http].port', 'x', 'value: must be a number'],
      ['spec.publishNotReadyAddresses', 'yes', 'value: must be true or false'],
      ['spec.externalIPs[0]', 'x', 'field: is in the list spec.externalIPs'],
      ['spec.externalIPs', 'x', 'field: is a list'],
      ['spec', 'x', 'field: is an object'],
      ['spec', undefined, 'field: is an object with fields'],
      ['spec.none', undefined, 'field: is not in the object'],
      ['kind.x', 'x', 'field: is below kind, which is a value'],
      ['data..', 'x', 'field: must be the path of a field, such as'],
    ] as const)
      expect(await change(field, value)).toEqual([expect.stringContaining(problem)]);
    expect((await deployment.liveObjects()).get('Service/web')).toEqual(service);
    expect(await change('spec.ports[http].port', '81')).toBe('changed');
    expect(await change('spec.publishNotReadyAddresses', 'false')).toBe('changed');
    expect(await change('metadata.labels[example.com/a]', 'b')).toBe('changed');
    expect((await deployment.liveObjects()).get('Service/web')).toEqual({
      ...service,
      metadata: { name: 'web', labels: { 'example.com/a': 'b' } },
      spec: { ...service.spec, ports: [{ name: 'http', port: 81 }], publishNotReadyAddresses: false },
    });
  });

  test('[OBJ1] each file with objects belongs to a version of the demo, and can be imported', async () => {
    const { versions, bundles } = demoProduct(6, { hasObjects: true });
    const named = versions.filter(({ objects }) => objects !== undefined);
    const checksums = new Set(named.flatMap((one) => one.objects?.checksum ?? []));
    const checked = await Promise.all(bundles.map((bundle) => checkBundle(bundle, checksums, {})));
    expect(checked.map((one) => one.kind)).toEqual(named.map(() => 'valid'));
    for (const [n, bundle] of bundles.entries()) {
      const bundled = readBundle(bundle, {});
      expect(bundled.kind === 'valid' ? imageProblems(bundled.objects, named[n]?.containers ?? []) : bundled).toEqual(
        [],
      );
    }
    expect(chainProblems(versions)).toEqual([]);
    expect(named).toEqual(named.map(() => expect.objectContaining({ requires: ['objects'] })));
    expect(demoProduct(6).versions.some(({ objects }) => objects !== undefined)).toBe(false);
  });

  test('[UPG8] the licence is valid for 30 days, and the manifest is an array', async () => {
    const { handlers, clock } = await opened();
    expect(await handlers.licence(call({}))).toMatchObject({
      body: {
        product: 'Product',
        version: '11.0',
        expires: clock.now() + 30 * DAY,
        note: expect.stringContaining('Demo'),
      },
    });
    expect(await handlers.manifest(call({}))).toMatchObject({ body: { length: 5 } });
  });

  test('an existing deployment is not filled again', async () => {
    const { deployment, upgrades } = await opened();
    await fillDemoDeployment(deployment, upgrades);
    expect((await deployment.inventory()).workloads).toHaveLength(3);
  });
});
