import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/foundation/schema/json.ts';
import type { Version } from '../../src/model/version.ts';
import { checksumOf } from '../../src/upgrades/objects/checkBundle.ts';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import type { JobAnswer } from '../../src/wire/answers/jobAnswers.ts';
import type { PlanAnswer, UpgradeStatusAnswer } from '../../src/wire/answers/upgradeAnswers.ts';
import type { Steward } from '../harness/processes/steward.ts';

/** The version that the deployment has at first, and a release after it that touches every workload and needs no licence. */
const [FROM, TO] = ['pat_11.0.2187', 'rel_11.1'];
const REQUEST = { versionManifest: TO, upgradeSettings: '{}' };
const POLL_EVERY_MS = 250;

export interface Pace {
  readonly rolloutMs: number;
  readonly hookMs: number;
  readonly databaseMs: number;
}

/** The status after an upgrade was started. */
export type Status = Required<UpgradeStatusAnswer>;

/** The versions of the demo, the last release with these objects. */
function versionsWith(versions: readonly Version[], bundle: Buffer | undefined): readonly Version[] {
  return versions.map((one) => {
    const isTarget = one.id === TO && bundle !== undefined;
    return { ...one, objects: isTarget ? { checksum: checksumOf(bundle) } : undefined };
  });
}

/** Gives the Steward a simulated deployment of this many workloads, not yet upgraded, with this pace. */
export async function fillDeployment(
  steward: Steward,
  count: number,
  pace: Pace,
  objects: readonly JsonObject[] = [],
): Promise<void> {
  const { inventory, versions: ofDemo } = demoProduct(count);
  const bundle =
    objects.length === 0 ? undefined : Buffer.from(objects.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const versions = versionsWith(ofDemo, bundle);
  await steward.post('/demo/deployment/fill', {}, { inventory });
  await steward.post(
    '/demo/settings',
    Object.fromEntries(Object.entries(pace).map(([name, ms]) => [name, String(ms)])),
  );
  if (bundle !== undefined)
    await steward.post('/system/upgrades/importManifest', {}, { versionManifestFile: versions, objectsFile: bundle });
  const adopted = { versionManifest: FROM, force: 'true' };
  await steward.post('/system/upgrades/adopt', adopted, { versionManifestFile: versions });
}

export async function makePlan(steward: Steward): Promise<PlanAnswer> {
  const plan = JSON.parse(await steward.post('/system/upgrades/plan', REQUEST)) as PlanAnswer;
  if (!plan.canStart) throw new Error(`the upgrade cannot start: ${JSON.stringify(plan.checks)}`);
  return plan;
}

/** How long the rollout of each workload will take. */
export async function expectedRollouts(steward: Steward): Promise<ReadonlyMap<string, number>> {
  const { workloads } = JSON.parse(await steward.post('/demo/deployment')) as {
    readonly workloads: readonly { readonly name: string; readonly expectedMs: number }[];
  };
  return new Map(workloads.map(({ name, expectedMs }) => [name, expectedMs]));
}

/** Returns the id of the job. */
export async function startUpgrade(steward: Steward): Promise<string> {
  return (JSON.parse(await steward.post('/system/upgrades/upgrade', REQUEST)) as Status).job.id;
}

/** Waits for the success of the job. It polls the list of jobs, because that costs Steward little. */
export async function waitForSuccess(steward: Steward, job: string): Promise<Status> {
  const readStatus = async (): Promise<Status> => JSON.parse(await steward.post('/system/upgrades')) as Status;
  const headers = { Authorization: `Bearer ${steward.token}` };
  for (;;) {
    const response = await fetch(`${steward.url}/admin/system/jobs?num=1&f=json`, { headers });
    const { jobs } = (await response.json()) as { readonly jobs: readonly JobAnswer[] };
    const state = jobs.find(({ id }) => id === job)?.state;
    if (state === 'success') return readStatus();
    if (state !== 'in_progress') throw new Error(`the upgrade is ${state}: ${JSON.stringify(await readStatus())}`);
    await sleep(POLL_EVERY_MS);
  }
}
