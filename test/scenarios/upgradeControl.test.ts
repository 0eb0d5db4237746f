import { afterAll, describe, expect, test } from 'vitest';
import { ROLES } from '../../src/model/actor.ts';
import { upgradeOperations } from '../../src/wire/operations/upgradeOperations.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { everything, licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const LATER = 'report-scheduler';

let steward: UpgradeServer;

const servers = sharedServers();

async function start(): Promise<UpgradeServer> {
  steward = await servers.start();
  return steward;
}
afterAll(() => servers.close());

const control = (id: string, verb: string) => steward.post(`/admin/system/jobs/${id}/${verb}`);

async function expectRefused(id: string, verb: string, words: string): Promise<void> {
  const before = await everything(steward);
  const { status, body } = await control(id, verb);
  expect([status, body.error.message]).toEqual([409, expect.stringContaining(words)]);
  expect(await everything(steward)).toEqual(before);
}

const CHILDREN = Object.values(upgradeOperations).filter(({ path }) => path !== '/system/upgrades');

/** The children answer 409 to administrators, and 401 and 403 to others; the resource itself stays open. */
async function expectClosed(viewer: string): Promise<void> {
  for (const { path, kind } of CHILDREN) {
    expect((await steward.anonymous.post(`/admin${path}`)).body.error.code).toBe(499);
    expect((await steward.post(`/admin${path}`, { token: viewer })).status).toBe(403);
    const { status, body } = await steward.post(`/admin${path}`, { versionManifest: PATCH, upgradeId: PATCH });
    expect([path, status, body.error.message]).toEqual([
      path,
      409,
      expect.stringContaining('while an upgrade or a rollback runs'),
    ]);
    if (kind === 'operation') continue;
    expect((await steward.app.inject({ url: `/admin${path}?token=${steward.token}` })).statusCode).toBe(409);
  }
  for (const path of ['getUpgradeSettings', 'upgrade'])
    expect((await steward.post(`/system/upgrades/${path}`, { token: steward.token })).status).toBe(409);
  expect((await steward.post('/admin/system/upgrades')).status).toBe(200);
}

describe('[UPG5] [IFC36] [DEC40] the upgrade interface while a job runs', () => {
  test('every child is closed while a job is in progress, paused or rolling back, and open after it', async () => {
    const { upgrade, must, until, untilSaid, untilEnd, simulated, tokenFor } = await start();
    const viewer = await tokenFor('viewer');
    const { id: fault } = await simulated.addFault({ kind: 'slow', workload: LATER });
    const id = await upgrade(PATCH);
    await expectClosed(viewer);
    await must(`/admin/system/jobs/${id}/pause`);
    await simulated.removeFaults(fault);
    await until(({ state }) => state === 'paused');
    await expectClosed(viewer);
    await must(`/admin/system/jobs/${id}/resume`);
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/cancel`);
    await until(({ state }) => state === 'rolling_back');
    await expectClosed(viewer);
    await untilEnd();
    for (const { path } of CHILDREN) expect((await steward.post(`/admin${path}`)).status).not.toBe(409);
  });

  test('the resource shows messages as they are written', async () => {
    const { upgrade, pass, status, clock, simulated } = await start();
    await simulated.changeSettings({ rolloutMs: 3000 });
    await upgrade(PATCH);
    const counts: number[] = [];
    while ((await status()).state === 'in_progress') {
      const { messages } = await status();
      counts.push(messages.length);
      expect(messages.at(-1)?.when).toBeLessThanOrEqual(clock.now());
      await pass(500);
    }
    expect(new Set(counts).size).toBeGreaterThan(2);
  });

  test('jobs are listed and read below system/jobs', async () => {
    const { upgrade, must, untilEnd, post } = await start();
    const id = await upgrade(PATCH);
    const [job] = (await must('/admin/system/jobs')).jobs;
    expect(job).toMatchObject({
      id,
      kind: 'upgrade',
      state: 'in_progress',
      versionId: PATCH,
      from: '10.9.1.1800',
      to: '10.9.1.1842',
      simulated: true,
      pausing: false,
      cancelling: false,
    });
    expect(await must(`/admin/system/jobs/${id}`)).toMatchObject({
      id,
      messages: [{ code: CODE.upgradeStarted }, { code: CODE.readOnlyEntered }],
    });
    await untilEnd();
    expect(await must(`/admin/system/jobs/${id}`)).toMatchObject({ state: 'success', progress: { done: 2, total: 2 } });
    expect((await post('/admin/system/jobs/nothing')).status).toBe(404);
    expect((await must(`/admin/system/jobs/${id}/messages`, { f: 'json' })).messages.at(-1)).toMatchObject({
      code: CODE.upgradeSucceeded,
    });
  });
});

describe('[UPG5] [DEC44] the upgrade interface after a failure', () => {
  async function failed(): Promise<string> {
    await start();
    await steward.simulated.addFault({ kind: 'crashLoop', workload: 'portal-themes' });
    const id = await steward.upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    return id;
  }

  test('an upgrade with the same id retries the same job', async () => {
    const id = await failed();
    await steward.simulated.removeFaults(undefined);
    const { body } = await steward.post('/admin/system/upgrades/upgrade', { versionManifest: `{"id":"${RELEASE}"}` });
    expect(body).toMatchObject({
      status: { state: 'in_progress', code: 1, messages: [{ code: CODE.upgradeStarted }] },
      job: { id },
    });
    expect(body.status.messages).toHaveLength(1);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
    expect(await steward.must('/admin/system/upgrades/currentVersion')).toMatchObject({ fullVersion: '11.0.2100' });
  });

  test('only the failed version and what goes over it are available', async () => {
    await failed();
    expect((await steward.must('/admin/system/upgrades/available')).map(({ id }: { id: string }) => id)).toEqual([
      'pat_11.0.2187',
      RELEASE,
    ]);
    const { status, body } = await steward.post('/admin/system/upgrades/upgrade', { versionManifest: PATCH });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('has failed and is not finished')]);
  });

  test('a patch over the failed release finishes both, with the images of the patch', async () => {
    const former = await failed();
    await steward.simulated.removeFaults(undefined);
    const id = await steward.upgrade('pat_11.0.2187');
    expect(id).not.toBe(former);
    const { state, messages } = await steward.untilEnd();
    expect(state).toBe('success');
    const codes = messages.map(({ code }) => code);
    expect(codes.slice(-3)).toEqual([CODE.readOnlyLeft, CODE.upgradeCompleted, CODE.upgradeSucceeded]);
    // The failed job has upgraded the database.
    for (const code of [
      CODE.databaseUpgradeStarted,
      CODE.primarySetReadWrite,
      CODE.databaseUpgradeCompleted,
      CODE.backupStarted,
    ])
      expect(codes).not.toContain(code);
    for (const code of [
      CODE.portalContentCompleted,
      CODE.loggingSucceeded,
      CODE.servicesRefreshCompleted,
      CODE.searchIndicesCompleted,
    ])
      expect(codes).toContain(code);
    for (const code of [0, -1]) expect(messages.at(code)?.message).toContain('from 10.9.1.1800 to 11.0.2187');
    const { updates } = await steward.must('/admin/system/upgrades/installed');
    expect(updates.map((one: { id: string }) => one.id)).toEqual(['rel_10.9.1', RELEASE, 'pat_11.0.2187']);
    const wanted = new Map<string, string>();
    for (const version of steward.versions.slice(2, 4))
      for (const { name, image, checksum } of version.containers) wanted.set(name, `${image} ${checksum}`);
    expect(await steward.images()).toEqual(Object.fromEntries(wanted));
    await expectRefused(former, 'retry', 'another one was started since');
  });
});

describe('[UPG5] the control of a job', () => {
  test('[UPG21] a job pauses at once, leaves running rollouts to the deployment, and resumes from there', async () => {
    const { upgrade, untilSaid, until, untilEnd, must, images, pass } = await start();
    const before = await images();
    const id = await upgrade(PATCH);
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/pause`);
    expect(await must('/admin/system/upgrades')).toMatchObject({
      status: { state: 'in_progress' },
      job: { pausing: true },
    });
    const { messages } = await until(({ state }) => state === 'paused');
    expect(messages.slice(-2).map(({ code }) => code)).toEqual([CODE.workloadUpdated, CODE.paused]);
    await pass(3000);
    const between = await images();
    expect(between['object-store']).not.toBe(before['object-store']);
    expect(between[LATER]).toBe(before[LATER]);
    await pass(3000);
    expect(await images()).toEqual(between);
    expect(await must('/admin/mode')).toMatchObject({ isReadOnly: true });
    await expectRefused(id, 'pause', 'only a job in progress can be paused');
    await expectRefused(id, 'retry', 'only a failed job can be retried');
    await must(`/admin/system/jobs/${id}/resume`);
    const ended = await untilEnd();
    expect(ended.state).toBe('success');
    const codes = ended.messages.map(({ code }) => code);
    expect(codes.slice(codes.indexOf(CODE.paused))).toEqual([
      CODE.paused,
      CODE.resumed,
      CODE.patchProgress,
      CODE.modulePatchStarted,
      CODE.workloadUpdated,
      CODE.patchProgress,
      CODE.readOnlyLeft,
      CODE.upgradeCompleted,
      CODE.upgradeSucceeded,
    ]);
    expect(ended.messages.find(({ code }) => code === CODE.resumed)?.message).toContain('test');
    for (const verb of ['pause', 'resume', 'cancel', 'retry']) await expectRefused(id, verb, 'is success');
  });

  test('a pause can be withdrawn before the job has paused', async () => {
    const { upgrade, untilSaid, untilEnd, must } = await start();
    const id = await upgrade(PATCH);
    await expectRefused(id, 'resume', 'only a paused job');
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/pause`);
    await must(`/admin/system/jobs/${id}/resume`);
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    expect(messages.some(({ code }) => code === CODE.paused)).toBe(false);
  });

  test('a job that is cancelled before the point of no return undoes everything', async () => {
    const { upgrade, untilSaid, untilEnd, must, images, simulated } = await start();
    const before = await images();
    const { database } = await simulated.inventory();
    const id = await upgrade(RELEASE, await licensed(steward));
    await untilSaid(CODE.engineUpgradeFinished);
    await must(`/admin/system/jobs/${id}/cancel`);
    expect((await must('/admin/system/upgrades')).job.cancelling).toBe(true);
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    const codes = messages.map(({ code }) => code);
    for (const code of [CODE.cancelled, CODE.undoStarted, CODE.databaseRestored]) expect(codes).toContain(code);
    expect(codes.slice(-2)).toEqual([CODE.readOnlyLeft, CODE.rolledBack]);
    expect([await images(), (await simulated.inventory()).database]).toEqual([before, database]);
    expect(await must('/admin/mode')).toMatchObject({ isReadOnly: false });
    await expectRefused(id, 'cancel', 'it has ended');
  });

  test('a job that is cancelled at once has changed nothing', async () => {
    const { upgrade, untilEnd, must, images } = await start();
    const before = await images();
    const id = await upgrade(PATCH);
    await must(`/admin/system/jobs/${id}/cancel`);
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.at(-1)?.message).toMatch(/nothing/i);
    expect(await images()).toEqual(before);
  });

  test('a job that is cancelled at any moment before its end is rolled back', async () => {
    const { upgrade, pass, untilEnd, must, images, post } = await start();
    const before = await images();
    for (let ms = 100; ; ms += 100) {
      const id = await upgrade(PATCH);
      await pass(ms);
      if ((await post(`/admin/system/jobs/${id}/cancel`)).status !== 200) break;
      const { state } = await untilEnd();
      expect([ms, state]).toEqual([ms, 'rolled_back']);
      expect(await images()).toEqual(before);
    }
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({ id: PATCH });
  });

  test('a job that is cancelled a moment before its end is rolled back too', async () => {
    const { upgrade, pass, untilEnd, must, simulated, clock } = await start();
    await simulated.changeSettings({ rolloutMs: 600 });
    const began = clock.now();
    await upgrade(PATCH);
    await untilEnd();
    const took = clock.now() - began;
    await must('/admin/system/upgrades/rollback', { versionManifest: PATCH });
    await untilEnd();
    const id = await upgrade(PATCH);
    await pass(took - 100);
    await must(`/admin/system/jobs/${id}/cancel`);
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
  });

  test('[DEC43] a cancel after the point of no return is refused with the reason', async () => {
    const { upgrade, untilSaid, untilEnd, must, until } = await start();
    const id = await upgrade(RELEASE, await licensed(steward));
    await untilSaid(CODE.pointOfNoReturn);
    await expectRefused(id, 'cancel', 'it is past the point of no return and cannot be rolled back. It can be paused.');
    expect((await must('/admin/system/upgrades')).job.pastPointOfNoReturn).toBe(true);
    await must(`/admin/system/jobs/${id}/pause`);
    await until(({ state }) => state === 'paused');
    await expectRefused(id, 'cancel', 'cannot be rolled back. Resume it to finish it.');
    await must(`/admin/system/jobs/${id}/resume`);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
  });

  test('a job that is cancelled while it is paused undoes everything', async () => {
    const { upgrade, untilSaid, until, untilEnd, must, images } = await start();
    const before = await images();
    const id = await upgrade(PATCH);
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/pause`);
    await until(({ state }) => state === 'paused');
    await must(`/admin/system/jobs/${id}/cancel`);
    expect(await must('/admin/system/upgrades')).toMatchObject({ status: { state: 'rolling_back' } });
    await expectRefused(id, 'cancel', 'it is being rolled back already');
    const { state, messages } = await untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.map(({ code }) => code)).toEqual(
      expect.arrayContaining([CODE.paused, CODE.cancelled, CODE.workloadRestored]),
    );
    expect(messages.at(-1)?.message).toMatch(
      /^The upgrade from 10\.9\.1\.1800 to 10\.9\.1\.1842 was cancelled\. Rolled back (\d+) of \1 workloads; the workloads are healthy\. The job did not change the database\. The deployment runs 10\.9\.1\.1800 as before\. The system accepts writes\. To start the upgrade again: POST system\/upgrades\/upgrade with versionManifest=pat_10\.9\.1\.1842\.$/,
    );
    expect(await images()).toEqual(before);
  });

  test('a cancelled rollback leaves the patch installed', async () => {
    const { upgrade, untilSaid, untilEnd, must, images } = await start();
    await upgrade(PATCH);
    await untilEnd();
    const before = await images();
    const { job } = await must('/admin/system/upgrades/rollback', { versionManifest: PATCH });
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${job.id}/cancel`);
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect(await images()).toEqual(before);
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({ id: PATCH });
  });

  test('only administrators control jobs, and their calls are audited', async () => {
    const { upgrade, tokenFor, post, must, untilEnd } = await start();
    const lower = await Promise.all(ROLES.slice(0, -1).map(tokenFor));
    const id = await upgrade(PATCH);
    for (const token of lower) {
      for (const verb of ['pause', 'resume', 'cancel', 'retry', 'messages'])
        expect((await post(`/admin/system/jobs/${id}/${verb}`, { token })).status).toBe(403);
    }
    await must(`/admin/system/jobs/${id}/pause`);
    await must(`/admin/system/jobs/${id}/cancel`);
    await untilEnd();
    const { entries } = await must('/admin/security/audit', { target: `job ${id}` });
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'upgrade.end',
      'upgrade.cancel',
      'upgrade.pause',
      'upgrade.start',
    ]);
  });
});
