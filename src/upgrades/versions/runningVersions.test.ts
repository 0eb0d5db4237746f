import { expect, test } from 'vitest';
import { testVersion } from '../../../test/support/upgrades/testVersion.ts';
import type { Job } from '../../jobs/jobStore.ts';
import type { Version } from '../../model/version.ts';
import type { Workload } from '../../model/workload.ts';
import type { Deployment } from '../ports/deployment.ts';
import type { Facts, Installed } from '../ports/upgradeStore.ts';
import { createRunningView, runningWorkloads } from './runningVersions.ts';

const checksum = (digit: string): string => `sha256:${digit.repeat(64)}`;

function version(id: string, images: Readonly<Record<string, string>>): Version {
  const [, name = ''] = id.split('_');
  const containers = Object.entries(images).map(([container, digit]) => ({
    name: container,
    image: `registry/${container}:${digit}`,
    checksum: checksum(digit),
  }));
  return testVersion(id, { name, version: '1.0', build: name, previousVersion: '', containers });
}

function workload(name: string, digit: string): Workload {
  const images = [{ container: name, image: `registry/${name}:${digit}`, checksum: checksum(digit) }];
  const rest = { trouble: undefined, blocked: undefined, managers: [], isSteward: false, expectedMs: undefined };
  return { name, component: name, module: name, wave: 1, images, ...rest };
}

/** A workload whose configured image is new, and whose pods still run the old one. */
function rolling(name: string): Workload {
  const [image] = workload(name, '2').images;
  if (image === undefined) throw new Error(`${name} has no image`);
  return { ...workload(name, '2'), images: [{ ...image, checksum: checksum('1') }], rollout: { done: 0, total: 2 } };
}

/** What the workloads run while a job goes over the known versions to the last one. */
function runsDuring(versionId: string, known: readonly Version[], workloads: readonly Workload[]) {
  const to = { version: '1.0', build: known.at(-1)?.build };
  const task = { versionId, to, volumes: {}, isRestorePointWaived: false, isSimulated: true };
  const latest = { state: 'running', task } as unknown as Job;
  const installed = [{ version: known[0] }] as unknown as readonly Installed[];
  const inventory = { workloads, volumes: [], hooks: [], database: undefined };
  return runningWorkloads(inventory, { installed, known, latest }, (image) => image).map(({ runs }) => runs);
}

test('a workload runs the installed version, that of the job, something else, or nothing that a version names', () => {
  const known = [
    version('rel_1', { kept: '1', moved: '1', changed: '1', rolling: '1' }),
    version('pat_2', { moved: '2', rolling: '2' }),
  ];
  const workloads = [
    workload('kept', '1'),
    workload('moved', '2'),
    workload('changed', '9'),
    workload('other', '1'),
    rolling('rolling'),
  ];
  expect(runsDuring('pat_2', known, workloads)).toEqual(['installed', 'next', 'other', 'unnamed', 'next']);
});

test('a workload of the release counts as updated before the patch of the same job reaches it', () => {
  const known = [
    version('rel_1', { a: '1', b: '1' }),
    version('rel_2', { a: '2', b: '2' }),
    version('pat_3', { a: '3' }),
  ];
  expect(runsDuring('rel_2', known, [workload('a', '2'), workload('b', '2')])).toEqual(['next', 'next']);
  expect(runsDuring('rel_2', known, [workload('a', '3'), workload('b', '1')])).toEqual(['next', 'installed']);
});

test('many readers of what runs cost one look at the deployment a second, because a look may run commands', async () => {
  let [now, looks] = [0, 0];
  const deployment = {
    async inventory() {
      looks += 1;
      return { workloads: [], volumes: [], hooks: [], database: undefined };
    },
    referenceFor: (image: string) => image,
  } as unknown as Deployment;
  const store = { facts: async () => ({ installed: [], known: [], latest: undefined }) as unknown as Facts };
  const running = createRunningView({ deployment, store, clock: { now: () => now, sleep: async () => undefined } });
  await Promise.all([running(), running(), running()]);
  now = 999;
  await running();
  expect(looks).toBe(1);
  now = 1000;
  await running();
  expect(looks).toBe(2);
});
