import { describe, expect, test } from 'vitest';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';
import { bundleBytes, configMap, deployment, importPatch, object } from '../support/upgrades/versionsWithObjects.ts';
import { CODE } from '../support/upgrades/codes.ts';

const servers = serversForTests();
const RBAC = 'rbac.authorization.k8s.io/v1';
const CHECKSUM = `sha256:${'5'.repeat(64)}`;
const NEW = { name: 'Deployment/extra/app', checksum: CHECKSUM, image: 'registry.example/extra:1' };

interface PlannedObject {
  readonly object: string;
  readonly action: string;
  readonly fields: readonly { readonly field: string; readonly before: string | null; readonly after: string | null }[];
}

async function planned(steward: UpgradeServer, id: string) {
  const plan = await steward.must(`${UPGRADES}/plan`, { versionManifest: id, upgradeSettings: '{}' });
  const objects = (plan.objects ?? []) as readonly PlannedObject[];
  return { plan, objects, actions: Object.fromEntries(objects.map(({ object: name, action }) => [name, action])) };
}

const names = async ({ simulated }: UpgradeServer): Promise<readonly string[]> =>
  [...(await simulated.liveObjects()).keys()].toSorted((one, other) => one.localeCompare(other));

const texts = async (steward: UpgradeServer): Promise<readonly string[]> =>
  (await steward.status()).messages.map(({ code, message }) => `${code} ${message}`);

describe('[OBJ4] [OBJ5] the objects of a version', () => {
  test('are planned, applied in their order, changed, removed and rolled back', async () => {
    const steward = await servers.own();
    const first = await importPatch(steward, {
      build: 5000,
      objects: [configMap('settings', { MODE: 'a' }), configMap('old', { gone: 'soon' }), object('Service', 'web')],
    });
    const before = await planned(steward, first);
    expect(before.actions).toEqual({
      'ConfigMap/settings': 'create',
      'ConfigMap/old': 'create',
      'Service/web': 'create',
    });
    expect(before.plan.canStart).toBe(true);
    await steward.upgrade(first);
    expect((await steward.untilEnd()).state).toBe('success');
    expect(await texts(steward)).toEqual(
      expect.arrayContaining([
        expect.stringContaining(`${CODE.objectApplied} The object \`ConfigMap/settings\` was created.`),
      ]),
    );
    expect(await names(steward)).toEqual(['ConfigMap/old', 'ConfigMap/settings', 'Service/web']);

    const second = await importPatch(steward, {
      build: 5001,
      objects: [
        configMap('settings', { MODE: 'b' }),
        object('Service', 'web'),
        deployment('extra', NEW.image, { reads: 'settings' }),
      ],
      containers: [NEW],
    });
    const next = await planned(steward, second);
    expect(next.actions).toEqual({
      'ConfigMap/settings': 'change',
      'ConfigMap/old': 'remove',
      'Service/web': 'unchanged',
      'Deployment/extra': 'create',
    });
    expect(next.objects.find(({ object: name }) => name === 'ConfigMap/settings')?.fields).toEqual([
      expect.objectContaining({ field: 'data.MODE', before: 'a', after: 'b' }),
    ]);
    await steward.upgrade(second);
    expect((await steward.untilEnd()).state).toBe('success');
    expect((await steward.simulated.inventory()).workloads.map(({ name }) => name)).toContain('Deployment/extra');
    expect(await names(steward)).toEqual(['ConfigMap/settings', 'Deployment/extra', 'Service/web']);

    await steward.must(`${UPGRADES}/rollback`, { versionManifest: second });
    expect((await steward.untilEnd()).state).toBe('success');
    expect(await names(steward)).toEqual(['ConfigMap/old', 'ConfigMap/settings', 'Service/web']);
    expect((await steward.simulated.inventory()).workloads.map(({ name }) => name)).not.toContain('Deployment/extra');
    expect((await planned(steward, second)).actions).toEqual(next.actions);
  });

  test('a version without objects keeps the installed ones, and a plan without objects has none', async () => {
    const steward = await servers.own();
    const plain = await importPatch(steward, { build: 4000 });
    expect((await planned(steward, plain)).plan).not.toHaveProperty('objects');
    const first = await importPatch(steward, { build: 5000, objects: [configMap('settings', { MODE: 'a' })] });
    await steward.upgrade(first);
    await steward.untilEnd();
    const next = await importPatch(steward, { build: 5001, previousBuild: '5000' });
    expect((await planned(steward, next)).actions).toEqual({ 'ConfigMap/settings': 'unchanged' });
  });

  test('what a job has changed is undone when a later object fails', async () => {
    const steward = await servers.own();
    const first = await importPatch(steward, {
      build: 5000,
      objects: [configMap('a', { v: '1' }), configMap('b', { v: '1' })],
    });
    await steward.upgrade(first);
    await steward.untilEnd();
    const before = await steward.simulated.liveObjects();
    const second = await importPatch(steward, {
      build: 5001,
      objects: [configMap('a', { v: '2' }), object('Service', 'late', { spec: { type: 'ClusterIP' } })],
    });
    await steward.simulated.addFault({ kind: 'objectNeverReady', workload: 'Service/late' });
    await steward.upgrade(second);
    expect((await steward.untilEnd()).state).toBe('rolled_back');
    expect(await steward.simulated.liveObjects()).toEqual(before);
    const said = await texts(steward);
    expect(said).toEqual(expect.arrayContaining([expect.stringContaining(`${CODE.objectRestored}`)]));
    expect(said.at(-1)).toContain('Rolled back 2 objects; no workload was changed.');
  });

  test('[UPG5] [DEC126] an old plan is refused with each object, its fields, and whether the version or the deployment has changed', async () => {
    const steward = await servers.own();
    const first = await importPatch(steward, { build: 5000, objects: [configMap('settings', { MODE: 'a' })] });
    await steward.upgrade(first);
    await steward.untilEnd();
    const second = await importPatch(steward, { build: 5001, objects: [configMap('settings', { MODE: 'b' })] });
    const detailsOf = async (planHash: string): Promise<unknown> => {
      const fields = { versionManifest: second, upgradeSettings: '{}', planHash };
      const { status, body } = await steward.post(`${UPGRADES}/upgrade`, fields);
      expect(status).toBe(409);
      return body.error.details;
    };
    const { plan } = await planned(steward, second);
    const by = { name: 'kubectl', reconciles: false };
    await steward.simulated.changeObject('ConfigMap/settings', 'data.MODE', 'c', by);
    expect(await detailsOf(plan.planHash)).toEqual([
      'planHash: ConfigMap/settings: it was changed in the deployment after the plan; the upgrade would change data.MODE: c → b',
      'planHash: check objectOwners: it was pass, it is now warn',
      'planHash: make a new plan, review it, and send its planHash',
    ]);
    const again = await planned(steward, second);
    await importPatch(steward, { build: 5001, objects: [configMap('settings', { MODE: 'd' })] });
    expect(await detailsOf(again.plan.planHash)).toContain(
      'planHash: ConfigMap/settings: the version wants another content than at the plan; the upgrade would change data.MODE: c → d',
    );
  });

  test('[OBJ4] [UPG18] a conflict can be acknowledged, also for a name with a colon', async () => {
    const steward = await servers.own();
    const role = (verb: string) => object('Role', 'app:reader', { rules: [{ verbs: [verb] }] }, RBAC);
    const first = await importPatch(steward, { build: 5000, objects: [role('get')] });
    await steward.upgrade(first);
    await steward.untilEnd();
    const second = await importPatch(steward, { build: 5001, objects: [role('list')] });
    const [acknowledge = ''] = (await planned(steward, second)).objects.map((one) => one.object);
    await steward.simulated.changeObject(acknowledge, 'rules', [], { name: 'gitops', reconciles: true });
    const fields = { versionManifest: second, upgradeSettings: '{}' };
    expect(await steward.must(`${UPGRADES}/plan`, fields)).toMatchObject({ canStart: false });
    expect(await steward.must(`${UPGRADES}/plan`, { ...fields, acknowledge })).toMatchObject({ canStart: true });
  });

  test('[OBJ4] a workload that the version adds is not counted among those that stay', async () => {
    const steward = await servers.own();
    const objects = [deployment('extra', NEW.image)];
    const id = await importPatch(steward, { build: 5000, objects, containers: [NEW] });
    const { workloads } = await steward.simulated.inventory();
    const { plan } = await planned(steward, id);
    const [text = ''] = plan.checks.flatMap((one: { readonly name: string; readonly text: string }) =>
      one.name === 'changes' ? [one.text] : [],
    );
    const [, updates, stay] = /workloads: (\d+)\. Workloads that stay as they are: (\d+)\./.exec(text) ?? [];
    expect(Number(updates) + Number(stay)).toBe(workloads.length + 1);
  });
});

describe('[OBJ1] a bundle', () => {
  test('that is missing is a failed check with the way to bring it', async () => {
    const steward = await servers.own();
    const objects = [configMap('settings', { MODE: 'a' })];
    const id = await importPatch(steward, { build: 5000, objects });
    expect(bundleBytes(objects).length).toBeGreaterThan(0);
    const { plan } = await planned(steward, id);
    expect(plan.checks.find(({ name }: { name: string }) => name === 'bundle')).toMatchObject({ verdict: 'pass' });
  });
});
