import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/foundation/clock.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { postgresPrograms, startPostgres } from '../support/store/postgres.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';

let steward: InProcessServer;
let isDiskLow = false;
let administrator: string;
let publisher: string;

beforeAll(async () => {
  steward = await startInProcess({ isDiskLow: () => isDiskLow });
  administrator = await steward.tokenOf('administrator');
  publisher = await steward.tokenOf('publisher');
});
afterAll(() => steward.close());

test('[DEC1] checks run in their order, and the first failure is the answer', async () => {
  const wrong = { f: 'xml', folderName: '.', other: 'x' };
  const codeOf = async (fields: Record<string, string>, path = '/admin/services/createFolder') =>
    (await steward.post(path, fields)).body.error.code;
  expect(await codeOf({ ...wrong, filler: 'x'.repeat(2_000_000) })).toBe(413);
  expect(await codeOf(wrong)).toBe(499);
  expect(await codeOf({ ...wrong, token: 'x' })).toBe(498);
  expect(await codeOf({ ...wrong, token: await steward.tokenOf('viewer') })).toBe(403);
  isDiskLow = true;
  await steward.post('/admin/mode', { token: administrator, isReadOnly: 'true' });
  expect(
    (await steward.post('/admin/services/createFolder', { ...wrong, token: publisher })).body.error.message,
  ).toContain('disk');
  isDiskLow = false;
  expect(
    (await steward.post('/admin/services/createFolder', { ...wrong, token: publisher })).body.error.message,
  ).toContain('read-only');
  await steward.post('/admin/mode', { token: administrator, isReadOnly: 'false' });
  const { details } = (await steward.post('/admin/services/createFolder', { ...wrong, token: publisher })).body.error;
  expect(details.map((detail: string) => detail.split(':')[0])).toEqual(['folderName', 'other', 'f']);
});

describe('[ACC11] [DEC4] [DEC5] a new user', () => {
  const create = (fields: Record<string, string>) =>
    steward.post('/admin/security/users/create', {
      token: administrator,
      username: 'new',
      password: 'k7#mvQz2',
      role: 'viewer',
      ...fields,
    });

  test.each(['k7#mvQz', 'password', '12345678', 'x'.repeat(257), 'with\u0000nul-in-it'])(
    'a new user cannot have the password %j',
    async (password) => {
      expect((await create({ password })).body.error.details[0]).toMatch(/^password: /);
    },
  );

  test.each(['', '-x', 'a b', 'x'.repeat(65), 'a/b', 'Create'])(
    'a new user cannot have the name %j',
    async (username) => {
      expect((await create({ username })).body.error.details[0]).toMatch(/^username: /);
    },
  );

  test('a user name is stored in lower case and found in any case', async () => {
    expect((await create({ username: 'Zoë@Example.org', password: ' spaces and 😀 ' })).body.user.username).toBe(
      'zoë@example.org',
    );
    const asked = await steward.post(`/admin/security/users/${encodeURIComponent('ZOE\u0308@example.ORG')}`, {
      token: administrator,
    });
    expect(asked.body).toMatchObject({ username: 'zoë@example.org', role: 'viewer' });
    expect(asked.text).not.toContain('argon2');
  });
});

describe('[DEC16] [DEC18] a service', () => {
  const create = (fields: Record<string, string>) =>
    steward.post('/admin/services/createService', { token: publisher, serviceName: 'S', type: 'Map', ...fields });

  test.each([
    ['type', 'a.b'],
    ['type', 'x'.repeat(121)],
    ['description', 'x'.repeat(4001)],
    ['description', 'bell \u0007'],
    ['description', 'not a character \uffff'],
    ['parentType', 'x'.repeat(121)],
    ['url', 'ftp://host/path'],
    ['url', 'https://host/a b'],
    ['url', `https://host/${'x'.repeat(2048)}`],
    ['folderName', 'Missing'],
  ])('a service cannot have %s %j', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatch(new RegExp(`^${field}: `));
  });

  test('a service keeps tabs and line ends, its name is composed, and it is published once', async () => {
    const made = await create({ serviceName: 'Zu\u0308rich', description: 'a\tb\r\nc' });
    expect(made.body.service).toMatchObject({ serviceName: 'Z\u00fcrich', description: 'a\tb\r\nc' });
    expect((await create({ serviceName: 'Z\u00fcrich' })).status).toBe(409);
  });

  test('a folder cannot have the name events', async () => {
    expect(
      (await steward.post('/admin/services/createFolder', { token: publisher, folderName: 'events' })).status,
    ).toBe(400);
  });
});

test('[CAT9] [DEC14] administrators and publishers find out who changed a service, and when', async () => {
  const at = '/admin/services/Tides.Query';
  const clerk = await steward.tokenOf('publisher');
  await steward.post('/admin/services/createService', { token: clerk, serviceName: 'Tides', type: 'Query' });
  steward.clock.advance(MINUTE);
  const since = String(steward.clock.now());
  await steward.post(`${at}/stop`, { token: administrator });
  const target = 'service Tides.Query';
  const audit = async (fields: Record<string, string>): Promise<readonly string[]> => {
    const { body } = await steward.post('/admin/security/audit', { token: administrator, target, ...fields });
    return body.entries.map(({ action }: { action: string }) => action);
  };
  expect(await audit({})).toEqual(['service.stop', 'service.create']);
  expect(await audit({ since })).toEqual(['service.stop']);
  expect(await audit({ until: since })).toEqual(['service.create']);
  expect(await audit({ who: 'nobody' })).toEqual([]);
  const { changes } = (await steward.post(`${at}/changes`, { token: publisher })).body;
  expect(changes.map(({ action }: { action: string }) => action)).toEqual(['service.stop', 'service.create']);
  expect(Object.keys(changes[0]).toSorted()).toEqual(['action', 'after', 'before', 'id', 'when', 'who']);
  await steward.post(`${at}/delete`, { token: publisher });
  expect((await steward.post(`${at}/changes`, { token: publisher, num: '1' })).body.changes).toMatchObject([
    { action: 'service.delete' },
  ]);
  expect((await steward.post('/admin/services/Missing.Query/changes', { token: publisher })).status).toBe(404);
});

const programs = postgresPrograms();

test.skipIf(programs === undefined)(
  `[DEC24] a start waits for PostgreSQL${programs === undefined ? ' (left out: this machine has no PostgreSQL server)' : ''}`,
  async ({ onTestFinished }) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const server = await startPostgres(programs ?? '');
    onTestFinished(() => server.stop());
    await server.crash();
    let isWaiting = false;
    const starting = startSteward({
      data: folder.path,
      env: { STEWARD_STORE: server.url },
      onLog: (log) => {
        isWaiting = log.includes('waiting for the store');
      },
    });
    onTestFinished(async () => void (await (await starting).end('SIGKILL')));
    await until('the start waits for the store', () => isWaiting);
    await server.revive();
    const running = await starting;
    expect((await running.get('/readyz')).status).toBe(200);
    await server.crash();
    expect((await running.get('/readyz')).status).toBe(503);
    const refused = await running.post('/admin/generateToken', { username: 'admin', password: 'x'.repeat(8) });
    expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({ status: 503, after: '5' });
  },
);
