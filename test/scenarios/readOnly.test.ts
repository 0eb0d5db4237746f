import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Operation } from '../../src/wire/operations/operations.ts';
import type { UpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { startUpgradeServer } from '../support/upgrades/upgradeServer.ts';
import { licensed } from '../support/upgrades/upgradeFields.ts';
import { CODE } from '../support/upgrades/codes.ts';

const PATCH = 'pat_10.9.1.1842';
const RELEASE = 'rel_11.0';
const SERVICE = '/admin/services/F/A.B';

let steward: UpgradeServer;

async function publish(): Promise<void> {
  await steward.must('/admin/services/createFolder', { folderName: 'F' });
  await steward.must('/admin/services/createService', { folderName: 'F', serviceName: 'A', type: 'B' });
}

type Answer = '503' | '409' | 'goes on';

/** UPG14: the operations that stay open while a job runs, of any kind. */
const GOES_ON = [
  /^\/(generateToken|login|logout|changePassword)$/,
  // What takes access away. `edit` is decided by its fields, see below.
  /^\/security\/tokens\/\{id\}\/revoke$/,
  /^\/security\/users\/\{username\}\/(edit|delete|revokeAll)$/,
  /^\/system\/jobs\//,
  /^\/services\/\{service\}\/events$/,
  /\/webhooks\/\{id\}\/test$/,
  // These exist only with a simulated deployment: faults are added during a job.
  /^\/demo\//,
];

function expected({ path, kind }: Operation): Answer {
  if (path.startsWith('/system/upgrades/')) return '409';
  if (path === '/mode') return '409';
  if (kind === 'resource' || GOES_ON.some((one) => one.test(path))) return 'goes on';
  return '503';
}

/** Read-only mode that is set by hand leaves more operations open. */
function expectedByHand(operation: Operation): Answer {
  const isOpen = /^\/(mode|uploads|security|changePassword|system\/upgrades)(\/|$)/.test(operation.path);
  return isOpen ? 'goes on' : expected(operation);
}

function all(): readonly Operation[] {
  const table = steward.routes();
  return table.map(({ operation }) => operation);
}

async function answerOf({ path, fields, kind }: Operation): Promise<Answer> {
  // Calls that would end this test's token or reset its deployment get fields with which they cannot succeed.
  if (path === '/logout' || path === '/demo/deployment/reset') return 'goes on';
  const at = path.replace('{service}', 'F/A.B').replace(/\{\w+\}/g, 'nobody');
  const [first = ''] = Object.keys(fields);
  const { status, headers, body } = await steward.post(`/admin${at}`, {
    f: 'json',
    ...(kind === 'settings' ? { [first]: 'true' } : {}),
  });
  if (status === 503) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(body.error).toMatchObject({ code: 503, message: expect.stringContaining('read-only mode') });
    return '503';
  }
  return status === 409 ? '409' : 'goes on';
}

const table = async (): Promise<Readonly<Record<string, Answer>>> =>
  Object.fromEntries(await Promise.all(all().map(async (one) => [one.path, await answerOf(one)])));
const wanted = (rule: (operation: Operation) => Answer) =>
  Object.fromEntries(all().map((one) => [one.path, rule(one)]));

describe('[UPG14] read-only mode on every route', () => {
  beforeAll(async () => {
    steward = await startUpgradeServer();
    await publish();
  });
  afterAll(() => steward.close());

  test('the mode that is set by hand closes writes, except mode, uploads, security and system/upgrades', async () => {
    await steward.must('/admin/mode', { isReadOnly: 'true', message: 'stocktaking' });
    expect(await table()).toEqual(wanted(expectedByHand));
    const { body } = await steward.post('/admin/services/createFolder', { folderName: 'X' });
    expect(body.error.details).toEqual(['stocktaking']);
    await steward.must('/admin/mode', { isReadOnly: 'false' });
  });

  test('while a job runs, writes answer 503, the children of upgrades 409, and all else stays open', async () => {
    await steward.simulated.addFault({ kind: 'slow', workload: 'object-store' });
    await steward.upgrade(PATCH);
    await steward.untilSaid(CODE.workloadUpdated);
    expect(await table()).toEqual(wanted(expected));
    expect(Object.values(await table()).filter((one) => one === '503').length).toBeGreaterThan(30);
  });

  test('[UPG13] tokens, the catalog, reads by POST and events stay available during a job, and the mode says why it is on', async () => {
    const { must, post, app } = steward;
    expect(await must('/admin/mode')).toEqual({
      isReadOnly: true,
      message: 'An upgrade from 10.9.1.1800 to 10.9.1.1842 is running. Watch it at system/upgrades.',
    });
    expect(await must('/admin/services/webhooks/settings')).toMatchObject({ notificationAttempts: 3 });
    expect((await post(`${SERVICE}/events`, { event: 'a.b', payload: '1' })).status).toBe(200);
    expect((await app.inject({ url: '/services?wsdl' })).statusCode).toBe(200);
    expect((await app.inject({ url: '/rest/services' })).statusCode).toBe(200);
    expect((await steward.post('/tokens/generateToken', { username: 'x', password: 'y' })).body.error.code).toBe(400);
    const { status, body } = await post('/admin/mode', { isReadOnly: 'false' });
    expect([status, body.error.message]).toEqual([
      409,
      expect.stringContaining('Read-only mode cannot be changed while an upgrade or a rollback runs'),
    ]);
    expect((await post('/admin/mode', { message: 'mine' })).status).toBe(409);
  });
});

describe('[UPG14] access while a job runs', () => {
  const PASSWORD = 'a long first password';
  const USERS = '/admin/security/users';

  beforeAll(async () => {
    steward = await startUpgradeServer();
    const token = await steward.session();
    for (const username of ['lowered', 'raised', 'deleted', 'renamed', 'guessed', 'kept', 'ended'])
      await steward.must(`${USERS}/create`, { token, username, password: PASSWORD, role: 'publisher' });
    await steward.simulated.addFault({ kind: 'slow', workload: 'object-store' });
    await steward.upgrade(PATCH);
  });
  afterAll(() => steward.close());

  const TAKES: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['lowering a role', '/lowered/edit', { role: 'viewer' }],
    ['setting the password of another user', '/guessed/edit', { password: 'a long second password' }],
    ['lowering a role and renaming', '/kept/edit', { role: 'viewer', fullName: 'Kept' }],
    ['deleting a user', '/deleted/delete', {}],
    ['ending all tokens of a user', '/ended/revokeAll', {}],
  ];
  test.each(TAKES)('%s stays open', async (_title, path, fields) => {
    expect((await steward.post(USERS + path, { token: await steward.session(), ...fields })).status).toBe(200);
  });

  const GRANTS: typeof TAKES = [
    ['raising a role', `${USERS}/raised/edit`, { role: 'administrator' }],
    ['raising a role with a new password', `${USERS}/raised/edit`, { role: 'administrator', password: PASSWORD }],
    ['renaming a user', `${USERS}/renamed/edit`, { fullName: 'Renamed' }],
    ['creating a user', `${USERS}/create`, { username: 'new', password: PASSWORD, role: 'viewer' }],
    ['creating a named token', '/admin/security/tokens/create', { name: 'new', role: 'viewer' }],
  ];
  test.each(GRANTS)('%s is closed', async (_title, path, fields) => {
    const token = await steward.session();
    const { status, headers, body } = await steward.post(path, { token, ...fields });
    expect([status, headers.get('retry-after')]).toEqual([503, '60']);
    expect(body.error.details[0]).toContain('is running');
  });

  test('a user changes the own password, signs out and ends a token', async () => {
    const signIn = { username: 'kept', password: PASSWORD };
    const { token } = await steward.must('/admin/generateToken', signIn);
    await steward.must('/admin/logout', { token });
    const again = await steward.must('/admin/generateToken', signIn);
    const newPassword = 'a long third password';
    await steward.must('/admin/changePassword', { token: again.token, currentPassword: PASSWORD, newPassword });
    expect((await steward.post('/admin/session', { token: again.token })).status).toBe(401);
    const { tokens } = await steward.must('/admin/security/tokens');
    await steward.must(`/admin/security/tokens/${tokens[0].id}/revoke`);
  });
});

describe('[UPG13] [UPG14] the end of a job', () => {
  afterEach(() => steward.close());

  test.each([
    ['a success', 'success'],
    ['a failure', 'failed'],
    ['putting back', 'rolled_back'],
  ])('the mode from before the job is restored after %s', async (_title, end) => {
    steward = await startUpgradeServer();
    const { must, upgrade, untilEnd, simulated } = steward;
    const mode = { isReadOnly: true, message: 'stocktaking' };
    if (end === 'failed') await simulated.addFault({ kind: 'hookFails', hook: 'logging' });
    if (end === 'rolled_back') await simulated.addFault({ kind: 'hookFails', hook: 'backup' });
    const fields = await licensed(steward);
    await must('/admin/mode', { isReadOnly: 'true', message: mode.message });
    const id = await upgrade(RELEASE, fields);
    expect((await must('/admin/mode')).message).toContain('is running');
    const { state, messages } = await untilEnd();
    expect(state).toBe(end);
    expect(await must('/admin/mode')).toEqual(mode);
    const last = end === 'failed' ? CODE.readOnlyKeptByHand : CODE.readOnlyLeft;
    expect(messages.findLast(({ code }) => code === last)?.message).toMatch(/was on before the job/);
    if (end !== 'failed') return;
    // A retry restores the mode that was set after the failure.
    await must('/admin/mode', { isReadOnly: 'false' });
    await simulated.removeFaults(undefined);
    await must(`/admin/system/jobs/${id}/retry`);
    await untilEnd();
    expect(await must('/admin/mode')).toEqual({ isReadOnly: false, message: '' });
  });
});

describe('[WHK4] [WHK14] [DEC48] the webhooks of the system', () => {
  let types: readonly string[];
  let stop: () => Promise<void>;

  async function open(): Promise<void> {
    steward = await startUpgradeServer();
    await steward.must('/admin/system/webhooks/create', { name: 'all', hookUrl: 'https://receiver.example/' });
    const courier = steward.areas.webhooks.startCourier();
    stop = async () => {
      const stopping = courier.stop();
      await steward.pass(2000);
      await stopping;
    };
  }
  afterEach(async () => {
    await stop();
    await steward.close();
  });

  interface Event {
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  }

  async function received(): Promise<readonly Event[]> {
    await steward.pass(3000);
    const events = steward.receiver.sent.map(({ body }) => JSON.parse(body) as Event & { sequence: number });
    types = events.map(({ type }) => type);
    return events.toSorted((a, b) => a.sequence - b.sequence);
  }

  test('system webhooks hear of the start and the end of a job and of read-only mode', async () => {
    await open();
    const jobId = await steward.upgrade(PATCH);
    await steward.untilEnd();
    const events = await received();
    expect(events.map(({ type }) => type)).toEqual([
      'upgrade.started',
      'readOnly.entered',
      'readOnly.left',
      'upgrade.completed',
    ]);
    const data = { jobId, kind: 'upgrade', id: PATCH, from: '10.9.1.1800', to: '10.9.1.1842', simulated: true };
    expect(events[0]?.data).toEqual(data);
    expect(events[3]?.data).toMatchObject({ ...data, state: 'success' });
    expect(types).toHaveLength(4);
  });

  test('system webhooks hear of a failure with its cause, and of a rollback', async () => {
    await open();
    await steward.simulated.addFault({ kind: 'hookFails', hook: 'logging', times: 1 });
    const fields = await licensed(steward);
    const id = await steward.upgrade(RELEASE, fields);
    await steward.untilEnd();
    const failed = (await received()).at(-1);
    expect(failed).toMatchObject({
      type: 'upgrade.failed',
      data: { state: 'failed', message: expect.stringContaining('hook `logging` failed') },
    });
    await steward.must(`/admin/system/jobs/${id}/retry`);
    await steward.untilEnd();
    await received();
    // The failure keeps the mode on, until the retry succeeds.
    expect(types.toSorted()).toEqual([
      'readOnly.entered',
      'readOnly.left',
      'upgrade.completed',
      'upgrade.failed',
      'upgrade.started',
      'upgrade.started',
    ]);
  });

  test('system webhooks hear nothing of the mode if the system was read-only before the job', async () => {
    await open();
    await steward.must('/admin/mode', { isReadOnly: 'true' });
    await steward.upgrade(PATCH);
    await steward.simulated.addFault({ kind: 'quota' });
    await steward.untilEnd();
    const events = await received();
    expect(events.map(({ type }) => type)).toEqual(['readOnly.entered', 'upgrade.started', 'upgrade.failed']);
    expect(events[2]?.data).toMatchObject({ state: 'rolled_back' });
  });
});
