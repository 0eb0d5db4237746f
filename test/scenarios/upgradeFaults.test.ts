import { afterAll, describe, expect, test } from 'vitest';
import type { FinalHook } from '../support/upgrades/faultCases.ts';
import { EARLY_HOOKS, FINAL_HOOKS } from '../support/upgrades/faultCases.ts';
import type { NewFault } from '../../src/drivers/simulated/state/injectedFault.ts';
import type { Inventory } from '../../src/model/workload.ts';
import type { Message, Status, UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
/** Workloads in the last wave of the patch and of the release. */
const [LATER, LAST] = ['report-scheduler', 'portal-themes'];

let steward: UpgradeServer;

const servers = sharedServers();

async function start(options: Parameters<typeof servers.start>[0] = {}): Promise<UpgradeServer> {
  steward = await servers.start(options);
  return steward;
}
afterAll(() => servers.close());

const refill = (inventory: Inventory): Promise<void> => steward.simulated.fill(inventory);

const saidOf = ({ messages }: Status, code: number): Message | undefined =>
  messages.findLast((one) => one.code === code);
const codesOf = ({ messages }: Status): readonly unknown[] => messages.map(({ code }) => code);

/** The system stays closed, and says why instead of 2166. */
async function expectClosed(status: Status, why: number, last: number): Promise<void> {
  expect(codesOf(status).slice(-2)).toEqual([why, last]);
  expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: true });
}

/** Holds after every end except success and a failure that leaves the system between two versions. */
async function expectEnded(status: Status, last: number): Promise<void> {
  const codes = codesOf(status);
  expect(codes.slice(-2)).toEqual([CODE.readOnlyLeft, last]);
  for (const code of [CODE.upgradeCompleted, CODE.upgradeSucceeded]) expect(codes).not.toContain(code);
  expect(await steward.must('/admin/mode')).toEqual({ isReadOnly: false, message: '' });
}

async function expectCause(status: Status, ...words: readonly (string | RegExp)[]): Promise<void> {
  const { message: cause = '', when = 0 } = saidOf(status, CODE.stepFailed) ?? {};
  const { message: todo = '' } = saidOf(status, CODE.advice) ?? {};
  for (const word of words) expect(cause).toMatch(word);
  expect(todo).toMatch(/^What to do: \w.*\.$/s);
  expect(codesOf(status).indexOf(CODE.advice)).toBe(codesOf(status).indexOf(CODE.stepFailed) + 1);
  expect(when).toBeLessThanOrEqual(steward.clock.now());
}

async function systemState() {
  const { database, volumes } = await steward.simulated.inventory();
  return { images: await steward.images(), database, volumes };
}

describe('[UPG13] a fault before the point of no return', () => {
  const OF_ROLLOUT: readonly (readonly [NewFault['kind'], RegExp])[] = [
    ['imageAbsent', /no image/],
    ['imageUnpullable', /cannot pull/],
    ['checksumDiffers', /manifest/],
    ['crashLoop', /exit code 1/],
    ['conflict', /demo-gitops-controller/],
    ['putBack', /changed by .demo-gitops-controller./],
    ['slow', /not done within 5 s.* 0 of \d replicas/],
  ];

  test.each(OF_ROLLOUT)('[UPG12] the fault %s in a later wave undoes everything', async (kind, words) => {
    const { upgrade, untilSaid, untilEnd, simulated, must } = await start({ areas: { upgradeDeadlineSeconds: 5 } });
    const before = await systemState();
    const id = await upgrade(PATCH);
    await untilSaid(CODE.planExecuting);
    const fault = await simulated.addFault({ kind, workload: LATER });
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectEnded(status, CODE.rolledBack);
    await expectCause(status, LATER, words);
    expect(saidOf(status, CODE.undoStarted)).toBeDefined();
    expect(saidOf(status, CODE.workloadRestored)?.message).toMatch(/registry.demo.invalid\/product\/[\w-]+:10\.9\.1@/);
    expect(saidOf(status, CODE.rolledBack)?.message).toContain('10.9.1.1800 as before');
    await simulated.removeFaults(fault.id);
    expect(await systemState()).toEqual(before);
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({
      fullVersion: '10.9.1.1800',
      unfinished: null,
    });
    expect((await steward.post(`/admin/system/jobs/${id}/retry`)).status).toBe(409);
    // Without the fault the same version can be installed.
    await upgrade(PATCH);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
  });

  test.each(['readOnly', 'promote', 'engine', 'afterEngine'] as const)(
    'a database that fails at %s undoes everything',
    async (phase) => {
      const { upgrade, untilEnd, simulated } = await start();
      const before = await systemState();
      const fault = await simulated.addFault({ kind: 'databaseDown', phase });
      await upgrade(RELEASE, await licensed(steward));
      const status = await untilEnd();
      expect(status.state).toBe('rolled_back');
      await expectEnded(status, CODE.rolledBack);
      await expectCause(status, phase, 'FATAL');
      expect(saidOf(status, CODE.databaseRestored)?.message).toContain('database-a');
      expect(codesOf(status)).not.toContain(CODE.pointOfNoReturn);
      await simulated.removeFaults(fault.id);
      expect(await systemState()).toEqual(before);
    },
  );

  test.each(EARLY_HOOKS)('a failing hook %s undoes everything', async (hook) => {
    const { upgrade, untilEnd, simulated } = await start();
    const before = await systemState();
    await simulated.addFault({ kind: 'hookFails', hook });
    await upgrade(RELEASE, await licensed(steward));
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectEnded(status, CODE.rolledBack);
    await expectCause(status, hook, 'exit code 1');
    for (const code of [CODE.indexPrerequisitePassed, CODE.backupCompleted, CODE.databaseUpgradeStarted].slice(
      hook === 'backup' ? 1 : 0,
    ))
      expect(codesOf(status)).not.toContain(code);
    expect((await systemState()).images).toEqual(before.images);
  });

  test.each([
    ['quota', 'quota'],
    ['diskFull', 'disk of node-3 is full'],
  ] as const)('[UPG12] the fault %s is found by the diagnostics, and nothing is changed', async (kind, words) => {
    const { upgrade, untilEnd, simulated } = await start();
    const before = await systemState();
    await upgrade(PATCH);
    await simulated.addFault({ kind });
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectEnded(status, CODE.rolledBack);
    await expectCause(status, words);
    expect(saidOf(status, CODE.checkFailed)?.message).toContain(words);
    expect(saidOf(status, CODE.diagnosticsCompleted)?.message).toMatch(/0 with a warning, 1 failed\.$/);
    expect(saidOf(status, CODE.rolledBack)?.message).toMatch(/nothing/i);
    expect(await systemState()).toEqual(before);
  });

  test('[UPG12] a missing image is reported within 5 s after the diagnostics began', async () => {
    const { upgrade, untilEnd, simulated } = await start();
    await upgrade(PATCH);
    await simulated.addFault({ kind: 'imageAbsent', workload: LATER });
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectCause(status, '1 of 2 images', `${LATER}:10.9.1.1842`, 'is missing');
    expect(
      (saidOf(status, CODE.stepFailed)?.when ?? 0) - (saidOf(status, CODE.diagnosticsStarted)?.when ?? 0),
    ).toBeLessThan(5000);
  });

  test('[UPG12] an image that is removed from the registry later is reported within 5 s after the rollout began', async () => {
    const { upgrade, untilEnd, untilSaid, simulated } = await start();
    await simulated.changeSettings({ rolloutMs: 60_000 });
    await upgrade(PATCH);
    await untilSaid(CODE.planExecuting);
    await simulated.addFault({ kind: 'imageAbsent', workload: LATER });
    const status = await untilEnd();
    expect(
      (saidOf(status, CODE.stepFailed)?.when ?? 0) - (saidOf(status, CODE.workloadUpdated)?.when ?? 0),
    ).toBeLessThan(5000);
  });

  test('[UPG18] an image that another controller changes back is reported within seconds, even if its rollout takes long', async () => {
    const { upgrade, untilEnd, untilSaid, simulated } = await start();
    await upgrade(PATCH);
    await untilSaid(CODE.planExecuting);
    await simulated.changeSettings({ rolloutMs: 60_000 });
    await simulated.addFault({ kind: 'putBack', workload: LATER });
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectCause(status, LATER, /changed by .demo-gitops-controller./);
    expect(saidOf(status, CODE.advice)?.message).toBe(
      'What to do: Stop what writes as `demo-gitops-controller` for the time of the job, or change the image in its source.',
    );
    expect(
      (saidOf(status, CODE.stepFailed)?.when ?? 0) - (saidOf(status, CODE.workloadUpdated)?.when ?? 0),
    ).toBeLessThan(5000);
  });

  test('[UPG18] another manager of a workload is found by the diagnostics, and nothing is forced', async () => {
    const { upgrade, untilEnd, simulated } = await start();
    await upgrade(PATCH);
    const inventory = await simulated.inventory();
    const workloads = inventory.workloads.map((one) =>
      one.name === LATER ? { ...one, managers: [{ name: 'some-gitops', reconciles: true }] } : one,
    );
    await refill({ ...inventory, workloads });
    const before = await systemState();
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectCause(status, LATER, 'some-gitops');
    expect(saidOf(status, CODE.advice)?.message).toContain('Pause');
    expect(await systemState()).toEqual(before);
  });

  test('a rollback that fails leaves the patch installed', async () => {
    const { upgrade, untilEnd, untilSaid, simulated, must } = await start();
    await upgrade(PATCH);
    await untilEnd();
    const before = await systemState();
    await must('/admin/system/upgrades/rollback', { versionManifest: PATCH });
    await untilSaid(CODE.planExecuting);
    const fault = await simulated.addFault({ kind: 'crashLoop', workload: LATER });
    const status = await untilEnd();
    expect(status.state).toBe('rolled_back');
    await expectEnded(status, CODE.rolledBack);
    await expectCause(status, LATER);
    await simulated.removeFaults(fault.id);
    expect(await systemState()).toEqual(before);
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({ id: PATCH });
  });

  test('a job that cannot undo a workload says so, and a retry undoes the rest', async () => {
    const { upgrade, untilEnd, untilSaid, simulated, must } = await start();
    const before = await systemState();
    const id = await upgrade(PATCH);
    await untilSaid(CODE.planExecuting);
    const faults = [
      await simulated.addFault({ kind: 'crashLoop', workload: LATER }),
      await simulated.addFault({ kind: 'conflict', workload: 'object-store' }),
    ];
    const status = await untilEnd();
    expect(status.state).toBe('failed');
    await expectClosed(status, CODE.readOnlyKeptAfterFailure, CODE.undoIncomplete);
    expect(saidOf(status, CODE.undoFailed)?.message).toContain('object-store');
    expect(saidOf(status, CODE.undoIncomplete)?.message).toContain(`system/jobs/${id}/retry`);
    for (const fault of faults) await simulated.removeFaults(fault.id);
    await must(`/admin/system/jobs/${id}/retry`);
    const again = await untilEnd();
    expect(again.state).toBe('rolled_back');
    await expectEnded(again, CODE.rolledBack);
    expect(await systemState()).toEqual(before);
  });

  test.each([true, false])(
    '[UPG30] a rollback that was retried says to remove the fault that caused it only if the fault is still there: %s',
    async (isThere) => {
      const { upgrade, untilEnd, untilSaid, simulated, must } = await start();
      const id = await upgrade(PATCH);
      await untilSaid(CODE.planExecuting);
      const cause = await simulated.addFault({ kind: 'crashLoop', workload: LATER });
      const other = await simulated.addFault({ kind: 'conflict', workload: 'object-store' });
      expect((await untilEnd()).state).toBe('failed');
      for (const { id: fault } of isThere ? [other] : [other, cause]) await simulated.removeFaults(fault);
      await must(`/admin/system/jobs/${id}/retry`);
      const status = await untilEnd();
      expect(status.state).toBe('rolled_back');
      const { failure } = await must(`/admin/system/jobs/${id}`);
      const remove = { action: 'removeFault', parameters: { fault: cause.id } };
      const named = isThere ? [remove] : [];
      expect(failure.nextActions.filter(({ action }: { readonly action: string }) => action === 'removeFault')).toEqual(
        named,
      );
      const texts = [failure.advice, saidOf(status, CODE.rolledBack)?.message ?? ''];
      for (const text of texts) expect(text.includes(cause.id)).toBe(isThere);
    },
  );
});

/** The title of the step that runs each final hook. */
const HOOK_TITLES: Readonly<Record<FinalHook, string>> = {
  'portal-content': 'Update portal content',
  logging: 'Post-upgrade operations for logging',
  'auto-deployed-services': 'Refresh auto-deployed services',
  'search-indices': 'Refresh the search indices',
};

/** What the last message says of the workloads: a fault before, in the middle of, or after their update. */
function censusOf({ kind }: NewFault): RegExp {
  if (kind === 'databaseDown') return /Of the (\d+) .* 0 run 11\.0\.2187 and \1 run 10\.9\.1\.1800\./;
  return kind === 'hookFails'
    ? /Of the (\d+) .* \1 run 11\.0\.2187 and 0 run 10\.9\.1\.1800\./
    : /This job updates 6 workloads in two steps, first to 11\.0\.2100 and then to 11\.0\.2187\. \d are finished/;
}

describe('[UPG13] a fault after the point of no return', () => {
  test.each([
    [{ kind: 'databaseDown', phase: 'readWrite' }, 'Set the new primary to read-write'],
    [{ kind: 'databaseDown', phase: 'roles' }, 'Announce the new roles'],
    [{ kind: 'databaseDown', phase: 'standby' }, 'Add the former primary as the new standby'],
    [{ kind: 'crashLoop', workload: LAST }, 'Update workloads to 11.0.2100'],
    [{ kind: 'imageUnpullable', workload: LAST }, 'Update workloads to 11.0.2100'],
    [{ kind: 'putBack', workload: LAST }, 'Update workloads to 11.0.2100'],
    [{ kind: 'slow', workload: LAST }, 'Update workloads to 11.0.2100'],
    ...FINAL_HOOKS.map((hook) => [{ kind: 'hookFails', hook }, HOOK_TITLES[hook]] as const),
  ] as const satisfies readonly (readonly [NewFault, string])[])('%j', async (fault, step) => {
    const { upgrade, untilEnd, simulated, must } = await start({ areas: { upgradeDeadlineSeconds: 5 } });
    const { id: faultId } = await simulated.addFault(fault);
    const id = await upgrade(RELEASE, await licensed(steward));
    const status = await untilEnd();
    expect(status).toMatchObject({ state: 'failed', code: 2 });
    // A database whose new primary does not start accepts no writes.
    const isDown = fault.kind === 'databaseDown' && fault.phase !== 'standby';
    await expectClosed(status, isDown ? CODE.readOnlyKept : CODE.readOnlyKeptAfterFailure, CODE.upgradeStopped);
    await expectCause(status, fault.kind === 'databaseDown' ? fault.phase : 'workload' in fault ? LAST : fault.hook);
    for (const words of ['from 10.9.1.1800 to 11.0.2187', step, `system/jobs/${id}/retry`])
      expect(saidOf(status, CODE.upgradeStopped)?.message).toContain(words);
    expect(saidOf(status, CODE.upgradeStopped)?.message).toMatch(censusOf(fault));
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({
      fullVersion: '10.9.1.1800',
      unfinished: { id: RELEASE, to: '11.0.2187', jobId: id },
    });
    await simulated.removeFaults(faultId);
    await must(`/admin/system/jobs/${id}/retry`);
    expect(await must('/admin/mode')).toMatchObject({ isReadOnly: true });
    const ended = await untilEnd();
    expect(ended.state).toBe('success');
    const codes = codesOf(ended);
    expect(codes.slice(-3)).toEqual([CODE.readOnlyLeft, CODE.upgradeCompleted, CODE.upgradeSucceeded]);
    expect(codes.slice(status.messages.length, status.messages.length + 2)).toEqual([
      CODE.retried,
      CODE.readOnlyEntered,
    ]);
    // Finished steps are neither repeated nor reported again.
    for (const code of [
      CODE.upgradeStarted,
      CODE.upgraderLaunching,
      CODE.diagnosticsStarted,
      CODE.planExecuting,
      CODE.databaseUpgradeStarted,
      CODE.pointOfNoReturn,
      CODE.primarySetReadWrite,
      CODE.databaseUpgradeCompleted,
      CODE.portalContentCompleted,
      CODE.loggingSucceeded,
      CODE.searchIndicesCompleted,
    ])
      expect(codes.filter((one) => one === code)).toEqual([code]);
    const counts = ended.messages.flatMap(({ code, message }) =>
      code === CODE.releaseProgress ? [message.split(' deployments')[0]] : [],
    );
    expect(counts).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${n} out of 6`));
    expect(await must('/admin/system/upgrades/currentVersion')).toMatchObject({
      fullVersion: '11.0.2187',
      unfinished: null,
    });
    expect((await simulated.inventory()).workloads.every(({ trouble }) => trouble === undefined)).toBe(true);
  });

  test('a retry with the same fault fails again, and can be retried', async () => {
    const { upgrade, untilEnd, simulated, must, status } = await start();
    await simulated.addFault({ kind: 'hookFails', hook: 'logging', times: 2 });
    const id = await upgrade(RELEASE, await licensed(steward));
    await untilEnd();
    await must(`/admin/system/jobs/${id}/retry`);
    const second = await untilEnd();
    expect(second.state).toBe('failed');
    expect(codesOf(second).filter((code) => code === CODE.stepFailed)).toHaveLength(2);
    await must(`/admin/system/jobs/${id}/retry`);
    await untilEnd();
    expect((await status()).state).toBe('success');
  });
});

describe('a fault that passes', () => {
  test.each([
    { kind: 'nodeLost', workload: 'object-store', seconds: 10 },
    { kind: 'apiErrors', seconds: 10 },
  ] as const)('%j', async (fault) => {
    const { upgrade, untilEnd, untilSaid, simulated } = await start();
    await upgrade(PATCH);
    if (fault.kind === 'apiErrors') await untilSaid(CODE.workloadUpdated);
    await simulated.addFault(fault);
    const status = await untilEnd();
    expect(status.state).toBe('success');
    expect((status.messages.at(-1)?.when ?? 0) - (status.messages[0]?.when ?? 0)).toBeGreaterThan(10_000);
  });

  test('[UPG12] a step that takes long is reported after 10 s and then once a minute, with the time at which it is given up', async () => {
    const { upgrade, untilEnd, simulated, pass } = await start({ areas: { upgradeDeadlineSeconds: 150 } });
    await simulated.addFault({ kind: 'slow', workload: LATER });
    await upgrade(PATCH);
    await pass(1000);
    const status = await untilEnd();
    const waiting = status.messages.filter(({ code }) => code === CODE.stillWaiting);
    expect(waiting).toHaveLength(3);
    expect(waiting[0]?.message).toMatch(/report-scheduler.* 0 of \d replicas.* 2026-01-01T00:02:\d\d/);
    expect(status.state).toBe('rolled_back');
    expect(saidOf(status, CODE.advice)?.message).toMatch(
      /^What to do: Correct what keeps the newest replica from being ready\. This fault is simulated: remove it with .* If it only needs longer, raise STEWARD_UPGRADE_DEADLINE_SECONDS \(now 150\) and restart the server\.$/,
    );
  });

  test('[K1] [UPG13] at the time limit the last known trouble keeps its cause, its log lines and its advice', async () => {
    const { upgrade, untilEnd, simulated } = await start({ areas: { upgradeDeadlineSeconds: 20 } });
    await simulated.addFault({ kind: 'slow', workload: LATER });
    await upgrade(PATCH);
    const { message = '' } = (await untilEnd()).messages.at(-1) ?? {};
    expect(message).toMatch(
      /was not done within 20 s.*: 0 of \d replicas .* its readiness probe GET \/ready answers 503/,
    );
    expect(message).toContain('[simulated] GET /ready 503: waiting for the cache');
    expect(message).toContain('What to do: Correct what keeps the newest replica from being ready.');
    expect(message).not.toContain('does not know why');
  });

  test('[K1] a trouble that was seen before the deployment stopped answering is shown at the time limit', async () => {
    const { upgrade, untilEnd, untilSaid, simulated } = await start({ areas: { upgradeDeadlineSeconds: 20 } });
    await simulated.addFault({ kind: 'slow', workload: LATER });
    await upgrade(PATCH);
    await untilSaid(CODE.stillWaiting);
    await simulated.addFault({ kind: 'apiErrors', seconds: 30 });
    const failed = saidOf(await untilEnd(), CODE.stepFailed)?.message;
    expect(failed).toMatch(/did not answer for 20 s.* Before that: 0 of \d replicas .* answers 503/s);
  });
});
