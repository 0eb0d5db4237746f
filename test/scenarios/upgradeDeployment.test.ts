// What a job does while the deployment hangs, forbids, or is changed by another controller.
import { afterAll, describe, expect, test } from 'vitest';
import { createCloseStack } from '../../src/foundation/flow/closeStack.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { startModeLoop } from '../../src/service/start/deployment.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';

const servers = sharedServers();
let steward: UpgradeServer;
afterAll(() => servers.close());

const codes = async (): Promise<readonly (number | undefined)[]> =>
  (await steward.status()).messages.map(({ code }) => code);

describe('[UPG21] a deployment that does not answer', () => {
  test('waiting is reported after 10 s, and a cancel takes effect within 5 s', async () => {
    steward = await servers.start();
    const id = await steward.upgrade(PATCH);
    await steward.simulated.addFault({ kind: 'apiHangs', seconds: 3600 });
    await steward.pass(11_000);
    expect((await codes()).at(-1)).toBe(CODE.stillWaiting);
    await steward.must(`/admin/system/jobs/${id}/cancel`);
    await steward.pass(5000);
    const { state, messages } = await steward.status();
    expect([state, messages.at(-1)?.message]).toEqual([
      'rolled_back',
      'The upgrade from 10.9.1.1800 to 10.9.1.1842 was cancelled. Nothing was changed, neither the workloads nor the database. The deployment runs 10.9.1.1800 as before. The system accepts writes. To start the upgrade again: POST system/upgrades/upgrade with versionManifest=pat_10.9.1.1842.',
    ]);
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: false });
    await steward.simulated.removeFaults(undefined);
  });

  test.each(['diagnosticsStarted', 'backupStarted'] as const)(
    'a cancel after the message %s ends the job within 5 s, because it has changed nothing',
    async (said) => {
      steward = await servers.start();
      const id = await steward.upgrade(RELEASE, await licensed(steward));
      await steward.untilSaid(CODE[said]);
      await steward.simulated.addFault({ kind: 'apiHangs', seconds: 3600 });
      await steward.pass(100);
      await steward.must(`/admin/system/jobs/${id}/cancel`);
      await steward.pass(5000);
      expect(await steward.status()).toMatchObject({ state: 'rolled_back' });
    },
  );

  test('a pause takes effect within 5 s, and the job goes on after resume', async () => {
    steward = await servers.start();
    const id = await steward.upgrade(PATCH);
    await steward.untilSaid(CODE.workloadUpdated);
    await steward.simulated.addFault({ kind: 'apiHangs', seconds: 3600 });
    await steward.pass(2000);
    await steward.must(`/admin/system/jobs/${id}/pause`);
    await steward.pass(5000);
    expect(await steward.status()).toMatchObject({ state: 'paused' });
    await steward.simulated.removeFaults(undefined);
    await steward.must(`/admin/system/jobs/${id}/resume`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });

  test('the mode is shown to the workloads as soon as the deployment answers again', async () => {
    steward = await servers.start();
    const closeStack = createCloseStack(silentLog);
    const { clock } = steward;
    await steward.simulated.addFault({ kind: 'apiHangs', seconds: 15 });
    startModeLoop(steward.areas, steward.simulated, { clock: clock.forLoop(), log: silentLog, closeStack });
    await steward.must('/admin/mode', { isReadOnly: 'true', message: 'Back at noon' });
    await steward.pass(30_000);
    expect((await steward.simulated.view()).mode).toMatchObject({ isReadOnly: true, message: 'Back at noon' });
    await steward.must('/admin/mode', { isReadOnly: 'false' });
    await closeStack.close();
  });

  test('a stop of the server does not wait for the deployment to learn the mode', async () => {
    steward = await servers.start();
    const closeStack = createCloseStack(silentLog);
    await steward.simulated.addFault({ kind: 'apiHangs', seconds: 3600 });
    startModeLoop(steward.areas, steward.simulated, { clock: steward.clock, log: silentLog, closeStack });
    await steward.clock.idle();
    const before = steward.clock.now();
    await steward.clock.until('the loop has stopped', closeStack.close());
    expect(steward.clock.now() - before).toBeLessThan(5000);
  });

  test('the time of a pause does not count towards the deadline', async () => {
    steward = await servers.start({ areas: { upgradeDeadlineSeconds: 60 } });
    const { id: fault } = await steward.simulated.addFault({ kind: 'slow', workload: 'object-store' });
    const id = await steward.upgrade(PATCH);
    await steward.untilSaid(CODE.workloadUpdated);
    await steward.must(`/admin/system/jobs/${id}/pause`);
    await steward.until(({ state }) => state === 'paused');
    await steward.pass(600_000);
    await steward.must(`/admin/system/jobs/${id}/resume`);
    await steward.pass(10_000);
    expect(await steward.status()).toMatchObject({ state: 'in_progress' });
    await steward.simulated.removeFaults(fault);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });
});

test('[UPG21] a restart during a rollback does not start its deadline again', async () => {
  steward = await servers.start({ areas: { upgradeDeadlineSeconds: 60 } });
  await steward.simulated.addFault({ kind: 'crashLoop', workload: 'object-store', times: 1 });
  await steward.simulated.addFault({ kind: 'nodeLost', workload: 'object-store', seconds: 36_000 });
  await steward.upgrade(PATCH);
  await steward.untilSaid(CODE.undoStarted);
  await steward.pass(50_000);
  await steward.restartRunner();
  await steward.pass(15_000);
  const { state, messages } = await steward.status();
  expect(state).toBe('failed');
  expect(messages.map(({ message }) => message)).toContainEqual(expect.stringContaining('60 s'));
  await steward.simulated.removeFaults(undefined);
});

test('[UPG21] a missing permission fails the job at once, with the permission in the message', async () => {
  steward = await servers.start();
  await steward.upgrade(PATCH);
  await steward.untilSaid(CODE.planExecuting);
  await steward.simulated.addFault({ kind: 'forbidden' });
  await steward.pass(30_000);
  const { messages } = await steward.status();
  const cause = messages.find(({ code }) => code === CODE.stepFailed || code === CODE.undoFailed);
  expect(cause?.message).toMatch(
    /^`[\w-]+` could not be changed\. The simulated deployment refused the change: the account of Steward lacks the permission "patch" on workloads\.\n/,
  );
  await steward.simulated.removeFaults(undefined);
});

describe('[UPG18] an image that another controller reverts after its rollout', () => {
  test('before the point of no return, everything is rolled back', async () => {
    steward = await servers.start();
    const before = await steward.images();
    await steward.upgrade(PATCH);
    await steward.untilSaid(CODE.patchProgress);
    const [changed] = Object.entries(await steward.images()).find(([name, image]) => before[name] !== image) ?? [''];
    await steward.simulated.revert(changed);
    const { state, messages } = await steward.untilEnd();
    expect(state).toBe('rolled_back');
    expect(messages.find(({ code }) => code === CODE.stepFailed)?.message).toContain(changed);
    await steward.pass(10_000);
    expect(await steward.images()).toEqual(before);
  });

  test('after it, the job stops, and a retry updates the workload again', async () => {
    steward = await servers.start();
    const before = await steward.images();
    const id = await steward.upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
    await steward.untilSaid(CODE.releaseProgress);
    const [changed] = Object.entries(await steward.images()).find(([name, image]) => before[name] !== image) ?? [''];
    await steward.simulated.revert(changed);
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    await steward.must(`/admin/system/jobs/${id}/retry`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
    expect((await steward.images())[changed]).not.toBe(before[changed]);
  });
});

describe('[UPG13] a failure that leaves a database without a writable instance', () => {
  test('the system stays in read-only mode, and a successful retry restores the mode from before', async () => {
    steward = await servers.start();
    for (const phase of ['engine', 'restore'] as const)
      await steward.simulated.addFault({ kind: 'databaseDown', phase });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    const status = await steward.untilEnd();
    expect(status.state).toBe('failed');
    expect(status.messages.slice(-2).map(({ code }) => code)).toEqual([CODE.readOnlyKept, CODE.undoIncomplete]);
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: true });
    await steward.simulated.removeFaults(undefined);
    await steward.must(`/admin/system/jobs/${id}/retry`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: false });
  });

  test('[U27] an administrator can end the mode by force only, and learns why', async () => {
    steward = await servers.start();
    for (const phase of ['engine', 'restore'] as const)
      await steward.simulated.addFault({ kind: 'databaseDown', phase });
    await steward.upgrade(RELEASE, await licensed(steward));
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    const { status, body } = await steward.post('/admin/mode', { isReadOnly: 'false' });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('no database instance accepts writes')]);
    expect(body.error.details).toEqual([
      expect.stringMatching(/^Repair .*retry\.$/),
      expect.stringMatching(/force=true/),
    ]);
    await steward.must('/admin/mode', { isReadOnly: 'false', force: 'true' });
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: false });
  });
});

test('[UPG21] a cancel during a hook stops the hook, and says so', async () => {
  steward = await servers.start();
  await steward.simulated.changeSettings({ hookMs: 60_000 });
  const id = await steward.upgrade(RELEASE, await licensed(steward));
  await steward.untilSaid(CODE.diagnosticsStarted);
  await steward.pass(2000);
  await steward.must(`/admin/system/jobs/${id}/cancel`);
  await steward.pass(5000);
  const { state, messages } = await steward.status();
  expect(state).toBe('rolled_back');
  expect(messages.map(({ code }) => code)).toContain(CODE.hookStopped);
});

test('[UPG13] the last message of a failed job counts the workloads by what they run, and names the unhealthy ones', async () => {
  steward = await servers.start();
  const [last = ''] = Object.keys(await steward.images()).toReversed();
  await steward.simulated.addFault({ kind: 'crashLoop', workload: last });
  await steward.upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
  const { messages } = await steward.untilEnd();
  const text = messages.at(-1)?.message;
  expect(text).toMatch(/\d+ run 11\.0\.2100 and \d+ run 10\.9\.1\.1800/);
  expect(text).toMatch(new RegExp(`Unhealthy: .*\`${last}\` \\(`));
});

test('[UPG13] the last message of a failed job says what to do about each unhealthy workload', async () => {
  steward = await servers.start();
  await steward.simulated.changeSettings({ rolloutMs: 100 });
  const { id } = await steward.simulated.addFault({ kind: 'crashLoop' });
  await steward.upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
  const { messages } = await steward.untilEnd();
  const [state = '', todo] = messages.at(-1)?.message.split('\nWhat to do: ') ?? [];
  const unhealthy = [...state.matchAll(/^Unhealthy: `([\w-]+)`/gm)].map(([, name]) => name);
  expect(unhealthy.length).toBeGreaterThan(1);
  for (const name of unhealthy)
    expect(todo).toContain(
      `Set "storage.address" in the settings of \`${name}\`, or correct its image. This fault is simulated: remove it with POST demo/faults/remove and id=${id}.`,
    );
});

test('[UPG13] the last message tells what was last known, and when, if the deployment does not answer', async () => {
  steward = await servers.start({ areas: { upgradeDeadlineSeconds: 5 } });
  const id = await steward.upgrade(PATCH);
  await steward.untilSaid(CODE.workloadUpdated);
  const fault = await steward.simulated.addFault({ kind: 'apiErrors', seconds: 3600 });
  const { messages } = await steward.untilEnd();
  const lines = messages.at(-1)?.message.split('\n') ?? [];
  expect(lines[0]).toMatch(
    /^The upgrade from 10\.9\.1\.1800 to 10\.9\.1\.1842 failed, and its changes could not all be rolled back\. The deployment does not answer, so what runs now is not known\. At the time of its last answer to this job, 2026-01-01T[\d:.]+Z: of the \d workloads of this job, 0 were complete(?:, \d| and \d) had begun to change to 10\.9\.1\.1842 \([\w, -]+\)(?: and \d ran 10\.9\.1\.1800)?; this job had not begun to change the database\. The system stays in read-only mode, because writes on a system that is not completely rolled back may be lost when it is repaired\.$/,
  );
  expect(lines.at(-1)?.split(' Before you start')[0]).toBe(
    `What to do: Check that the API of the deployment is up and that Steward can reach it. This fault is simulated: remove it with POST demo/faults/remove and id=${fault.id}. Then continue the rollback with POST system/jobs/${id}/retry.`,
  );
  await steward.simulated.removeFaults(undefined);
});

describe('[UPG13] the last message of a job that would have continued to the latest patch', () => {
  test('counts workloads that were not changed as running the previous version', async () => {
    steward = await servers.start();
    const engine = await steward.simulated.addFault({ kind: 'databaseDown', phase: 'engine' });
    const restore = await steward.simulated.addFault({ kind: 'databaseDown', phase: 'restore' });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    const { messages } = await steward.untilEnd();
    const lines = messages.at(-1)?.message.split('\n') ?? [];
    expect([lines[0], lines.at(-1)]).toEqual([
      'The upgrade from 10.9.1.1800 to 11.0.2187 failed, and its changes could not all be rolled back. Of the 6 workloads of this job, 0 run 11.0.2187 and 6 run 10.9.1.1800. All 6 report that they are healthy. Database, as last reported: `database-a` does not start (before: standby, read-only, engine 16); `database-b` does not start (before: primary, read-only, engine 16). The phase `restore` of the simulated database has failed: `database-a` does not start. The system stays in read-only mode, because no database instance accepts writes.',
      `What to do: Install the missing extension "demo_extension" on \`database-b\`. This fault is simulated: remove it with POST demo/faults/remove and id=${engine.id}. Install the missing extension "demo_extension" on \`database-a\`. This fault is simulated: remove it with POST demo/faults/remove and id=${restore.id}. Then continue the rollback with POST system/jobs/${id}/retry.`,
    ]);
  });

  test('counts the workloads that run the release', async () => {
    steward = await servers.start();
    await steward.simulated.addFault({ kind: 'crashLoop', workload: 'permissions' });
    await steward.upgrade(RELEASE, await licensed(steward));
    const { messages } = await steward.untilEnd();
    expect(messages.at(-1)?.message).toMatch(
      /Between their previous and their new images: \d \([^)]*permissions[^)]*\)\. Their rollouts were begun and are left to the deployment; a retry begins a failed one again\./,
    );
    expect(messages.at(-1)?.message).not.toContain('Running other images');
    expect(messages.at(-1)?.message).toMatch(
      /This job updates 6 workloads in two steps, first to 11\.0\.2100 and then to 11\.0\.2187\. 2 are finished: they run the images of 11\.0\.2187, which may be the same as in 11\.0\.2100\. 1 run 11\.0\.2100 and wait for the second step\. \d still run 10\.9\.1\.1800\./,
    );
  });
});
