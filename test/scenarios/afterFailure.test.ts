// Read-only mode after a job that failed: when it stays on, who may end it, and what the messages say.
import { afterAll, describe, expect, test } from 'vitest';
import { demoProduct } from '../../src/demo/deployment/demoProduct.ts';
import type { NewFault } from '../../src/drivers/simulated/state/injectedFault.ts';
import { DATABASE_PHASES } from '../../src/model/workload.ts';
import { CODE } from '../support/upgrades/codes.ts';
import { sharedServers } from '../support/upgrades/serversForTests.ts';
import type { Status, UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';

const RELEASE = 'rel_11.0';
const PAST_RETURN: NewFault = { kind: 'hookFails', hook: 'logging' };
const NO_WRITER: NewFault = { kind: 'databaseDown', phase: 'readWrite' };

const servers = sharedServers();
let steward: UpgradeServer;
afterAll(() => servers.close());

const isReadOnly = async (): Promise<boolean> => (await steward.must('/admin/mode')).isReadOnly;
const lastCodes = ({ messages }: Status): readonly unknown[] => messages.slice(-2).map(({ code }) => code);

async function failedBy(fault: NewFault, fields: Readonly<Record<string, string>> = {}) {
  steward = await servers.start();
  await steward.must('/admin/mode', { isReadOnly: 'false', force: 'true' });
  await steward.simulated.addFault(fault);
  const id = await steward.upgrade(RELEASE, { ...(await licensed(steward)), ...fields });
  const status = await steward.untilEnd();
  expect(status.state).toBe('failed');
  await steward.simulated.removeFaults(undefined);
  return { id, status };
}

async function retried(id: string, fields: Readonly<Record<string, string>> = {}): Promise<Status> {
  await steward.must(`/admin/system/jobs/${id}/retry`, fields);
  return steward.untilEnd();
}

/** The newest audit note of an action. */
async function auditOf(action: string): Promise<unknown> {
  const { entries } = await steward.must('/admin/security/audit');
  return entries.find((one: { action: string }) => one.action === action);
}

describe('[U28] [UPG13] [UPG15] a failure past the point of no return', () => {
  test('keeps read-only mode until a retry succeeds, and says why in a message, in the mode and in the audit log', async () => {
    const { id, status } = await failedBy(PAST_RETURN);
    expect(lastCodes(status)).toEqual([CODE.readOnlyKeptAfterFailure, CODE.upgradeStopped]);
    expect(status.messages.at(-1)?.message).toContain('The system stays in read-only mode, because writes on a half');
    expect(await steward.must('/admin/mode')).toMatchObject({
      isReadOnly: true,
      message: expect.stringMatching(new RegExp(`restore point.*system/jobs/${id}/retry.*isReadOnly=false at mode`)),
    });
    expect(await auditOf('upgrade.end')).toMatchObject({ after: { state: 'failed', isReadOnly: true } });
    expect((await steward.post('/admin/services/createFolder', { folderName: 'F' })).status).toBe(503);
    expect(await retried(id)).toMatchObject({ state: 'success' });
    expect(await steward.must('/admin/mode')).toEqual({ isReadOnly: false, message: '' });
  });

  test('keeps it until adopt has recorded the version that runs', async () => {
    await failedBy(PAST_RETURN);
    await steward.must('/admin/system/upgrades/adopt', { versionManifest: RELEASE, force: 'true' });
    expect(await isReadOnly()).toBe(false);
  });

  test('keeps it until a person ends it, who needs no force while a database instance accepts writes', async () => {
    const { id } = await failedBy(PAST_RETURN);
    await steward.must('/admin/mode', { isReadOnly: 'false' });
    expect(await isReadOnly()).toBe(false);
    await steward.simulated.addFault(PAST_RETURN);
    expect(await retried(id)).toMatchObject({ state: 'failed' });
    expect(await isReadOnly()).toBe(true);
  });

  test('restores the mode if the request has said afterFailure=open and a database instance accepts writes', async () => {
    const { status } = await failedBy(PAST_RETURN, { afterFailure: 'open' });
    expect(lastCodes(status)).toEqual([CODE.readOnlyLeft, CODE.upgradeStopped]);
    expect(await isReadOnly()).toBe(false);
    expect(await auditOf('upgrade.start')).toMatchObject({ after: { afterFailure: 'open' } });
    const { status: closed } = await failedBy(NO_WRITER, { afterFailure: 'open' });
    expect(lastCodes(closed)).toEqual([CODE.readOnlyKept, CODE.upgradeStopped]);
    expect(await isReadOnly()).toBe(true);
  });

  test('a retry can say afterFailure=open, and a later one keeps it', async () => {
    const { id } = await failedBy(PAST_RETURN);
    await steward.simulated.addFault(PAST_RETURN);
    expect(lastCodes(await retried(id, { afterFailure: 'open' }))).toEqual([CODE.readOnlyLeft, CODE.upgradeStopped]);
    expect(await auditOf('upgrade.retry')).toMatchObject({ after: { afterFailure: 'open' } });
    await retried(id);
    expect(await isReadOnly()).toBe(false);
  });

  test('a new message of the mode does not keep a retry from ending it', async () => {
    const { id } = await failedBy(PAST_RETURN);
    await steward.must('/admin/mode', { message: 'We are on it.' });
    expect(await steward.must('/admin/mode')).toEqual({ isReadOnly: true, message: 'We are on it.' });
    await retried(id);
    expect(await isReadOnly()).toBe(false);
  });

  test.each(['sometimes', 'OPEN'])('afterFailure=%s is refused', async (afterFailure) => {
    steward = await servers.start();
    const { status, body } = await steward.post('/admin/system/upgrades/upgrade', {
      versionManifest: RELEASE,
      afterFailure,
    });
    expect([status, body.error.details[0]]).toEqual([400, expect.stringMatching(/^afterFailure: /)]);
  });
});

describe('[U27] [UPG13] ending read-only mode while no database instance accepts writes', () => {
  test('needs force, also if a person had set the mode before the job, and is audited', async () => {
    steward = await servers.start();
    const fields = await licensed(steward);
    await steward.must('/admin/mode', { isReadOnly: 'true', message: 'stocktaking' });
    await steward.simulated.addFault(NO_WRITER);
    const id = await steward.upgrade(RELEASE, fields);
    const ended = await steward.untilEnd();
    expect(lastCodes(ended)).toEqual([CODE.readOnlyKeptByHand, CODE.upgradeStopped]);
    expect(await steward.must('/admin/mode')).toEqual({ isReadOnly: true, message: 'stocktaking' });
    const { status, body } = await steward.post('/admin/mode', { isReadOnly: 'false' });
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('no database instance accepts writes')]);
    expect(body.error.details[0]).toContain(`POST system/jobs/${id}/retry`);
    expect(await isReadOnly()).toBe(true);
    await steward.must('/admin/mode', { isReadOnly: 'false', force: 'true' });
    expect(await isReadOnly()).toBe(false);
    expect(await auditOf('mode.change')).toMatchObject({ after: { isReadOnly: false, force: true } });
  });

  test('what the failed job has found counts while the deployment does not answer', async () => {
    await failedBy(NO_WRITER);
    await steward.simulated.addFault({ kind: 'apiHangs', seconds: 60 });
    const answer = await steward.clock.until('the answer', steward.post('/admin/mode', { isReadOnly: 'false' }));
    expect([answer.status, answer.body.error.message]).toEqual([409, expect.stringContaining('does not answer')]);
  });

  test('a database that was repaired needs no force, nor does a deployment without a failed job', async () => {
    await failedBy(NO_WRITER);
    await steward.simulated.startOver(demoProduct(6).inventory);
    await steward.must('/admin/mode', { isReadOnly: 'false' });
    expect(await isReadOnly()).toBe(false);
  });
});

test.each(
  DATABASE_PHASES.filter((phase) => phase !== 'restore').flatMap(
    (phase) =>
      [
        [phase, false],
        [phase, true],
      ] as const,
  ),
)(
  '[U24] [UPG13] after a database failure in the phase %s (rollback fails too: %s), the last message and the mode agree with the cause',
  async (phase, alsoRestore) => {
    steward = await servers.start();
    await steward.must('/admin/mode', { isReadOnly: 'false', force: 'true' });
    await steward.simulated.addFault({ kind: 'databaseDown', phase });
    if (alsoRestore) await steward.simulated.addFault({ kind: 'databaseDown', phase: 'restore' });
    await steward.upgrade(RELEASE, { ...(await licensed(steward)), afterFailure: 'open' });
    const { state, messages } = await steward.untilEnd();
    const last = messages.at(-1)?.message ?? '';
    const { database } = await steward.simulated.inventory();
    for (const name of state === 'rolled_back' ? [] : (database?.down ?? [])) {
      expect(last).toContain(`\`${name}\` does not start (before: `);
      expect(last).not.toContain(`\`${name}\` is `);
    }
    const up = (database?.instances ?? []).filter(({ name }) => database?.down?.includes(name) !== true);
    const isWritable = up.some((one) => !one.isReadOnly);
    expect([last.includes('The system accepts writes'), await isReadOnly()]).toEqual([isWritable, !isWritable]);
  },
);
