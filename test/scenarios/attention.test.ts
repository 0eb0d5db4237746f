import { afterAll, describe, expect, test } from 'vitest';
import { DAY, SECOND } from '../../src/foundation/clock.ts';
import type { NewFault } from '../../src/drivers/simulated/state/injectedFault.ts';
import type { AttentionAnswer, OverviewAnswer } from '../../src/wire/answers/overviewAnswers.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { carryOut } from '../support/upgrades/followAdvice.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const KEPT_MS = 2 * SECOND;
const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
/** Workloads in the last wave of the patch and of the release. */
const [LATER, LAST] = ['report-scheduler', 'portal-themes'];

const servers = sharedServers();
afterAll(() => servers.close());

const start = (): Promise<UpgradeServer> => servers.start({ areas: { upgradeDeadlineSeconds: 5 } });

async function overviewOf(steward: UpgradeServer): Promise<OverviewAnswer> {
  await steward.pass(KEPT_MS);
  return steward.must('/admin/system/overview');
}

const kindsOf = ({ attention }: OverviewAnswer): readonly string[] => attention.map(({ kind }) => kind);
const itemOf = ({ attention }: OverviewAnswer, kind: string): AttentionAnswer | undefined =>
  attention.find((one) => one.kind === kind);

async function follow(steward: UpgradeServer, actions: AttentionAnswer['nextActions']): Promise<void> {
  await carryOut(actions, { client: steward, untilEnd: steward.untilEnd });
}

const jobOf = (steward: UpgradeServer, id: string) => steward.must(`/admin/system/jobs/${id}`);
const latestJob = async (steward: UpgradeServer) => (await steward.must('/admin/system/upgrades')).job;

/** Does what the failed job says until it says no more, as a script would. */
async function untilNothingIsLeft(steward: UpgradeServer): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const { failure } = await latestJob(steward);
    if (failure === null) return;
    await follow(steward, failure.nextActions);
  }
}

async function expectWell(steward: UpgradeServer, version: string): Promise<void> {
  expect((await steward.status()).state).toBe('success');
  const overview = await overviewOf(steward);
  expect([overview.attention, overview.attentionMore, overview.drift]).toEqual([[], 0, []]);
  expect(overview.mode.isReadOnly).toBe(false);
  expect(await steward.must('/admin/system/upgrades/currentVersion')).toMatchObject({ fullVersion: version });
}

describe('[UPG30] the next actions of a failed job, carried out in their order, lead to success', () => {
  const OF_PATCH: readonly NewFault[] = [
    ...(['imageAbsent', 'imageUnpullable', 'checksumDiffers', 'crashLoop'] as const).map((kind) => {
      return { kind, workload: LATER };
    }),
    ...(['conflict', 'putBack', 'slow'] as const).map((kind) => ({ kind, workload: LATER })),
    ...(['quota', 'diskFull', 'forbidden'] as const).map((kind) => ({ kind })),
  ];

  test.each(OF_PATCH)('a patch that $kind made fail is rolled back, and started again', async (fault) => {
    const steward = await start();
    const id = await steward.upgrade(PATCH);
    // Faults of a workload strike its rollout; the others are found by the checks of the job.
    if ('workload' in fault) await steward.untilSaid(CODE.planExecuting);
    const { id: faultId } = await steward.simulated.addFault(fault);
    await steward.untilEnd();
    const { failure, state } = await jobOf(steward, id);
    expect(state).toBe('rolled_back');
    expect(failure.reason).toMatch(/\.$/);
    expect(failure.nextActions.map(({ action }: { readonly action: string }) => action)).toEqual([
      'removeFault',
      'planAgain',
      'startAgain',
    ]);
    expect(failure.nextActions[0].parameters).toEqual({ fault: faultId });
    const item = itemOf(await overviewOf(steward), 'upgradeRolledBack');
    expect(item).toMatchObject({ severity: 'notice', subject: { kind: 'job', id }, nextActions: failure.nextActions });
    await untilNothingIsLeft(steward);
    await expectWell(steward, '10.9.1.1842');
  });

  test.each([
    ...(['readOnly', 'promote', 'engine', 'afterEngine'] as const).map((phase) => ({ kind: 'databaseDown', phase })),
    { kind: 'hookFails', hook: 'backup' },
  ] as readonly NewFault[])(
    'a release that is rolled back because of %j is started again with its licence',
    async (fault) => {
      const steward = await start();
      await steward.simulated.addFault(fault);
      await steward.upgrade(RELEASE, await licensed(steward));
      expect(await steward.untilEnd()).toMatchObject({ state: 'rolled_back' });
      await untilNothingIsLeft(steward);
      await expectWell(steward, '11.0.2187');
    },
  );

  test.each([
    ...(['readWrite', 'roles', 'standby'] as const).map((phase) => ({ kind: 'databaseDown', phase })),
    ...(['crashLoop', 'imageUnpullable', 'putBack', 'slow'] as const).map((kind) => ({ kind, workload: LAST })),
    { kind: 'crashLoop' },
    { kind: 'hookFails', hook: 'search-indices' },
  ] as readonly NewFault[])('a release that stopped because of %j is finished', async (fault) => {
    const steward = await start();
    const { id: faultId } = await steward.simulated.addFault(fault);
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    const { failure } = await jobOf(steward, id);
    expect(failure.nextActions).toEqual([
      { action: 'removeFault', parameters: { fault: faultId } },
      { action: 'retry', parameters: { job: id } },
    ]);
    expect(failure.alternatives.map(({ action }: { readonly action: string }) => action)).toEqual([
      'diagnostics',
      'openForWrites',
      'adopt',
    ]);
    const item = itemOf(await overviewOf(steward), 'upgradeFailed');
    expect(item).toMatchObject({ severity: 'critical', nextActions: failure.nextActions, job: id });
    expect(typeof item?.since).toBe('number');
    await follow(steward, item?.nextActions ?? []);
    await expectWell(steward, '11.0.2187');
  });

  test('a rollback that could not be completed is completed, and then the patch is started again', async () => {
    const steward = await start();
    const id = await steward.upgrade(PATCH);
    await steward.untilSaid(CODE.planExecuting);
    await steward.simulated.addFault({ kind: 'crashLoop', workload: LATER });
    await steward.simulated.addFault({ kind: 'conflict', workload: 'object-store' });
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    const { failure } = await jobOf(steward, id);
    expect(failure.reason).toContain('object-store');
    await untilNothingIsLeft(steward);
    await expectWell(steward, '10.9.1.1842');
  });

  test('a failed rollback of a patch is started again', async () => {
    const steward = await start();
    await steward.upgrade(PATCH);
    await steward.untilEnd();
    await steward.must('/admin/system/upgrades/rollback', { versionManifest: PATCH });
    await steward.simulated.addFault({ kind: 'quota' });
    expect(await steward.untilEnd()).toMatchObject({ state: 'rolled_back' });
    await untilNothingIsLeft(steward);
    await expectWell(steward, '10.9.1.1800');
  });

  test('a paused job is resumed, and one that was cancelled can be started again and needs no one', async () => {
    const steward = await start();
    await steward.upgrade(PATCH);
    const { id } = await latestJob(steward);
    await steward.untilSaid(CODE.planExecuting);
    await steward.must(`/admin/system/jobs/${id}/pause`);
    await steward.until(({ state }) => state === 'paused');
    const paused = await overviewOf(steward);
    expect(itemOf(paused, 'upgradePaused')).toMatchObject({
      nextActions: [{ action: 'resume', parameters: { job: id } }],
      alternatives: [{ action: 'cancel', parameters: { job: id } }],
    });
    expect(kindsOf(paused)).toEqual(['upgradePaused']);
    await follow(steward, itemOf(paused, 'upgradePaused')?.alternatives ?? []);
    await steward.untilEnd();
    expect(await jobOf(steward, id)).toMatchObject({
      state: 'rolled_back',
      failure: { reason: 'The upgrade was cancelled and rolled back.' },
    });
    expect(kindsOf(await overviewOf(steward))).toEqual([]);
    await untilNothingIsLeft(steward);
    await expectWell(steward, '10.9.1.1842');
  });

  test('a job that an earlier version ended says to retry it, and while it runs again it has no failure', async () => {
    const steward = await start();
    await steward.simulated.addFault({ kind: 'hookFails', hook: 'logging' });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    await steward.untilEnd();
    const { latest } = await steward.areas.upgrades.facts();
    const { shownFailure } = await import('../../src/upgrades/failure/shownFailure.ts');
    if (latest === undefined) throw new Error('there is no job');
    const { isPastReturn } = { isPastReturn: true, ...Object(latest.cursor) };
    expect(shownFailure({ ...latest, cursor: { isPastReturn } })).toMatchObject({
      reason: 'The upgrade did not succeed. Its last messages say why.',
      nextActions: [{ action: 'retry', parameters: { job: id } }],
    });
    expect(shownFailure({ ...latest, state: 'running' })).toBeNull();
    await untilNothingIsLeft(steward);
    await expectWell(steward, '11.0.2187');
  });

  test('a plan without the licence that it needs says to upload one', async () => {
    const steward = await start();
    const { checks } = await steward.must('/admin/system/upgrades/plan', { versionManifest: RELEASE });
    const licence = checks.find(({ name }: { readonly name: string }) => name === 'licence');
    expect(licence).toMatchObject({ verdict: 'fail', nextActions: [{ action: 'uploadLicence', parameters: {} }] });
  });
});

describe('[V3] what needs attention', () => {
  test("drift after Steward's own failed release names the job, and other drift says to find out who changed it", async () => {
    const steward = await start();
    await steward.simulated.addFault({ kind: 'crashLoop', workload: LAST });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    await steward.untilEnd();
    const overview = await overviewOf(steward);
    expect(overview.drift).toEqual([LAST]);
    const drift = overview.attention.filter(({ kind }) => kind === 'drift');
    expect(drift).toMatchObject([{ job: id, nextActions: [] }]);
    expect(drift[0]?.cause).toContain(`Steward's own upgrade to 11.0.2187 has not finished them: ${LAST}.`);
    expect(itemOf(overview, 'workloadUnhealthy')).toMatchObject({ subject: { name: LAST }, job: id });
    await untilNothingIsLeft(steward);
    await steward.reset((inventory) => ({
      ...inventory,
      workloads: inventory.workloads.map((one) =>
        one.name === LAST
          ? {
              ...one,
              images: one.images.map((image) => ({ ...image, image: 'registry.example/x:1', checksum: undefined })),
            }
          : one,
      ),
    }));
    const other = itemOf(await overviewOf(steward), 'drift');
    expect(other).toMatchObject({ job: null, nextActions: [{ action: 'diagnostics' }] });
    expect(other?.cause).toMatch(new RegExp(`Steward did not set them: ${LAST}\\. Find out who changed them`));
  });

  test('an unhealthy workload and a database without a writer are separate items, the most severe first', async () => {
    const steward = await start();
    await steward.reset((inventory) => ({
      ...inventory,
      workloads: inventory.workloads.map((one) => (one.name === LAST ? { ...one, trouble: 'It crashes.' } : one)),
      database: inventory.database && {
        ...inventory.database,
        instances: inventory.database.instances.map((one) => ({ ...one, isReadOnly: true })),
      },
    }));
    const overview = await overviewOf(steward);
    expect(kindsOf(overview)).toEqual(['databaseWithoutWriter', 'workloadUnhealthy']);
    expect(itemOf(overview, 'workloadUnhealthy')?.cause).toBe(`The workload ${LAST} is unhealthy: It crashes.`);
  });

  test('a deployment that does not answer is an item, and removing its fault ends it', async () => {
    const steward = await start();
    await steward.simulated.addFault({ kind: 'apiErrors', seconds: 600 });
    const item = itemOf(await overviewOf(steward), 'deploymentNotAnswering');
    expect(item).toMatchObject({ severity: 'critical', subject: { kind: 'deployment' } });
    expect(item?.cause).toContain('503');
    await follow(steward, item?.nextActions.slice(0, 1) ?? []);
    expect(kindsOf(await overviewOf(steward))).toEqual([]);
  });

  test('read-only mode that is kept on is an item, and its action opens the system', async () => {
    const steward = await start();
    await steward.must('/admin/mode', { isReadOnly: 'true', message: 'Back at noon' });
    const item = itemOf(await overviewOf(steward), 'readOnly');
    expect(item).toMatchObject({ severity: 'notice', cause: 'The system is in read-only mode: Back at noon.' });
    await follow(steward, item?.nextActions ?? []);
    expect(kindsOf(await overviewOf(steward))).toEqual([]);
  });

  test('after a failure that leaves no database for writes, read-only mode names the job, and the way out by hand uses force', async () => {
    const steward = await start();
    await steward.simulated.addFault({ kind: 'databaseDown', phase: 'readWrite' });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    await steward.untilEnd();
    const overview = await overviewOf(steward);
    expect(itemOf(overview, 'readOnly')).toMatchObject({
      severity: 'critical',
      job: id,
      nextActions: [],
      alternatives: [{ action: 'openForWrites', parameters: { force: true } }],
    });
    expect(itemOf(overview, 'databaseWithoutWriter')).toMatchObject({ job: id });
    await untilNothingIsLeft(steward);
    await expectWell(steward, '11.0.2187');
  });

  test('a job that was rolled back needs attention for a day', async () => {
    const steward = await start();
    await steward.upgrade(PATCH);
    await steward.simulated.addFault({ kind: 'quota' });
    await steward.untilEnd();
    expect(kindsOf(await overviewOf(steward))).toEqual(['upgradeRolledBack']);
    await steward.pass(DAY);
    expect(kindsOf(await overviewOf(steward))).toEqual([]);
  });
});
