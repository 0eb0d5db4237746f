import { describe, expect, test } from 'vitest';
import { clusterProgram } from '../support/cluster/clusterProgram.ts';
import type { AuditedRequest } from '../support/cluster/scale/auditLog.ts';
import type { VersionWithObjects } from '../support/cluster/scale/largeBundle.ts';
import { KINDS, OBJECT_RIGHTS, versionsWithObjects } from '../support/cluster/scale/largeBundle.ts';
import { peakMemory, report, requestsBetween, untilEnded } from '../support/cluster/scale/measuredSteward.ts';
import { openLargeDeployment } from '../support/cluster/scale/openLargeDeployment.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { UPGRADES } from '../support/upgrades/upgradeServer.ts';

const OBJECTS = IS_SOAK ? 1000 : 60;
const WORKLOADS = OBJECTS / 10;
const MAX_REQUESTS_FOR_EACH = 3;
const MAX_MEMORY_MB = 200;
/** Discovery, rights and the lists of checks, which do not depend on the number of objects. With 1,000 they are among the 3 for each. */
const UNRELATED_REQUESTS = IS_SOAK ? 0 : 100;

/** Objects of these kinds that no bundle has: the mode, and the account whose pull secrets count. */
const OTHERS = new Set(['steward-mode', 'default']);

/** What was asked about the objects of a bundle, in any way. */
function ofObjects(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return requests.filter(({ resource, name }) => KINDS.includes(resource) && !OTHERS.has(name));
}

/** Writes, without those that fence the workloads off from an earlier holder of a job. */
function writesIn(requests: readonly AuditedRequest[]): readonly AuditedRequest[] {
  return ofObjects(requests).filter(
    ({ verb, isDryRun, resource }) =>
      !['get', 'list', 'watch'].includes(verb) && !isDryRun && resource !== 'deployments',
  );
}

async function importVersion(steward: StewardProcess, token: string, { version, bundle }: VersionWithObjects) {
  await steward.postParts(`${UPGRADES}/importManifest`, [
    { name: 'token', content: token },
    { name: 'versionManifestFile', content: JSON.stringify([version]), fileName: 'manifest.json' },
    { name: 'objectsFile', content: bundle.toString(), fileName: 'objects.jsonl' },
  ]);
}

function countActions(objects: readonly { readonly action: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { action } of objects) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** Imports each version, plans it and upgrades to it. A release that is known with its patches would be installed with them. Returns what each plan does with how many objects. */
async function upgradeInTurn(
  steward: StewardProcess,
  token: string,
  versions: readonly VersionWithObjects[],
  mark: (name: string) => void,
) {
  const counts: Readonly<Record<string, number>>[] = [];
  for (const one of versions) {
    await importVersion(steward, token, one);
    const { version } = one;
    const fields = { token, versionManifest: version.id };
    mark(`plan ${version.id}`);
    counts.push(countActions((await steward.must(`${UPGRADES}/plan`, fields)).objects));
    mark(`upgrade ${version.id}`);
    await steward.must(`${UPGRADES}/upgrade`, fields);
    const { state, messages } = await untilEnded(steward, token);
    expect({ state, last: messages.slice(-5) }).toMatchObject({ state: 'success' });
    mark(`end ${version.id}`);
  }
  return counts;
}

/** Upgrades to all versions beside a fresh control plane. */
async function measureObjects() {
  const { controlPlane, deployment, steward, plainMemory } = await openLargeDeployment(WORKLOADS, OBJECT_RIGHTS);
  const token = await steward.token({ expiration: '600' });
  const versions = versionsWithObjects(deployment, OBJECTS);
  const marks: [string, number][] = [];
  const mark = (name: string): void => void marks.push([name, Date.now()]);
  const first = { name: 'versionManifestFile', content: JSON.stringify(deployment.manifest), fileName: 'm.json' };
  await steward.postParts(`${UPGRADES}/importManifest`, [{ name: 'token', content: token }, first]);
  await steward.must(`${UPGRADES}/adopt`, { token, versionManifest: 'rel_1.0' });
  const counts = await upgradeInTurn(steward, token, versions, mark);
  mark('end');
  const memory = peakMemory(steward);
  // A watch is in the log of the API server when it has ended.
  await steward.end('SIGTERM');
  return { marks, memory, plainMemory, counts, requests: controlPlane.audited() };
}

describe.skipIf(clusterProgram() === undefined)('many objects on a control plane without nodes', () => {
  test(`[OBJ10] a plan of ${OBJECTS} objects takes at most ${MAX_REQUESTS_FOR_EACH} requests for each and ${MAX_MEMORY_MB} MB, and no object is written if none differs`, async () => {
    const measured = await measureObjects();
    if (IS_SOAK) process.stdout.write(report(`${OBJECTS} objects, ${WORKLOADS} of them workloads`, measured));
    expect(measured.counts).toEqual([
      { create: OBJECTS - WORKLOADS, change: WORKLOADS },
      { change: expect.any(Number), unchanged: expect.any(Number) },
      { unchanged: OBJECTS },
    ]);
    for (const id of ['rel_2.0', 'pat_2.0.101']) {
      const planned = requestsBetween(measured, `plan ${id}`, `upgrade ${id}`);
      expect(planned.length).toBeLessThanOrEqual(MAX_REQUESTS_FOR_EACH * OBJECTS + UNRELATED_REQUESTS);
    }
    expect(measured.memory - measured.plainMemory).toBeLessThan(MAX_MEMORY_MB);
    const idle = requestsBetween(measured, 'plan pat_2.0.102', 'upgrade pat_2.0.102');
    expect(ofObjects(idle).filter(({ verb }) => verb !== 'list')).toEqual([]);
    expect(writesIn(requestsBetween(measured, 'plan pat_2.0.102', 'end'))).toEqual([]);
  });
});
