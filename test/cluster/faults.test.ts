import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ImageEntry } from '../support/cluster/appVersions.ts';
import { patch, release } from '../support/cluster/appVersions.ts';
import { describeOnCluster, makeImage } from '../support/cluster/cluster.ts';
import type { FaultCase, FaultWorld } from '../support/cluster/faultCases.ts';
import { FAULTS, FIRST, MISSING, NAME, PATCH, RELEASE } from '../support/cluster/faultCases.ts';
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

/** The world of one case, so that no case changes the state of another. */
interface World extends FaultWorld {
  readonly steward: ClusterSteward;
}

/** The new image of the second wave. */
async function newImage({ image }: FaultCase): Promise<ImageEntry> {
  if (image !== 'private') return makeImage(image === 'missing' ? MISSING : NAME, '2.0');
  const registry = await startRegistry();
  onTestFinished(registry.close);
  registry.answerWith(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="shop"' } }));
  return { tagged: `${registry.host}/shop:2.0`, checksum: `sha256:${'a'.repeat(64)}` };
}

async function openWorld(fault: FaultCase): Promise<World> {
  const { workload = 'web' } = fault;
  const scenario = await openScenario();
  onTestFinished(async () => {
    await scenario.close();
    await kubectl('delete', 'pv', scenario.name, '--ignore-not-found', '--wait=false');
  });
  const [first, second] = [await makeImage(FIRST, '1.0'), await makeImage(NAME, '1.0')];
  const images = (one: ImageEntry, other: ImageEntry) => ({
    'Deployment/first/app': one,
    [`Deployment/${workload}/app`]: other,
  });
  const before = images(first, second);
  const after = images(await makeImage(FIRST, '2.0'), await newImage(fault));
  await scenario.apply(...faultObjects(scenario, { first: first.tagged, [workload]: second.tagged }));
  const account = await openServiceAccount(scenario);
  onTestFinished(account.remove);
  await until('all pods are ready', async () => (await scenario.pods()).filter(({ isReady }) => isReady).length === 2);
  const steward = await scenario.steward({
    STEWARD_KUBECONFIG: account.kubeconfig,
    STEWARD_UPGRADE_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
  });
  await steward.importManifest([
    release('1.0.100', '', before),
    patch(PATCH.slice(4), after),
    release(RELEASE.slice(4), '1.0', after),
  ]);
  mustBeOk(await steward.adopt('rel_1.0.100'));
  return { scenario, account, before, steward };
}

/** Makes the new image of the second wave crash, never become ready, or be ended by its liveness probe. */
function setSwitch({ scenario }: World, what: string, isOn: boolean): void {
  const file = join(scenario.switchFolder, `${what} ${NAME} 2.0`);
  if (isOn) writeFileSync(file, '');
  else rmSync(file, { force: true });
}

async function runUntilEnd(world: World, fault: FaultCase): Promise<{ job: string; status: Status }> {
  const { scenario, steward } = world;
  const { version = PATCH } = fault;
  if (fault.switch !== undefined) setSwitch(world, fault.switch, true);
  await fault.before?.(world);
  if (fault.inTheMiddle !== undefined) scenario.hold(`${FIRST} 2.0`);
  if (fault.atLast !== undefined) setSwitch(world, 'hold', true);
  const job = await steward.upgrade(version, version === RELEASE ? { upgradeSettings: '{}' } : {});
  if (fault.inTheMiddle !== undefined) {
    await until('the first wave has begun', async () => (await scenario.pods()).length > 2);
    await fault.inTheMiddle(world);
    scenario.release(`${FIRST} 2.0`);
  }
  if (fault.atLast !== undefined) {
    await steward.untilSaid(/Deployment\/first is updated/);
    await fault.atLast(world);
    setSwitch(world, 'hold', false);
  }
  return { job, status: await steward.untilEnd(fault.ends ?? 'rolled_back') };
}

async function runAndUndo(world: World, fault: FaultCase): ReturnType<typeof runUntilEnd> {
  try {
    return await runUntilEnd(world, fault);
  } finally {
    if (fault.switch !== undefined) setSwitch(world, fault.switch, false);
    await fault.repair?.(world);
  }
}

/** Once the fault is repaired, a job that has failed can be rolled back. */
async function expectRecovery({ scenario, steward }: World, job: string, ended: Status): Promise<void> {
  if (ended.state === 'failed') {
    await steward.control(job, 'retry');
    await steward.untilEnd('rolled_back');
  }
  await expect.poll(() => scenario.mode()).toMatchObject({ isReadOnly: 'false' });
}

describeOnCluster('[UPG13] faults in the middle of a job, judged by its last ten messages alone:', () => {
  for (const fault of FAULTS.filter(({ isInGate }) => IS_SOAK || isInGate === true))
    test(`[K1] ${fault.title}`, async () => {
      const world = await openWorld(fault);
      const { job, status } = await runAndUndo(world, fault);
      const words = lastWords(status);
      for (const told of [fault.cause, fault.advice, PRESENT_STATE, NEXT_ACT]) expect(words).toMatch(told);
      expect(words).not.toMatch(/does not know why|[^.]\.\.(?:\s|$)/);
      await expectRecovery(world, job, status);
    });
});
