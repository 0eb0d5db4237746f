import { afterAll, describe, expect, test } from 'vitest';
import type { Hook } from '../../src/model/hook.ts';
import { HOOKS } from '../../src/model/hook.ts';
import { MESSAGES } from '../../src/upgrades/journal/messages.ts';
import type { Message, UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';

let steward: UpgradeServer;

const servers = sharedServers();

async function start(options: Parameters<typeof servers.start>[0] = {}): Promise<UpgradeServer> {
  steward = await servers.start(options);
  return steward;
}
afterAll(() => servers.close());

const isOurs = (code = 0): boolean => code >= 2900 && code <= 2999;
const ofInterface = (messages: readonly Message[]): readonly unknown[] =>
  messages.map(({ code }) => code).filter((code) => !isOurs(code));

interface Change {
  readonly workload: string;
  readonly component: string;
  readonly module: string;
}

interface Step {
  readonly step: string;
  readonly waves?: readonly (readonly Change[])[];
}

/** The changes of a rollout in the order in which they are made one by one. */
const changesOf = (steps: readonly Step[], step: string): readonly Change[] =>
  steps.find((one) => one.step === step)?.waves?.flat() ?? [];

const patchCodes = (changes: readonly Change[]): readonly number[] =>
  changes.flatMap(({ module }, n) => [
    ...(changes.findIndex((one) => one.module === module) === n ? [CODE.modulePatchStarted] : []),
    CODE.workloadUpdated,
    CODE.patchProgress,
  ]);

const releaseCodes = (changes: readonly Change[]): readonly number[] =>
  changes.flatMap(({ component }, n) => [
    ...(changes.findIndex((one) => one.component === component) === n ? [CODE.componentStarted] : []),
    CODE.deploymentStarted,
    CODE.workloadUpdated,
    CODE.deploymentCompleted,
    CODE.releaseProgress,
    ...(changes.findLastIndex((one) => one.component === component) === n ? [CODE.componentCompleted] : []),
  ]);

const DATABASE = [
  CODE.databaseUpgradeStarted,
  CODE.primarySetReadOnly,
  CODE.standbyPromoted,
  CODE.engineUpgradeStarted,
  CODE.engineUpgradeFinished,
  CODE.databaseResult,
  CODE.databasePostUpgradeStarted,
  CODE.databasePostUpgradeCompleted,
  CODE.primarySetReadWrite,
  CODE.rolesChanged,
  CODE.standbyAdded,
  CODE.databaseUpgradeCompleted,
];
const AFTERWARDS = [
  CODE.portalContentStarted,
  CODE.portalContentCompleted,
  CODE.postUpgradeStarted,
  CODE.loggingStarted,
  CODE.loggingSucceeded,
  CODE.servicesRefreshStarted,
  CODE.servicesRefreshCompleted,
  CODE.searchIndicesStarted,
  CODE.searchIndicesCompleted,
];
const START = [CODE.upgradeStarted, CODE.readOnlyEntered, CODE.upgraderLaunching, CODE.diagnosticsStarted];
const END = [CODE.readOnlyLeft, CODE.upgradeCompleted, CODE.upgradeSucceeded];
const ONE_BY_ONE = { areas: { upgradeParallel: 1 } };

/** Section 2.4 of the interface. */
const CODES = [
  CODE.upgradeStarted,
  CODE.upgradeCompleted,
  CODE.upgradeSucceeded,
  CODE.readOnlyEntered,
  CODE.readOnlyLeft,
  CODE.upgraderLaunching,
  CODE.planPreparing,
  CODE.planExecuting,
  CODE.diagnosticsStarted,
  CODE.diagnosticsCompleted,
  CODE.databaseValidated,
  CODE.indexPrerequisitePassed,
  CODE.modulePatchStarted,
  CODE.patchProgress,
  CODE.releaseProgress,
  CODE.databaseUpgradeStarted,
  CODE.databaseUpgradeCompleted,
  CODE.primarySetReadOnly,
  CODE.standbyPromoted,
  CODE.standbyAdded,
  CODE.primarySetReadWrite,
  CODE.engineUpgradeStarted,
  CODE.engineUpgradeFinished,
  CODE.databaseResult,
  CODE.databasePostUpgradeStarted,
  CODE.databasePostUpgradeCompleted,
  CODE.rolesChanged,
  CODE.componentStarted,
  CODE.componentCompleted,
  CODE.workloadUpdated,
  CODE.deploymentStarted,
  CODE.deploymentCompleted,
  CODE.portalContentStarted,
  CODE.portalContentCompleted,
  CODE.postUpgradeStarted,
  CODE.loggingStarted,
  CODE.loggingSucceeded,
  CODE.servicesRefreshStarted,
  CODE.servicesRefreshCompleted,
  CODE.searchIndicesStarted,
  CODE.searchIndicesCompleted,
];

describe('[UPG15] the order of messages', () => {
  test('a patch sends its messages in the order of the interface', async () => {
    const { must, upgrade, untilEnd } = await start({ ...ONE_BY_ONE, workloads: 48 });
    const { steps } = await must('/admin/system/upgrades/plan', { versionManifest: PATCH });
    const changes = changesOf(steps, 'patch');
    expect(changes).toHaveLength(12);
    await upgrade(PATCH);
    const { messages } = await untilEnd();
    expect(messages.map(({ code }) => code)).toEqual([
      ...START,
      CODE.diagnosticsCompleted,
      CODE.planPreparing,
      CODE.planExecuting,
      ...patchCodes(changes),
      ...END,
    ]);
    const modules = messages.filter(({ code }) => code === CODE.modulePatchStarted).map(({ message }) => message);
    expect(modules).toEqual([...new Set(changes.map(({ module }) => `Patch update of the module ${module} started.`))]);
    const updated = messages
      .filter(({ code }) => code === CODE.workloadUpdated)
      .map(({ message }) => message.split(' ')[2]);
    expect(updated).toEqual(changes.map(({ workload }) => workload));
  });

  test.each([true, false])(
    'a release with the latest patch sends its messages in the order of the interface: %s',
    async (updateToLatestPatch) => {
      const { must, upgrade, untilEnd } = await start({ ...ONE_BY_ONE, workloads: 12 });
      const fields = await licensed(steward, { updateToLatestPatch });
      const { steps } = await must('/admin/system/upgrades/plan', { versionManifest: RELEASE, ...fields });
      await upgrade(RELEASE, fields);
      const { messages } = await untilEnd();
      expect(ofInterface(messages)).toEqual([
        ...START,
        CODE.databaseValidated,
        CODE.indexPrerequisitePassed,
        CODE.diagnosticsCompleted,
        CODE.planPreparing,
        CODE.planExecuting,
        ...DATABASE,
        ...releaseCodes(changesOf(steps, 'release')),
        ...patchCodes(changesOf(steps, 'patch')),
        ...AFTERWARDS,
        ...END,
      ]);
      expect(changesOf(steps, 'patch').length > 0).toBe(updateToLatestPatch);
      expect(messages.map(({ code }) => code).filter(isOurs)).toEqual([
        CODE.licenceDelivered,
        CODE.backupStarted,
        CODE.backupCompleted,
        CODE.pointOfNoReturn,
      ]);
    },
  );

  test('parallel workloads keep the order of messages of each workload and component', async () => {
    const { upgrade, untilEnd } = await start({ workloads: 48 });
    await upgrade(RELEASE, await licensed(steward));
    const { messages } = await untilEnd();
    const at = (code: number, name: string): number =>
      messages.findIndex((one) => one.code === code && one.message.split(/[\s.]/).includes(name));
    for (const { name, component } of (await steward.simulated.inventory()).workloads) {
      const places = [
        at(CODE.componentStarted, component),
        at(CODE.deploymentStarted, name),
        at(CODE.workloadUpdated, name),
        at(CODE.deploymentCompleted, name),
        at(CODE.componentCompleted, component),
      ];
      expect(places).not.toContain(-1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
    const counts = messages
      .filter(({ code }) => code === CODE.releaseProgress)
      .map(({ message }) => message.split(' deployments')[0]);
    expect(counts).toEqual(Array.from({ length: 48 }, (_, n) => `${n + 1} out of 48`));
  });

  test('[IFC27] [IFC28] [IFC29] [IFC30] [IFC31] [IFC32] all 41 codes of the interface are sent, and no others except those of Steward', async () => {
    expect(new Set(CODES).size).toBe(41);
    const { upgrade, untilEnd, must } = await start();
    await upgrade(RELEASE, await licensed(steward));
    const sent = new Set((await untilEnd()).messages.map(({ code }) => code));
    expect(CODES.filter((code) => !sent.has(code))).toEqual([]);
    await must('/admin/system/upgrades/rollback', { versionManifest: 'pat_11.0.2187' });
    for (const { code } of (await untilEnd()).messages) sent.add(code);
    expect([...sent].filter((code) => !CODES.includes(code ?? 0) && !isOurs(code))).toEqual([CODE.rollbackStarted]);
    const known: readonly number[] = Object.values(MESSAGES).map(({ code }) => code);
    expect(CODES.filter((code) => !known.includes(code))).toEqual([]);
    expect(known.filter((code) => !CODES.includes(code) && !isOurs(code))).toEqual([CODE.rollbackStarted]);
  });
});

describe('[UPG15] [UPG16] the content of messages', () => {
  test('[IFC33] messages have both versions, the true duration, and counters that rise to the total', async () => {
    const { upgrade, untilEnd, clock } = await start({ workloads: 12 });
    clock.advance(12_345);
    const started = clock.now();
    await upgrade(RELEASE, await licensed(steward));
    const { messages } = await untilEnd();
    const [first] = messages;
    expect(first).toMatchObject({ code: CODE.upgradeStarted, when: started });
    const said = (code: number): readonly Message[] => messages.filter((one) => one.code === code);
    for (const { message } of [...said(CODE.upgradeStarted), ...said(CODE.upgradeSucceeded)])
      expect(message).toContain('from 10.9.1.1800 to 11.0.2187');
    const took = clock.now() - started;
    const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
    expect(said(CODE.upgradeCompleted)[0]?.message).toBe(
      `Upgrade completed in 00 hh ${two(took / 60_000)} min ${two((took % 60_000) / 1000)} sec ${String(took % 1000).padStart(3, '0')} millisec.`,
    );
    for (const [code, total] of [
      [CODE.releaseProgress, 12],
      [CODE.patchProgress, 4],
    ] as const) {
      expect(said(code)).toHaveLength(total);
      for (const [n, { message, when }] of said(code).entries()) {
        const ms = when - started;
        expect(message).toBe(
          `${n + 1} out of ${total} deployments updated. Elapsed: ${ms} ms, approximately ${(ms / 60_000).toFixed(1)} min.`,
        );
      }
    }
    const times = messages.map(({ when }) => when);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const result = JSON.parse(said(CODE.databaseResult)[0]?.message ?? '');
    expect(result.databases.length).toBeGreaterThan(0);
    for (const one of result.databases) expect(one).toEqual({ name: expect.any(String), status: 'upgraded' });
    for (const code of [CODE.upgradeStarted, CODE.upgradeSucceeded])
      expect(said(code)[0]?.message).toContain('simulated');
  });

  test('a duration of hours is shown with its hours', async () => {
    const { upgrade, until, untilEnd, clock, must } = await start();
    const id = await upgrade(PATCH);
    await must(`/admin/system/jobs/${id}/pause`);
    await until(({ state }) => state === 'paused');
    clock.advance(25 * 3_600_000 + 61_007);
    await must(`/admin/system/jobs/${id}/resume`);
    const { messages } = await untilEnd();
    expect(messages.at(-2)?.message).toMatch(/^Upgrade completed in 25 hh 01 min \d\d sec \d07 millisec\.$/);
  });
});

describe('[UPG17] the time of a message', () => {
  test('at every moment of a release, messages report only what has been done', async () => {
    const { upgrade, pass, status, simulated, versions } = await start();
    const checksums = (id: string) =>
      new Map(versions.find((one) => one.id === id)?.containers.map(({ name, checksum }) => [name, checksum]));
    const next = checksums(RELEASE);
    await upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
    for (;;) {
      // The deployment is read after the messages: a step may be done before its message, never after.
      const { state, messages } = await status();
      const { workloads, database } = await simulated.inventory();
      const running = new Map(workloads.map(({ name, images }) => [name, images[0]?.checksum]));
      const has = (code: number): boolean => messages.some((one) => one.code === code);
      for (const { message } of messages.filter(({ code }) => code === CODE.deploymentCompleted)) {
        const name = message.split(' ')[5] ?? '';
        expect(running.get(name)).toBe(next.get(name));
      }
      const [a, b] = database?.instances ?? [];
      const isSo: readonly (readonly [code: number, boolean])[] = [
        [CODE.primarySetReadOnly, a?.isReadOnly === true],
        [CODE.standbyPromoted, a?.role === 'standby' && b?.role === 'primary'],
        [CODE.engineUpgradeFinished, b?.engine === '17'],
        [CODE.primarySetReadWrite, b?.isReadOnly === false],
        [CODE.standbyAdded, a?.engine === '17'],
      ];
      expect(isSo.filter(([code, isDone]) => has(code) && !isDone)).toEqual([]);
      if (state !== 'in_progress') break;
      await pass(100);
    }
  });

  test('without a hook, its step and its messages are left out, and the plan says so', async () => {
    const present: readonly Hook[] = ['backup', 'logging'];
    const absent = HOOKS.filter((hook) => !present.includes(hook));
    const { must, upgrade, untilEnd } = await start({ inventory: (inventory) => ({ ...inventory, hooks: present }) });
    const fields = await licensed(steward);
    const plan = await must('/admin/system/upgrades/plan', { versionManifest: RELEASE, ...fields });
    const hooks = plan.checks.find(({ name }: { name: string }) => name === 'hooks');
    expect(hooks).toMatchObject({
      verdict: 'warn',
      text: `These hooks do not exist, so their steps and messages are left out: ${absent.join(', ')}.`,
    });
    await upgrade(RELEASE, fields);
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    const codes = messages.map(({ code }) => code);
    const ofLogging = [CODE.postUpgradeStarted, CODE.loggingStarted, CODE.loggingSucceeded];
    const ofAbsent = [CODE.indexPrerequisitePassed, ...AFTERWARDS.filter((code) => !ofLogging.includes(code))];
    for (const code of ofAbsent) expect(codes).not.toContain(code);
    expect(codes.slice(-6)).toEqual([...ofLogging, ...END]);
    expect(codes).toContain(CODE.checkWarned);
  });

  test('without a database there are no messages about it', async () => {
    const { upgrade, untilEnd } = await start({ inventory: (inventory) => ({ ...inventory, database: undefined }) });
    await upgrade(RELEASE, await licensed(steward));
    const { state, messages } = await untilEnd();
    expect(state).toBe('success');
    const codes = new Set(messages.map(({ code }) => code));
    expect([CODE.databaseValidated, ...DATABASE].filter((code) => codes.has(code))).toEqual([]);
  });
});
