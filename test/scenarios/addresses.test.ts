import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  await steward.must('/admin/services/createFolder', { token, folderName: 'Tour' });
  for (const access of ['public', 'private'])
    await steward.must('/admin/services/createService', {
      token,
      folderName: 'Tour',
      serviceName: access,
      type: 'Query',
      access,
    });
});
afterAll(() => steward.close());

const INTERFACE_PATHS = [
  '/services/webhooks/settings',
  '/system/upgrades',
  '/system/upgrades/upgrade',
  '/system/upgrades/getUpgradeSettings',
];

describe('[REQ1] an address', () => {
  test('an address may have double slashes and a slash at the end, in the path but not in the query', async () => {
    for (const path of ['//admin/mode', '/admin//mode//', '///admin/mode/'])
      expect((await steward.get(`${path}?token=${token}`)).body).toEqual({ isReadOnly: false, message: '' });
    expect((await steward.get('//rest/info')).body.authInfo.tokenServicesUrl).toBe(
      'http://localhost:80/tokens/generateToken',
    );
    expect((await steward.get('//services?wsdl')).text).toContain('<wsdl:definitions');
    const { body } = await steward.post('/admin//services/createService?url=http://a.example//b', {
      token,
      serviceName: 'Slashes',
      type: 'Query',
    });
    expect(body.service.url).toBe('http://a.example//b');
    expect((await steward.post('//compat//admin//nothing', {})).status).toBe(200);
  });

  test('an encoded slash in {service} is a slash, in every operation of a service', async () => {
    for (const slash of ['/', '%2F', '%2f']) {
      const at = `/admin/services/Tour${slash}public.Query`;
      expect((await steward.post(at, { token })).body).toMatchObject({ folderName: 'Tour', serviceName: 'public' });
      expect((await steward.post(`${at}/status`, { token })).body).toEqual({ state: 'running' });
      expect((await steward.post(`${at}/edit`, { token, description: slash })).body.service.description).toBe(slash);
      expect((await steward.post(`${at}/webhooks`, { token })).status).toBe(200);
      expect((await steward.post(`${at}/events`, { token, event: 'a', payload: '1' })).status).toBe(200);
    }
    for (const wrong of [
      'Tour%2F',
      '%2Fpublic.Query',
      'Tour%2F%2Fpublic.Query',
      'A%2FTour%2Fpublic.Query',
      'Tour/x%2Fy.Z',
    ])
      expect((await steward.post(`/admin/services/${wrong}`, { token })).status).toBe(404);
  });

  test('[ACC9] an encoded slash does not widen a token for one service', async () => {
    const { token: limited } = await steward.must('/admin/security/tokens/create', {
      token,
      name: 'one',
      role: 'publisher',
      service: 'Tour/public.Query',
    });
    const codeOf = async (address: string): Promise<number> =>
      (await steward.post(`/admin/services/${address}/start`, { token: limited })).status;
    expect(await codeOf('Tour%2Fpublic.Query')).toBe(200);
    expect(await codeOf('Tour/public.Query')).toBe(200);
    expect(await codeOf('Tour%2Fprivate.Query')).toBe(403);
    expect(await codeOf('Tour%2Fpublic.Query%2F')).toBe(403);
  });

  test('an encoded slash elsewhere in an address is not a slash', async () => {
    for (const path of ['/admin%2Fmode', '/admin/security%2Fusers', '/compat%2Fadmin/mode'])
      expect((await steward.get(`${path}?token=${token}`)).status).toBe(404);
  });

  test('[DEC62] every address above a listed one answers', async () => {
    const { resources, operations } = await steward.must('/admin', { token });
    const listed = [...resources, ...operations.map((line: string) => line.replace('POST ', ''))] as readonly string[];
    expect(listed).toEqual(expect.arrayContaining(['/admin/system', '/admin/security']));
    const above = new Set(
      listed.flatMap((address) => {
        const parts = address.split('/').slice(1);
        return parts.slice(1).map((_, n) => `/${parts.slice(0, n + 1).join('/')}`);
      }),
    );
    const statuses = await Promise.all([...above].map(async (at) => [at, (await steward.post(at, { token })).status]));
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
    expect((await steward.must('/admin/security', { token })).resources).toEqual(
      expect.arrayContaining(['/admin/security/users', '/admin/security/tokens', '/admin/security/audit']),
    );
    const publisher = await steward.tokenOf('publisher');
    for (const path of ['/admin/system', '/admin/security'])
      expect((await steward.post(path, { token: publisher })).status).toBe(403);
  });
});

describe('[REQ1] [DEC62] a method that is not answered', () => {
  test.each([
    ['PUT', '/admin/mode', 'GET, HEAD, POST'],
    ['TRACE', '/admin/mode', 'GET, HEAD, POST'],
    ['TRACE', '/admin/services/Tour/public.Query/edit', 'POST'],
    ['PROPFIND', '//admin/services/createFolder/?x=1', 'POST'],
    ['MKCOL', '/rest/services/Tour', 'GET, HEAD, POST'],
    ['TRACE', '/services', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['PUT', '/rest/info', 'GET, HEAD, POST'],
    ['TRACE', '/compat/rest/info', 'GET, HEAD, POST'],
  ])('%s %s is answered with 405 and Allow', async (method, url, allow) => {
    const response = await steward.app.inject({ method: method as 'PUT', url, headers: { accept: 'text/html' } });
    expect([response.statusCode, response.headers.allow]).toEqual([405, allow]);
  });

  test('TRACE at an unknown address is answered with 404', async () => {
    expect((await steward.app.inject({ method: 'TRACE' as 'PUT', url: '/nothing' })).statusCode).toBe(404);
  });

  test('a method that is unknown to HTTP is answered with 405, and bytes that are not HTTP with 400', async () => {
    const { port } = new URL(await steward.app.listen({ host: '127.0.0.1', port: 0 }));
    const answerTo = (text: string): Promise<string> =>
      new Promise((resolve) => {
        let answer = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
        socket.on('data', (chunk) => (answer += chunk.toString()));
        socket.on('close', () => resolve(answer));
      });
    expect(await answerTo('FROBNICATE /admin/mode HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, POST\r\n/s,
    );
    expect(await answerTo('TRACE /admin/mode HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    );
    expect(await answerTo('hello there\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('[ADR3] [ADR8] addresses that can be switched off', () => {
  const statusOf = async (server: InProcessServer, path: string): Promise<number> =>
    (await server.post(path, { token: await server.tokenOf('administrator'), f: 'html' })).status;

  test('STEWARD_ALIASES=off removes the addresses without a prefix, and nothing else', async () => {
    const closed = await startInProcess({ hasAliases: false });
    for (const path of INTERFACE_PATHS) {
      expect(await statusOf(steward, path)).not.toBe(404);
      expect(await statusOf(closed, path)).toBe(404);
      expect(await statusOf(closed, `/admin${path}`)).not.toBe(404);
    }
    expect(await statusOf(closed, '/tokens/generateToken')).toBe(400);
    expect(await statusOf(closed, '/compat/admin/mode')).toBe(200);
    await closed.close();
  });

  test('STEWARD_COMPAT=off removes everything below /compat, and nothing else', async () => {
    const closed = await startInProcess({ hasCompat: false });
    for (const path of [
      '/compat/admin/mode',
      '/compat/admin/generateToken',
      '/compat/admin/sharing/rest/info',
      '/compat/services',
      '/compat/rest/services',
      '/compat/rest/info',
    ]) {
      expect((await closed.post(path, {})).status).toBe(404);
      expect((await closed.get(`${path}?wsdl`)).status).toBe(404);
    }
    for (const path of ['/admin/mode', '/system/upgrades', '/rest/services', '/rest/info'])
      expect(await statusOf(closed, path)).toBe(200);
    await closed.close();
  });
});

describe('[ADR8] an operation of the compat interface', () => {
  test('[REQ1] its address may have double slashes and a slash at the end; one that only begins in the same way has no operation', async () => {
    for (const path of ['//compat//admin/mode', '/compat/admin//mode/'])
      expect((await steward.post(`${path}?token=${token}`)).body).toEqual({ isReadOnly: false, message: '' });
    for (const path of [
      '/compat/administrator/mode',
      '/compat/admin.mode',
      '/x/compat/admin/mode',
      '/admin/sharing/rest/info',
    ])
      expect((await steward.post(path, { token, f: 'html' })).status).toBe(404);
  });

  test('it is counted, and its page is shown, under the address that the client has used', async () => {
    const page = await steward.get(`/compat/admin/services/Tour?token=${token}&f=html`);
    expect(page.text).toContain('/compat/admin/services/Tour');
    expect((await steward.get('/metrics')).text).toMatch(
      /steward_http_requests_total\{route="\/compat\/admin\/services\/:[^"]+",method="GET",status="200"\} 1/,
    );
  });

  test('another method is refused with the status 200, and on {root} with 405', async () => {
    const path = '/services/createFolder';
    expect(await steward.get(`/compat/admin${path}?f=json`)).toMatchObject({
      status: 200,
      body: { error: { code: 405 } },
    });
    expect((await steward.get(`/admin${path}?f=json`)).status).toBe(405);
  });
});

describe('[ADR8] the JSON catalog of the compat interface', () => {
  test('the owning system is named, and its token service is the same', async () => {
    const base = 'http://localhost:80';
    const { body: clean } = await steward.get('/rest/info');
    const { body: compat } = await steward.get('/compat/rest/info');
    expect(clean).not.toHaveProperty('owningSystemUrl');
    expect(compat).toEqual({ ...clean, owningSystemUrl: `${base}/compat/admin` });
    const path = new URL(`${compat.owningSystemUrl}/sharing/rest/info`).pathname;
    for (const one of [path, `${path}/`, `/${path}`])
      expect((await steward.get(`${one}?f=json`)).body.authInfo).toEqual(clean.authInfo);
  });

  test('the services are those of the clean interface, and a token in the query of a POST counts', async () => {
    const at = '/compat/rest/services/Tour';
    expect((await steward.get(at)).body.services).toHaveLength(1);
    expect((await steward.post(`${at}?token=${token}`)).body.services).toHaveLength(2);
    expect((await steward.post(`/rest/services/Tour?token=${token}`)).body.services).toHaveLength(1);
    expect((await steward.post(at, { token })).body).toEqual(
      (await steward.post('/rest/services/Tour', { token })).body,
    );
  });

  test('[ACC7] a token in the query of a POST counts on /compat/admin, and not on {root}', async () => {
    expect((await steward.post(`/compat/admin/mode?token=${token}`)).body).toEqual({ isReadOnly: false, message: '' });
    expect((await steward.post(`/admin/mode?token=${token}`)).status).toBe(401);
  });

  test('[REQ8] errors have the status 200 as JSON, and their own status as a page', async () => {
    const wrong = '/compat/rest/services?token=wrong';
    expect(await steward.get(wrong)).toMatchObject({ status: 200, body: { error: { code: 498 } } });
    expect((await steward.get(`${wrong}&f=html`)).status).toBe(401);
    expect(await steward.get('/compat/rest/nothing')).toMatchObject({ status: 200, body: { error: { code: 404 } } });
    expect((await steward.get('/rest/services?token=wrong')).status).toBe(401);
  });
});
