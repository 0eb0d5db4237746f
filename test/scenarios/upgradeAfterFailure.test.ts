import { afterAll, describe, expect, test } from 'vitest';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import { localActor } from '../../src/model/actor.ts';
import { DAY, MINUTE } from '../../src/foundation/clock.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { licensed, settings } from '../support/upgrades/upgradeFields.ts';

const RELEASE = 'rel_11.0';
const PATCH = 'pat_11.0.2187';
const NEXT = 'rel_11.1';

const servers = sharedServers();
let steward: UpgradeServer;
afterAll(() => servers.close());

async function failedBy(
  fault: Parameters<UpgradeServer['simulated']['addFault']>[0],
  toLatest = false,
): Promise<string> {
  steward = await servers.start();
  await steward.simulated.addFault(fault);
  const id = await steward.upgrade(RELEASE, await licensed(steward, { updateToLatestPatch: toLatest }));
  expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
  await steward.simulated.removeFaults(undefined);
  return id;
}

const ask = (id: string) =>
  steward.post('/admin/system/upgrades/upgrade', { versionManifest: id, upgradeSettings: '{}' });

test('[UPG6] the latest job is the one that was started last, even if the clock was set back', async () => {
  steward = await servers.start();
  const first = await steward.upgrade('pat_10.9.1.1842');
  expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  steward.clock.advance(-MINUTE);
  const id = await steward.upgrade(RELEASE, await licensed(steward));
  expect(id).not.toBe(first);
  expect((await steward.post('/admin/system/upgrades/upgrade', { versionManifest: PATCH })).status).toBe(409);
  expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  const { updates } = await steward.must('/admin/system/upgrades/history');
  expect(updates.map((one: { id: string }) => one.id)).toEqual([id, first]);
});

describe('[DEC44] a release that has failed', () => {
  test('only the failed job can go on if it failed in the middle of the database', async () => {
    const id = await failedBy({ kind: 'databaseDown', phase: 'standby' });
    const { status, body } = await ask(PATCH);
    expect([status, body.error.message]).toEqual([409, expect.stringContaining(`system/jobs/${id}/retry`)]);
    await steward.must(`/admin/system/jobs/${id}/retry`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });

  test('[UPG13] only a patch of the failed release, or a retry, is accepted', async () => {
    const id = await failedBy({ kind: 'hookFails', hook: 'logging' }, true);
    for (const other of [NEXT, 'pat_10.9.1.1842']) {
      const { status, body } = await ask(other);
      expect([status, body.error.message]).toEqual([409, expect.stringContaining(`system/jobs/${id}/retry`)]);
    }
    expect((await steward.post('/admin/system/upgrades/rollback', { versionManifest: PATCH })).status).toBe(409);
    const offered: readonly { id: string; version: string }[] = await steward.must('/admin/system/upgrades/available');
    expect(offered.map(({ id: one }) => one)).toContain(RELEASE);
    expect(new Set(offered.map(({ version }) => version))).toEqual(new Set(['11.0']));
    await steward.must(`/admin/system/jobs/${id}/retry`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });

  test('[UPG10] [UPG5] plan shows what a retry would do, and upgrade with its hash retries', async () => {
    const id = await failedBy({ kind: 'hookFails', hook: 'logging' });
    const { canStart, planHash, steps, pointOfNoReturn } = await steward.must('/admin/system/upgrades/plan', {
      versionManifest: RELEASE,
    });
    expect([canStart, pointOfNoReturn]).toEqual([true, null]);
    expect(steps.map(({ step }: { step: string }) => step)).toEqual([
      'hook/logging',
      'hook/auto-deployed-services',
      'hook/search-indices',
    ]);
    const upgrade = '/admin/system/upgrades/upgrade';
    const other = await steward.post(upgrade, { versionManifest: RELEASE, planHash: 'f'.repeat(64) });
    expect([other.status, other.body.error.details.at(-1)]).toEqual([409, expect.stringContaining('planHash')]);
    await steward.must(upgrade, { versionManifest: RELEASE, planHash });
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
    const { updates } = await steward.must('/admin/system/upgrades/history');
    expect(updates[0].id).toBe(id);
  });

  test('[REQ3] [UPG5] a retry with other settings than those of the failed job is refused', async () => {
    await failedBy({ kind: 'hookFails', hook: 'logging' });
    const upgradeSettings = settings({ volumesConfig: { data: { size: '99Gi' } } });
    const { status, body } = await steward.post('/admin/system/upgrades/upgrade', {
      versionManifest: RELEASE,
      upgradeSettings,
    });
    expect([status, body.error.details]).toEqual([409, ['volumesConfig: differs from that of the failed job']]);
    expect(await steward.status()).toMatchObject({ state: 'failed' });
    expect((await ask(RELEASE)).status).toBe(200);
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });

  test('[UPG19] adopt lists what a failed job has not done, and needs force', async () => {
    const id = await failedBy({ kind: 'databaseDown', phase: 'readWrite' });
    const fields = { versionManifest: 'rel_10.9.1' };
    const shown = await steward.must('/admin/system/upgrades/adopt', { ...fields, dryRun: 'true' });
    expect(shown.unfinished).toEqual(
      expect.arrayContaining([expect.stringContaining(id), 'Not done: Set the new primary to read-write.']),
    );
    const { status, body } = await steward.post('/admin/system/upgrades/adopt', fields);
    expect([status, body.error.details]).toEqual([409, shown.unfinished]);
    expect(await steward.must('/admin/system/upgrades/currentVersion')).toMatchObject({ unfinished: { jobId: id } });
    await steward.must('/admin/system/upgrades/adopt', { ...fields, force: 'true' });
    expect((await steward.post(`/admin/system/jobs/${id}/retry`)).status).toBe(409);
    const over = { advice: expect.stringContaining('recorded with adopt'), nextActions: [], alternatives: [] };
    expect(await steward.must(`/admin/system/jobs/${id}`)).toMatchObject({ state: 'failed', failure: over });
    expect((await steward.must('/admin/system/upgrades')).job.failure).toMatchObject(over);
  });

  test('[UPG13] [UPG19] after a failed job is given up, no other job opens the system while nothing can be written', async () => {
    await failedBy({ kind: 'databaseDown', phase: 'readWrite' });
    await steward.must('/admin/system/upgrades/adopt', { versionManifest: 'rel_10.9.1', force: 'true' });
    expect((await steward.must('/admin/mode')).message).toBe(
      'When the failed job was abandoned with adopt, no database instance accepted writes. Once one accepts them, set isReadOnly=false at mode.',
    );
    const { checks } = await steward.must('/admin/system/upgrades/plan', { versionManifest: 'pat_10.9.1.1842' });
    expect(checks).toContainEqual(expect.objectContaining({ name: 'database', verdict: 'warn' }));
    await steward.upgrade('pat_10.9.1.1842');
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: true });
    expect((await steward.post('/admin/mode', { isReadOnly: 'false' })).status).toBe(409);
    await steward.must('/admin/mode', { isReadOnly: 'false', force: 'true' });
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: false });
  });

  test('[UPG13] [UPG19] giving up a failed job ends read-only mode if the database was repaired', async () => {
    await failedBy({ kind: 'databaseDown', phase: 'readWrite' });
    await steward.simulated.startOver(demoProduct(6).inventory);
    expect(await steward.must('/admin/mode')).toMatchObject({
      isReadOnly: true,
      message: expect.stringContaining('no database instance accepted writes at that time.'),
    });
    await steward.must('/admin/system/upgrades/adopt', { versionManifest: 'rel_10.9.1', force: 'true' });
    expect(await steward.must('/admin/mode')).toMatchObject({ isReadOnly: false });
  });

  test('[UPG13] a job whose rollback failed owns the deployment too', async () => {
    steward = await servers.start();
    for (const phase of ['engine', 'restore'] as const)
      await steward.simulated.addFault({ kind: 'databaseDown', phase });
    const id = await steward.upgrade(RELEASE, await licensed(steward));
    expect(await steward.untilEnd()).toMatchObject({ state: 'failed' });
    await steward.simulated.removeFaults(undefined);
    expect((await ask('pat_10.9.1.1842')).status).toBe(409);
    expect(await steward.must('/admin/system/upgrades/currentVersion')).toMatchObject({ unfinished: { jobId: id } });
    await steward.must(`/admin/system/jobs/${id}/retry`);
    expect(await steward.untilEnd()).toMatchObject({ state: 'rolled_back' });
    await steward.upgrade('pat_10.9.1.1842');
    expect(await steward.untilEnd()).toMatchObject({ state: 'success' });
  });

  test('[U25] the patch that finished a failed release cannot be rolled back, and says why it makes no restore point', async () => {
    await failedBy({ kind: 'crashLoop', workload: 'portal-themes' });
    await steward.upgrade(PATCH);
    const ended = await steward.untilEnd();
    expect(ended).toMatchObject({ state: 'success' });
    expect(ended.messages.find(({ code }) => code === CODE.noRestorePoint)?.message).toBe(
      'This job creates no restore point: it finishes a failed release that is past the point of no return.',
    );
    expect(await steward.must('/admin/system/upgrades/checkRollback')).toEqual({ updates: [] });
    expect((await steward.post('/admin/system/upgrades/rollback', { versionManifest: PATCH })).status).toBe(409);
  });

  test('a failed release is remembered after many other jobs', async () => {
    const id = await failedBy({ kind: 'crashLoop', workload: 'portal-themes' });
    steward.clock.advance(400 * DAY);
    await steward.areas.webhooks.runHousekeeping(new AbortController().signal);
    const facts = await steward.store.upgrades.facts();
    expect(facts.latest).toMatchObject({ id, state: 'failed' });
    expect((await steward.areas.jobs.find(id)).state).toBe('failed');
    await steward.areas.jobs.control(localActor('test'), id, 'retry');
    expect((await steward.areas.jobs.find(id)).state).toBe('running');
  });
});
