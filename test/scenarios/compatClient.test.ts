import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/foundation/clock.ts';
import { createCompatClient } from '../support/access/compatClient.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const ROOTS = ['/compat/admin', '/compat/admin/sharing/rest'];
const ACCOUNT = { username: 'viewer', password: 'password-of-the-test' };

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  await steward.tokenOf('viewer');
  for (const folderName of ['Hidden', 'Open', 'Stopped'])
    await steward.must('/admin/services/createFolder', { token, folderName });
  const create = (fields: Readonly<Record<string, string>>) =>
    steward.must('/admin/services/createService', { token, type: 'Query', ...fields });
  await create({ folderName: 'Hidden', serviceName: 'Secret', access: 'private' });
  await create({ folderName: 'Open', serviceName: 'Known', access: 'public' });
  await create({ folderName: 'Stopped', serviceName: 'Asleep', access: 'public' });
  await steward.must('/admin/services/Stopped/Asleep.Query/stop', { token });
});
afterAll(() => steward.close());

describe.each(['server', 'portal'] as const)('[O6] [ADR8] an older REST client in %s mode', (mode) => {
  test('it signs in, reads private services, and renews its token when it has expired', async () => {
    const client = await createCompatClient(steward, '/compat', mode, ACCOUNT);
    const names = async (): Promise<readonly string[]> =>
      (await client.read('/compat/rest/services/Hidden')).services.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Hidden/Secret']);
    expect(client.signIns()).toBe(1);
    expect((await client.read('/compat/admin/services/Hidden')).services).toHaveLength(1);
    expect(client.signIns()).toBe(1);
    steward.clock.advance(61 * MINUTE);
    expect(await names()).toEqual(['Hidden/Secret']);
    expect(client.signIns()).toBe(2);
    token = await steward.tokenOf('administrator');
  });

  test('a folder that does not exist is an error for it, after one sign-in', async () => {
    const client = await createCompatClient(steward, '/compat', mode, ACCOUNT);
    expect((await client.read('/compat/rest/services/Nowhere')).error.code).toBe(404);
    expect(client.signIns()).toBe(1);
  });
});

describe('[O6] [ADR8] a folder of the compat interface', () => {
  test('a hidden folder and an unknown one are 499 without a token, and 404 with one', async () => {
    const answers = async (more: string): Promise<readonly string[]> =>
      Promise.all(
        ['Hidden', 'Stopped', 'Nowhere'].map(async (name) => {
          const { status, text } = await steward.get(`/compat/rest/services/${name}?f=json${more}`);
          return `${status} ${text}`.replaceAll(name, 'NAME');
        }),
      );
    const [anonymous = '', ...others] = await answers('');
    expect(JSON.parse(anonymous.slice(4))).toMatchObject({ error: { code: 499 } });
    expect(new Set([anonymous, ...others]).size).toBe(1);
    const [, stopped = '', unknown] = await answers(`&token=${token}`);
    expect(JSON.parse(stopped.slice(4))).toMatchObject({ error: { code: 404 } });
    expect(unknown).toBe(stopped);
  });

  test('it is 404 on the other interface, and a folder with a public service needs no token', async () => {
    expect((await steward.get('/rest/services/Hidden')).status).toBe(404);
    expect((await steward.get('/compat/rest/services/Open?f=json')).body.services).toHaveLength(1);
  });

  test('as a page, a folder without a token has the status 401', async () => {
    expect((await steward.get('/compat/rest/services/Hidden?f=html')).status).toBe(401);
  });
});

describe.each(ROOTS)('[O6] [ADR8] %s', (root) => {
  test('portals/self names the installation, with the caller if there is one', async () => {
    const { body: anonymous } = await steward.get(`${root}/portals/self?f=json&culture=en`);
    expect(anonymous).toMatchObject({ id: 'test0001', name: 'Steward', isPortal: true, access: 'public' });
    expect(anonymous).toMatchObject({ portalHostname: 'localhost:80/compat/admin', allSSL: false, currentVersion: 10 });
    expect(anonymous).not.toHaveProperty('user');
    const { body: known } = await steward.post(`${root}/portals/self`, { token });
    expect(known).toEqual({ ...anonymous, user: expect.objectContaining({ username: 'administrator' }) });
  });

  test('community/self is the caller, and 499 without a token', async () => {
    expect((await steward.get(`${root}/community/self?f=json&token=${token}`)).body).toEqual({
      id: 'administrator',
      username: 'administrator',
      fullName: '',
      role: 'org_admin',
      orgId: 'test0001',
      groups: [],
    });
    const { status, body } = await steward.get(`${root}/community/self?f=json`);
    expect([status, body.error.code]).toEqual([200, 499]);
  });

  test('a token of a machine is its user, with the role of the token', async () => {
    const fields = { token, name: 'reader', role: 'viewer', service: 'Open/Known.Query' };
    const { token: named } = await steward.must('/admin/security/tokens/create', fields);
    expect((await steward.get(`${root}/community/self?token=${named}`)).body).toMatchObject({
      username: 'administrator',
      role: 'org_user',
    });
  });

  test('an invalid token is 498', async () => {
    for (const path of ['portals/self', 'community/self'])
      expect((await steward.get(`${root}/${path}?f=json&token=wrong`)).body.error.code).toBe(498);
  });

  test('generateToken issues a token, and exchanges one for an address of the server', async () => {
    const { body } = await steward.post(`${root}/generateToken`, { ...ACCOUNT, f: 'json', client: 'requestip' });
    expect(body.token).toEqual(expect.any(String));
    const serverUrl = 'http://localhost:80/compat/rest/services';
    const exchanged = await steward.post(`${root}/generateToken/`, { token, serverUrl, request: 'getToken' });
    expect(exchanged.body.token).toEqual(expect.any(String));
    expect((await steward.get(`${root}/generateToken?f=json`)).body.error.code).toBe(405);
  });
});

test('[O6] [ADR8] the addresses of the portal exist below /compat/admin only, and not with STEWARD_COMPAT=off', async () => {
  const closed = await startInProcess({ hasCompat: false });
  for (const path of ['portals/self', 'community/self', 'sharing/rest/generateToken', 'sharing/rest/portals/self']) {
    expect((await steward.post(`/admin/${path}`, { token })).status).toBe(404);
    expect((await closed.post(`/compat/admin/${path}`)).status).toBe(404);
  }
  expect((await steward.post('/compat/admin/sharing/rest/mode', { token })).body.error.code).toBe(404);
  await closed.close();
});
