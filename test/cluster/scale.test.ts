import { describe, expect, test } from 'vitest';
import { clusterProgram } from '../support/cluster/clusterProgram.ts';
import { peakMemory, report, requestsBetween, untilEnded } from '../support/cluster/scale/measuredSteward.ts';
import { openLargeDeployment } from '../support/cluster/scale/openLargeDeployment.ts';
import { WATCHED, countRequests } from '../support/cluster/scale/requestCount.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';

const WORKLOADS = IS_SOAK ? 1000 : 40;
const MAX_REQUESTS_FOR_EACH = 6;
const MAX_MEMORY_MB = 200;
/** With few workloads, most requests do not depend on their number. With 1,000 they are among the 6 for each. */
const UNRELATED_REQUESTS = IS_SOAK ? 0 : 500;
/** The driver lists each kind this often, and then watches it. */
const INTERVAL_MS = 30_000;

/** Adopts the version 1.0, plans, and upgrades to 2.0. Returns when each part began. */
async function upgradeAll(steward: StewardProcess, manifest: readonly object[]) {
  const token = await steward.token({ expiration: '600' });
  const marks: [string, number][] = [];
  const mark = (name: string): void => void marks.push([name, Date.now()]);
  const file = { name: 'versionManifestFile', content: JSON.stringify(manifest), fileName: 'manifest.json' };
  await steward.postParts(`${UPGRADES}/importManifest`, [{ name: 'token', content: token }, file]);
  mark('adopt');
  await steward.must(`${UPGRADES}/adopt`, { token, versionManifest: 'rel_1.0' });
  const fields = { token, versionManifest: 'rel_2.0' };
  mark('plan');
  const plan = await steward.must(`${UPGRADES}/plan`, fields);
  mark('upgrade');
  await steward.must(`${UPGRADES}/upgrade`, fields);
  mark('job');
  const status = await untilEnded(steward, token);
  mark('end');
  return { marks, status, plan };
}

/** Starts Steward beside the deployment, upgrades everything, and ends it. */
async function measureUpgrade() {
  const { controlPlane, deployment, steward, plainMemory } = await openLargeDeployment(WORKLOADS);
  const { marks, status } = await upgradeAll(steward, deployment.manifest);
  const memory = peakMemory(steward);
  const running = await deployment.readyPods('2.0');
  // A watch is in the log of the API server when it has ended.
  await steward.end('SIGTERM');
  return { marks, status, memory, plainMemory, running, requests: controlPlane.audited() };
}

describe.skipIf(clusterProgram() === undefined)('a large deployment on a control plane without nodes', () => {
  test(`[UPG12] a plan and an upgrade of ${WORKLOADS} Deployments take at most ${MAX_REQUESTS_FOR_EACH} requests for each, and the driver less than ${MAX_MEMORY_MB} MB`, async () => {
    const measured = await measureUpgrade();
    const { status, running, memory, plainMemory, marks } = measured;
    if (IS_SOAK) process.stdout.write(report(`${WORKLOADS} workloads`, measured));
    expect({ state: status.state, last: status.messages.slice(-5) }).toMatchObject({ state: 'success' });
    expect(running).toBe(WORKLOADS);
    expect(memory - plainMemory).toBeLessThan(MAX_MEMORY_MB);
    const whole = countRequests(requestsBetween(measured, 'plan', 'end'));
    expect(whole.ofWorkloads).toBeLessThanOrEqual(MAX_REQUESTS_FOR_EACH * WORKLOADS);
    const jobMs = (marks.at(-1)?.[1] ?? 0) - (marks.find(([name]) => name === 'job')?.[1] ?? 0);
    const intervals = Math.ceil(jobMs / INTERVAL_MS) + 1;
    expect(whole.watchesOfOneKind).toBeLessThanOrEqual(intervals);
    // With all that does not depend on the number of workloads: rights, discovery, and the lists of checks and waves.
    const { ofWorkloads, lists, others } = countRequests(requestsBetween(measured, 'upgrade', 'end'));
    expect(ofWorkloads + lists + others).toBeLessThanOrEqual(
      MAX_REQUESTS_FOR_EACH * WORKLOADS + WATCHED.length * intervals + UNRELATED_REQUESTS,
    );
  });
});
