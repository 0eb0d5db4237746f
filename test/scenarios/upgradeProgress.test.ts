import { describe, expect, test } from 'vitest';
import type { LogFields } from '../../src/foundation/log.ts';
import { DAY } from '../../src/foundation/clock.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { serversForTests } from '../support/upgrades/serversForTests.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const UPGRADES = '/admin/system/upgrades';

let steward: UpgradeServer;

const servers = serversForTests();

async function start(): Promise<UpgradeServer> {
  steward = await servers.own();
  return steward;
}

interface Step {
  readonly step: string;
  readonly title: string;
  readonly state: string;
  readonly canBeUndone: boolean;
  readonly progress: { readonly done: number; readonly total: number };
}

async function stepStates(): Promise<Readonly<Record<string, string>>> {
  const steps: readonly Step[] = (await steward.must(UPGRADES)).job.steps;
  return Object.fromEntries(steps.map(({ step, state }) => [step, state]));
}

describe('[UPG23] the steps of a job', () => {
  test('a job shows its steps with their state while it runs', async () => {
    const { upgrade, untilSaid, untilEnd, must } = await start();
    const id = await upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: false }));
    expect((await must(UPGRADES)).job.steps).toEqual([]);
    await untilSaid(CODE.engineUpgradeStarted);
    const states = await stepStates();
    expect(Object.keys(states)).toEqual([
      'licence',
      'hook/backup',
      ...'readOnly,promote,engine,afterEngine,readWrite,roles,standby'.split(',').map((phase) => `database/${phase}`),
      'release',
      ...'portal-content,logging,auto-deployed-services,search-indices'.split(',').map((hook) => `hook/${hook}`),
    ]);
    expect(states).toMatchObject({ 'hook/backup': 'done', 'database/engine': 'running', release: 'pending' });
    const { steps } = await must(`/admin/system/jobs/${id}`);
    expect(steps.find(({ step }: Step) => step === 'release')).toEqual({
      step: 'release',
      title: 'Update workloads to 11.0.2100',
      state: 'pending',
      canBeUndone: false,
      progress: { done: 0, total: 6 },
    });
    await untilEnd();
    expect(new Set(Object.values(await stepStates()))).toEqual(new Set(['done']));
  });

  test('a job that was rolled back shows what was undone and what was never begun', async () => {
    const { upgrade, untilEnd, simulated } = await start();
    await simulated.addFault({ kind: 'databaseDown', phase: 'engine' });
    await upgrade(RELEASE, await licensed(steward));
    await untilEnd();
    expect(await stepStates()).toMatchObject({
      licence: 'done',
      'hook/backup': 'done',
      'database/readOnly': 'undone',
      'database/engine': 'undone',
      'database/readWrite': 'pending',
      release: 'pending',
    });
  });

  test('a job that stopped after the point of no return shows where', async () => {
    const { upgrade, untilEnd, simulated } = await start();
    await simulated.addFault({ kind: 'hookFails', hook: 'logging' });
    await upgrade(RELEASE, await licensed(steward));
    await untilEnd();
    expect(await stepStates()).toMatchObject({
      'hook/portal-content': 'done',
      'hook/logging': 'stopped',
      'hook/search-indices': 'pending',
    });
  });
});

describe('[UPG23] the reason why a job has ended', () => {
  const lastReason = async (): Promise<unknown> => {
    const { id, reason, endedAt } = (await steward.must(UPGRADES)).job;
    expect((await steward.must(`/admin/system/jobs/${id}`)).reason).toBe(reason);
    // While a job runs, the history is closed.
    if (endedAt !== null) expect((await steward.must(`${UPGRADES}/history`)).updates[0]).toMatchObject({ id, reason });
    return reason;
  };

  test('the reason tells success, failed checks, a fault and a cancel apart', async () => {
    const { upgrade, untilEnd, untilSaid, simulated, must } = await start();
    await upgrade(PATCH);
    await simulated.addFault({ kind: 'quota' });
    expect(await lastReason()).toBeNull();
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect(await lastReason()).toBe('checksFailed');
    await simulated.removeFaults(undefined);

    await simulated.addFault({ kind: 'crashLoop' });
    await upgrade(PATCH);
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect(await lastReason()).toBe('failed');
    await simulated.removeFaults(undefined);

    const id = await upgrade(PATCH);
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/cancel`);
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
    expect(await lastReason()).toBe('cancelled');

    await upgrade(PATCH);
    expect(await untilEnd()).toMatchObject({ state: 'success' });
    expect(await lastReason()).toBe('completed');
  });

  test('a job that is retried has no reason until it ends again', async () => {
    const { upgrade, untilEnd, simulated, must } = await start();
    await simulated.addFault({ kind: 'hookFails', hook: 'logging' });
    const id = await upgrade(RELEASE, await licensed(steward));
    await untilEnd();
    expect(await lastReason()).toBe('failed');
    await simulated.removeFaults(undefined);
    await must(`/admin/system/jobs/${id}/retry`);
    expect(await lastReason()).toBeNull();
    await untilEnd();
    expect(await lastReason()).toBe('completed');
  });
});

test('[UPG23] a job has the same fields wherever it is shown', async () => {
  const { upgrade, untilEnd, must } = await start();
  const id = await upgrade(PATCH);
  await untilEnd();
  const { job } = await must(UPGRADES);
  const { messages: _messages, state, code, ...item } = await must(`/admin/system/jobs/${id}`);
  expect(item).toEqual(job);
  expect([state, code]).toEqual(['success', 3]);
  const { steps: _steps, ...listed } = { state, code, ...job };
  expect((await must('/admin/system/jobs')).jobs).toEqual([listed]);
  expect((await must(`${UPGRADES}/history`)).updates).toEqual([listed]);
});

test('[UPG23] the page of the upgrade has the job first and the newest message on top', async () => {
  const { upgrade, untilEnd, post } = await start();
  await upgrade(PATCH);
  await untilEnd();
  const { text } = await post(UPGRADES, { f: 'html' });
  expect(text.indexOf('<th scope="row">reason</th><td>completed</td>')).toBeGreaterThan(0);
  expect(text.indexOf('<td>completed</td>')).toBeLessThan(text.indexOf('Deployment upgraded successfully'));
  expect(text.indexOf('Deployment upgraded successfully')).toBeLessThan(text.indexOf('Upgrade from 10.9.1.1800'));
});

test('[UPG23] the server logs the start, a pause and the end of a job, with what it was and why it ended', async () => {
  const lines: LogFields[] = [];
  const keep = (fields: LogFields, message: string): void => void lines.push({ ...fields, message });
  const log = { debug: keep, info: keep, warn: keep, error: keep, request: () => undefined };
  steward = await servers.own({ areas: { log } });
  const { upgrade, untilEnd, untilSaid, until, must } = steward;
  const id = await upgrade(PATCH);
  await untilSaid(CODE.workloadUpdated);
  await must(`/admin/system/jobs/${id}/pause`);
  await until(({ state }) => state === 'paused');
  await must(`/admin/system/jobs/${id}/cancel`);
  await untilEnd();
  const ofJob = lines.filter(({ job }) => job === id);
  const common = { job: id, kind: 'upgrade', from: '10.9.1.1800', to: '10.9.1.1842' };
  expect(ofJob).toMatchObject([
    { ...common, state: 'in_progress', reason: null, message: 'the job has started' },
    { ...common, state: 'paused', message: 'the job is paused; the system stays in read-only mode' },
    { ...common, state: 'rolling_back', reason: 'cancelled', message: 'the job is being rolled back' },
    { ...common, state: 'rolled_back', reason: 'cancelled', message: 'the job has ended' },
  ]);
});

describe('[UPG5] requests that contradict each other', () => {
  test('a job that was cancelled cannot be paused', async () => {
    const { upgrade, untilSaid, untilEnd, must, post, simulated } = await start();
    await simulated.changeSettings({ rolloutMs: 5000 });
    const id = await upgrade(PATCH);
    await untilSaid(CODE.workloadUpdated);
    await must(`/admin/system/jobs/${id}/cancel`);
    const { status, body } = await post(`/admin/system/jobs/${id}/pause`);
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('it was cancelled')]);
    expect(await untilEnd()).toMatchObject({ state: 'rolled_back' });
  });
});

test('[UPG10] a jump of the clock during a job does not spoil later estimates', async () => {
  const { upgrade, untilEnd, untilSaid, must, clock, simulated } = await start();
  const before = (await must(`${UPGRADES}/plan`, { versionManifest: PATCH })).estimate.totalMs;
  await simulated.changeSettings({ rolloutMs: 5000 });
  await upgrade(PATCH);
  await untilSaid(CODE.workloadUpdated);
  clock.advance(DAY);
  await untilEnd();
  await steward.reset();
  const { totalMs } = (await must(`${UPGRADES}/plan`, { versionManifest: PATCH })).estimate;
  expect(totalMs).toBeLessThan(before + 60_000);
});
