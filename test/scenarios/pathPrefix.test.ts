import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const PUBLIC = 'https://host.example/apps/steward';
const PREFIX = '/apps/steward';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess({ publicUrl: PUBLIC });
  token = await steward.tokenOf('administrator');
  await steward.must('/admin/services/createFolder', { token, folderName: 'Tour' });
  await steward.must('/admin/services/createService', {
    token,
    folderName: 'Tour',
    serviceName: 'public',
    type: 'Query',
    access: 'public',
  });
});
afterAll(() => steward.close());

async function session(): Promise<string> {
  const { headers } = await steward.post('/admin/login', {
    username: 'administrator',
    password: 'password-of-the-test',
  });
  return headers.get('set-cookie') ?? '';
}

describe('[ADR1] a request to a server below a path', () => {
  test.each([
    '/healthz',
    '/rest/info',
    '/rest/services/Tour',
    '/services?wsdl',
    '/console/',
    '/console/catalog/x',
    '/openapi.json',
    '/compat/rest/info',
    '/compat/services?wsdl',
    '/compat/admin/sharing/rest/info',
    '/admin/mode?token={token}',
    '/compat/admin/mode?token={token}',
    '/system/upgrades?token={token}',
  ])('%s is answered in the same way with the prefix and without it', async (path) => {
    const address = path.replace('{token}', token);
    const [cut, whole, doubled] = await Promise.all(
      ['', PREFIX, '//apps//steward/'].map((before) => steward.get(before + address)),
    );
    expect(cut?.status).toBe(200);
    const withoutNonce = (text: string | undefined): string => (text ?? '').replaceAll(/nonce="[^"]+"/g, '');
    for (const answer of [whole, doubled])
      expect([answer?.status, withoutNonce(answer?.text)]).toEqual([200, withoutNonce(cut?.text)]);
  });

  test('only a whole part of the path is the prefix, and it is cut off once', async () => {
    for (const path of ['/apps/stewards/healthz', '/apps/healthz', '/x/apps/steward/healthz', PREFIX + PREFIX])
      expect((await steward.get(path)).status).toBe(404);
    expect((await steward.get('/apps%2Fsteward/healthz')).status).toBe(404);
  });

  test('errors, methods and the log are those of the address without the prefix', async () => {
    expect((await steward.get(`${PREFIX}/compat/admin/nothing`)).status).toBe(200);
    expect((await steward.post(`${PREFIX}/healthz`)).status).toBe(405);
    const { text } = await steward.get(`${PREFIX}/nothing?f=json`);
    expect(text).toContain(`${PREFIX}/openapi.json lists all addresses`);
    expect((await steward.get('/metrics')).text).not.toContain(PREFIX);
    expect(steward.lines).toContainEqual(expect.objectContaining({ path: '/nothing', status: 404 }));
  });
});

describe('[ADR1] an address that a server below a path publishes', () => {
  test('the catalog, the token service and the WSDL begin with the public address', async () => {
    const { body: info } = await steward.get('/compat/rest/info');
    expect(info.authInfo.tokenServicesUrl).toBe(`${PUBLIC}/tokens/generateToken`);
    expect(info.owningSystemUrl).toBe(`${PUBLIC}/compat/admin`);
    expect((await steward.get('/services?wsdl')).text).toContain(`location="${PUBLIC}/services"`);
    expect((await steward.get('/compat/services?wsdl')).text).toContain(`location="${PUBLIC}/compat/services"`);
    const { body } = await steward.get('/rest/services/Tour');
    expect(JSON.stringify(body)).toContain(`${PUBLIC}/services/Tour/public/Query`);
  });

  test('OpenAPI names the prefix as the server, and the cookie of that server', async () => {
    const { body } = await steward.get('/openapi.json');
    expect(body.servers).toEqual([{ url: PREFIX }]);
    expect(Object.keys(body.paths)).toContain('/admin/mode');
    expect(body.components.securitySchemes.session.description).toContain('__Secure-steward_session_test0001');
  });

  test('redirects and the console have the prefix, in the page and in its facts', async () => {
    expect((await steward.get('/')).headers.get('location')).toBe(`${PREFIX}/console/`);
    expect((await steward.get(PREFIX)).headers.get('location')).toBe(`${PREFIX}/console/`);
    const { text } = await steward.get('/console/catalog');
    expect(text).toContain(`data-prefix="${PREFIX}"`);
    expect(text).toContain(`data-root="${PREFIX}/admin"`);
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.filter((file) => !file.startsWith(`${PREFIX}/`))).toEqual([]);
    const assets = files.filter((file) => file.includes('/assets/'));
    expect(assets.length).toBeGreaterThan(2);
    for (const file of assets) expect((await steward.get(file)).status).toBe(200);
  });

  test('every link and every form of a page has the prefix, also if the proxy has cut it off', async () => {
    const cookie = (await session()).split(';')[0] ?? '';
    for (const path of ['/admin', '/admin/services/Tour', '/admin/security/users', '/services', '/rest/info']) {
      const { status, text } = await steward.get(`${path}?f=html`, { cookie, accept: 'text/html' });
      expect(status).toBe(200);
      const addresses = [...text.matchAll(/(?:href|action)="([^"]+)"/g)].map(([, address = '']) => address);
      expect(addresses.length).toBeGreaterThan(1);
      expect(addresses.filter((address) => !address.startsWith(`${PREFIX}/`))).toEqual([]);
      for (const address of addresses)
        expect((await steward.get(address, { cookie })).text).not.toContain('This address does not exist');
    }
  });

  test('the lists of addresses have the prefix', async () => {
    const { resources, operations } = await steward.must('/admin', { token });
    const all = [...resources, ...operations.map((line: string) => line.replace('POST ', ''))] as readonly string[];
    expect(all.filter((address) => !address.startsWith(`${PREFIX}/admin/`) && !address.includes('/demo'))).toEqual([]);
  });
});

describe('[ADR1] [DEC3] a session of a server below a path', () => {
  test('its cookie is limited to the path, and no other cookie is accepted', async () => {
    const setCookie = await session();
    expect(setCookie).toMatch(
      /^__Secure-steward_session_test0001=stw_\S+; Path=\/apps\/steward; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = setCookie.split(';')[0] ?? '';
    expect((await steward.get('/admin/session', { cookie })).status).toBe(200);
    expect((await steward.get('/admin/session', { cookie: cookie.replace('__Secure-', '__Host-') })).status).toBe(401);
    const { body } = await steward.get('/admin/session', { cookie });
    const { headers } = await steward.post('/admin/logout', {}, { cookie, 'x-csrf-token': body.csrfToken });
    expect(headers.get('set-cookie')).toMatch(
      /^__Secure-steward_session_test0001=; Path=\/apps\/steward; .*Max-Age=0$/,
    );
  });

  test('a page that asks to sign in leads back to itself, with the prefix', async () => {
    const { text } = await steward.get('/admin/security/users?f=html');
    expect(text).toContain(`action="${PREFIX}/admin/login"`);
    const next = /name="next" value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(next).toBe(`${PREFIX}/admin/security/users?f=html`);
    const fields = { username: 'administrator', password: 'password-of-the-test', f: 'html' };
    const { headers } = await steward.post('/admin/login', { ...fields, next });
    expect(headers.get('location')).toBe(next);
    const without = await steward.post('/admin/login', fields);
    expect(without.headers.get('location')).toBe(`${PREFIX}/admin`);
    const refused = await steward.post('/admin/login', { ...fields, password: 'wrong', next });
    expect(refused.text).toContain(`name="next" value="${next}"`);
  });

  test('[ACC4] a token is exchanged only for an address below the path', async () => {
    const exchange = (serverUrl: string) => steward.post('/tokens/generateToken', { token, serverUrl });
    expect((await exchange(`${PUBLIC}/services`)).status).toBe(200);
    expect((await exchange('https://host.example/services')).status).toBe(400);
  });
});
