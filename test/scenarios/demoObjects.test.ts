import { expect, test } from 'vitest';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';

const servers = serversForTests();
const NEW = 'Deployment/portal-assistant';

interface PlannedObject {
  readonly object: string;
  readonly action: string;
}

type Settings = Readonly<Record<string, string>>;

async function actionsOf(steward: UpgradeServer, id: string, settings: Settings = {}) {
  const fields = { versionManifest: id, upgradeSettings: '{}', withoutRestorePoint: 'true', ...settings };
  const objects: readonly PlannedObject[] = (await steward.must(`${UPGRADES}/plan`, fields)).objects ?? [];
  return Object.fromEntries(objects.map(({ object, action }) => [object, action]));
}

async function install(steward: UpgradeServer, id: string, settings: Settings = {}): Promise<void> {
  await steward.upgrade(id, { upgradeSettings: '{}', withoutRestorePoint: 'true', ...settings });
  expect((await steward.untilEnd()).state).toBe('success');
}

test('[OBJ10] the releases of the demo create, change and remove objects, and the last one adds a workload', async () => {
  const steward = await servers.own();
  await steward.must('/admin/demo/deployment/reset', {});
  expect(Object.values(await actionsOf(steward, 'pat_10.9.1.1842'))).toEqual([]);
  const first = await actionsOf(steward, 'rel_11.0', await licensed(steward));
  expect(new Set(Object.values(first))).toEqual(new Set(['create']));
  await install(steward, 'rel_11.0', await licensed(steward));
  const objects = await steward.simulated.liveObjects();
  expect([...objects.keys()].toSorted()).toEqual(Object.keys(first).toSorted());

  const next = await actionsOf(steward, 'rel_11.1');
  expect(new Set(Object.values(next))).toEqual(new Set(['create', 'change', 'unchanged', 'remove']));
  expect(next[NEW]).toBe('create');
  await install(steward, 'rel_11.1');
  const names = (await steward.simulated.inventory()).workloads.map(({ name }) => name);
  expect(names).toContain(NEW);
  expect((await steward.must('/admin/demo/deployment')).workloads).toHaveLength(names.length);
  expect((await steward.simulated.liveObjects()).has('ConfigMap/report-templates')).toBe(false);
});
