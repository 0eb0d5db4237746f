import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { TestImage } from '../support/cluster/cluster.ts';
import { patch, release } from '../support/cluster/appVersions.ts';
import type { FaultCase, FaultWorld } from '../support/cluster/faultCases.ts';
import {
  FAULTS,
  FIRST,
  MISSING_PATCH,
  NAME,
  PATCH,
  PORTS_PATCH,
  PRIVATE_PATCH,
  RELEASE,
  STORAGE_PATCH,
} from '../support/cluster/faultCases.ts';
import { faultObjects } from '../support/cluster/faultWorkloads.ts';
import { kubectl } from '../support/cluster/kubectl.ts';
import type { ClusterSteward } from '../support/cluster/scenario.ts';
import { openScenario } from '../support/cluster/scenario.ts';
import { openServiceAccount } from '../support/cluster/serviceAccount.ts';
import { mustBeOk } from '../support/cluster/upgradeCalls.ts';
import { startRegistry } from '../support/registry/registryServer.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { until } from '../support/run/until.ts';
import type { Status } from '../support/upgrades/upgradeServer.ts';

/** Long enough for the driver to ask for events and logs, which it does after 15 s. */
const DEADLINE_SECONDS = 25;
const PRESENT_STATE =
  /The deployment runs 1\.0\.100 as before|Of the \d workloads of this job|what runs now is not known/;
const NEXT_ACT = /Then (?:start the upgrade again with|continue the rollback with) POST system\//;

/** All that a person is shown who looks at the end of the job. */
function lastWords({ messages }: Status): string {
  return messages
    .slice(-10)
    .map(({ code, message }) => `${code} ${message}`)
    .join('\n');
}

describeOnCluster('[UPG13] faults in the middle of a job, judged by its last ten messages alone:', () => {
  let world: FaultWorld;
  let steward: ClusterSteward;
  let job = '';
  let registry: Awaited<ReturnType<typeof startRegistry>>;

  async function versions(one: TestImage, other: TestImage) {
    const [first, app, lost] = [
      await makeImage(FIRST, '2.0'),
      await makeImage(NAME, '2.0'),
      await makeImage('faults-missing', '2.0'),
    ];
    const at = (name: string, image: Pick<TestImage, 'tagged' | 'checksum'>) => ({
      'Deployment/first/app': first,
      [`Deployment/${name}/app`]: image,
    });
    const before = Object.fromEntries(['web', 'ports', 'disk'].map((name) => [`Deployment/${name}/app`, other]));
    registry.answerWith(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="shop"' } }));
    const closed = { tagged: `${registry.host}/shop:2.0`, checksum: `sha256:${'a'.repeat(64)}` };
    return {
      first: { 'Deployment/first/app': one, ...before },
      missing: { name: 'faults-missing', checksum: lost.checksum },
      list: [
        release('1.0.100', '', { 'Deployment/first/app': one, ...before }),
        patch(PATCH.slice(4), at('web', app)),
        patch(MISSING_PATCH.slice(4), at('web', lost)),
        patch(PRIVATE_PATCH.slice(4), at('web', closed)),
        patch(PORTS_PATCH.slice(4), at('ports', app)),
        patch(STORAGE_PATCH.slice(4), at('disk', app)),
        release(RELEASE.slice(4), '1.0', at('web', app)),
      ],
    };
  }

  beforeAll(async () => {
    registry = await startRegistry();
    const scenario = await openScenario();
    const [one, other] = [await makeImage(FIRST, '1.0'), await makeImage(NAME, '1.0')];
    const { first, missing, list } = await versions(one, other);
    const images = { first: one.tagged, app: other.tagged };
    await scenario.apply(...faultObjects(scenario.name, scenario.switchFolder, images));
    const account = await openServiceAccount(scenario);
    await until('all pods are ready', async () => {
      return (await scenario.pods()).filter(({ isReady }) => isReady).length === Object.keys(first).length;
    });
    steward = await scenario.steward({
      STEWARD_KUBECONFIG: account.kubeconfig,
      STEWARD_UPGRADE_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
    });
    world = { scenario, account, first, missing };
    await steward.importManifest(list);
    mustBeOk(await steward.adopt('rel_1.0.100'));
  });
  afterAll(async () => {
    await world?.scenario.close();
    world?.account.remove();
    await registry?.close();
    await kubectl('delete', 'pv', world.scenario.name, '--ignore-not-found', '--wait=false');
  });

  /** Makes the new image of the second wave crash, never become ready, or be ended by its liveness probe. */
  function setSwitch(what: string, isOn: boolean): void {
    const file = join(world.scenario.switchFolder, `${what} ${NAME} 2.0`);
    if (isOn) writeFileSync(file, '');
    else rmSync(file, { force: true });
  }

  async function runUntilEnd(fault: FaultCase): Promise<Status> {
    const { scenario } = world;
    if (fault.switch !== undefined) setSwitch(fault.switch, true);
    await fault.before?.(world);
    if (fault.inTheMiddle !== undefined) scenario.hold(`${FIRST} 2.0`);
    if (fault.atLast !== undefined) setSwitch('hold', true);
    job = await steward.upgrade(fault.version ?? PATCH, fault.version === RELEASE ? { upgradeSettings: '{}' } : {});
    if (fault.inTheMiddle !== undefined) {
      await until('the first wave has begun', async () => (await scenario.pods()).length > 4);
      await fault.inTheMiddle(world);
      scenario.release(`${FIRST} 2.0`);
    }
    if (fault.atLast !== undefined) {
      await steward.untilSaid(/Deployment\/first is updated/);
      await fault.atLast(world);
      setSwitch('hold', false);
    }
    return steward.untilEnd(fault.ends ?? 'rolled_back');
  }

  async function repair(fault: FaultCase): Promise<void> {
    if (fault.switch !== undefined) setSwitch(fault.switch, false);
    await fault.repair?.(world);
    if ((await steward.status()).state === 'failed') {
      await steward.control(job, 'retry');
      await steward.untilEnd('rolled_back');
    }
    await expect.poll(() => world.scenario.mode()).toMatchObject({ isReadOnly: 'false' });
  }

  test.each(FAULTS.filter(({ isInGate }) => IS_SOAK || isInGate === true))('[K1] $title', async (fault) => {
    try {
      const words = lastWords(await runUntilEnd(fault));
      for (const told of [fault.cause, fault.advice, PRESENT_STATE, NEXT_ACT]) expect(words).toMatch(told);
      expect(words).not.toMatch(/does not know why|[^.]\.\.(?:\s|$)/);
    } finally {
      await repair(fault);
    }
  });
});
