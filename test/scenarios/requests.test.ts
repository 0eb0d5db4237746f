import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/server/client.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let token: string;
let count = 0;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
});
afterAll(() => steward.close());
beforeEach(() => {
  count += 1;
});

function create(fields: Readonly<Record<string, string>>): Promise<Answer> {
  return steward.post('/admin/services/createService', { token, serviceName: `S${count}`, type: 'Map', ...fields });
}

function multipart(parts: readonly (readonly [head: string, content: string | Buffer])[]): {
  readonly payload: Buffer;
  readonly headers: Record<string, string>;
} {
  const pieces = parts.flatMap(([head, content]) => [
    Buffer.from(`--X\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);
  return {
    payload: Buffer.concat([...pieces, Buffer.from('--X--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=X' },
  };
}

async function send(
  url: string,
  form: ReturnType<typeof multipart>,
): Promise<{
  readonly status: number;
  readonly body: { readonly status: string; readonly error?: { readonly details: readonly string[] } };
}> {
  const response = await steward.app.inject({ method: 'POST', url, ...form });
  return { status: response.statusCode, body: response.json() };
}

describe('[REQ1] [IFC9] a request', () => {
  test('a request may be a form or multipart, and a text field may be a file part', async () => {
    const form = multipart([
      ['name="token"', token],
      [`name="serviceName"; filename="blob"\r\nContent-Type: application/octet-stream`, `M${count}`],
      ['name="type"\r\nContent-Type: application/json', 'Map'],
      ['name="description"; filename="d.json"\r\nContent-Type: application/json', '{"a": 1}'],
    ]);
    expect(await send('/admin/services/createService', form)).toMatchObject({
      status: 200,
      body: { service: { description: '{"a": 1}' } },
    });
  });

  test('a request of another media type is refused', async () => {
    for (const type of ['application/vnd.api+json', 'text/plain', 'text/xml']) {
      const response = await steward.app.inject({
        method: 'POST',
        url: '/admin/mode',
        payload: '{}',
        headers: { 'content-type': type },
      });
      expect(response.statusCode).toBe(415);
      expect(response.json().error).toMatchObject({
        code: 415,
        message: expect.stringContaining('multipart/form-data'),
      });
    }
  });

  test('a request may have fields in the query, and the body wins', async () => {
    const { body } = await steward.post('/admin/services/createService?type=Query&description=fromQuery', {
      token,
      serviceName: `Q${count}`,
      type: 'Map',
    });
    expect(body.service).toMatchObject({ type: 'Map', description: 'fromQuery' });
  });

  test('a resource answers GET and POST alike, with and without a slash at the end', async () => {
    const answers = await Promise.all([
      steward.app.inject({ method: 'GET', url: `/admin/mode?token=${token}` }),
      steward.app.inject({ method: 'GET', url: `/admin/mode/?token=${token}` }),
      steward.app.inject({ method: 'POST', url: '/admin/mode', headers: { authorization: `Bearer ${token}` } }),
    ]);
    for (const answer of answers) expect(answer.json()).toEqual({ isReadOnly: false, message: '' });
  });

  test('an operation answers POST only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      const response = await steward.app.inject({ method, url: '/admin/services/createService' });
      expect(response.statusCode).toBe(405);
      expect(response.headers['allow']).toBe('POST');
      expect(response.json().error.message).toContain('use POST');
    }
    const put = await steward.app.inject({ method: 'PUT', url: '/admin/mode' });
    expect(put.headers['allow']).toBe('GET, HEAD, POST');
  });
});

describe('[REQ2] the format of an answer', () => {
  const get = (url: string, accept?: string) =>
    steward.app.inject({
      url,
      headers: { authorization: `Bearer ${token}`, ...(accept === undefined ? {} : { accept }) },
    });

  test('the format is JSON by default, indented with pjson, and a page with html', async () => {
    const plain = await get('/admin/mode');
    expect(plain.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(plain.body).toBe('{"isReadOnly":false,"message":""}');
    const pretty = await get('/admin/mode?f=pjson');
    expect(pretty.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(pretty.body).toBe('{\n  "isReadOnly": false,\n  "message": ""\n}\n');
    const page = await get('/admin/mode?f=html');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.body).toContain('isReadOnly');
  });

  test('the format is a page if the client prefers HTML and names no format', async () => {
    expect((await get('/admin/mode', 'text/html,application/xhtml+xml,*/*;q=0.8')).headers['content-type']).toContain(
      'text/html',
    );
    expect((await get('/admin/mode', 'application/json, text/html;q=0.5')).headers['content-type']).toContain(
      'application/json',
    );
    expect((await get('/admin/mode?f=json', 'text/html')).headers['content-type']).toContain('application/json');
    expect((await get('/admin/mode', '*/*')).headers['content-type']).toContain('application/json');
  });

  test('another format is refused', async () => {
    const response = await get('/admin/mode?f=xml');
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toEqual(['f: must be one of json, pjson, html, not "xml"']);
  });

  test('a page asks a person to sign in, and the cookie then opens the pages', async () => {
    const stranger = await steward.app.inject({ url: '/admin', headers: { accept: 'text/html' } });
    expect(stranger.statusCode).toBe(401);
    expect(stranger.body).toContain('<form method="post" action="/admin/login">');
    const signedIn = await steward.post('/admin/login', {
      username: 'administrator',
      password: 'password-of-the-test',
      f: 'html',
    });
    const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
    const index = await steward.app.inject({ url: '/admin', headers: { accept: 'text/html', cookie } });
    expect(index.body).toContain('<a href="/admin/services">/admin/services</a>');
  });

  test("a page makes links of Steward's addresses only", async () => {
    await create({ description: '//evil.example/x', capabilities: '/healthz' });
    const shown = await get(`/admin/services/S${count}.Map?f=html`);
    expect(shown.body).toContain('<a href="/healthz">');
    expect(shown.body).not.toContain('href="//evil');
  });

  test('a page shows text as it is and runs none of it', async () => {
    await create({ description: '<script>alert(1)</script>' });
    const page = await get(`/admin/services/S${count}.Map?f=html`);
    expect(page.body).toContain('&lt;script&gt;');
    expect(page.body).not.toContain('<script>');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  });
});

describe('[REQ3] a field of a request', () => {
  test('an empty field counts as absent, and so does an empty file', async () => {
    expect((await create({ folderName: '', access: '' })).body.service).toMatchObject({
      folderName: '',
      access: 'private',
    });
    const form = multipart([
      ['name="token"', token],
      ['name="serviceName"', `E${count}`],
      ['name="type"', 'Map'],
      ['name="access"; filename=""', ''],
    ]);
    expect(await send('/admin/services/createService', form)).toMatchObject({ status: 200 });
  });

  test('a field that is sent twice is refused in a form, in a query and in multipart', async () => {
    const twice = { status: 400, body: { error: { details: ['type: was sent more than once'] } } };
    const form = await steward.app.inject({
      method: 'POST',
      url: '/admin/services/createService',
      payload: `token=${token}&serviceName=A&type=a&type=b`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect({ status: form.statusCode, body: form.json() }).toMatchObject(twice);
    expect(
      await steward.post('/admin/services/createService?type=a&type=b', { token, serviceName: 'A' }),
    ).toMatchObject(twice);
    const parts = multipart([
      ['name="token"', token],
      ['name="serviceName"', 'A'],
      ['name="type"', 'a'],
      ['name="type"', 'b'],
    ]);
    expect(await send('/admin/services/createService', parts)).toMatchObject(twice);
    const token2 = await steward.app.inject({ method: 'GET', url: `/admin/mode?token=${token}&token=${token}` });
    expect(token2.json().error.details).toEqual(['token: was sent more than once']);
  });
});

describe('[REQ4] numbers and claims', () => {
  test.each(
    [
      '3.5',
      '1e2',
      '0x3',
      '+3',
      ' 3',
      '3 ',
      '03',
      '３',
      '-0',
      '',
      '9007199254740993',
      'NaN',
      'Infinity',
      '1_0',
      '٣',
    ].filter((text) => text !== ''),
  )('the integer "%s" is refused', async (ifRevision) => {
    const { status, body } = await steward.post('/admin/services/None.Map/edit', { token, ifRevision });
    expect(status).toBe(400);
    expect(body.error.details[0]).toMatch(/^ifRevision: must be a whole number from 1 to 9007199254740991/);
  });

  test.each(['yes', '1', 'TRUE', 'tRue', ' true'])('the claim "%s" is refused', async (isReadOnly) => {
    const { status, body } = await steward.post('/admin/mode', { token, isReadOnly });
    expect({ status, details: body.error.details }).toEqual({
      status: 400,
      details: [`isReadOnly: must be true or false, not "${isReadOnly}"`],
    });
  });

  test('the four spellings of a claim are accepted', async () => {
    for (const isReadOnly of ['false', 'False'])
      expect((await steward.post('/admin/mode', { token, isReadOnly })).body.isReadOnly).toBe(false);
    for (const isReadOnly of ['true', 'True'])
      expect((await steward.post('/admin/mode', { token, isReadOnly })).body.isReadOnly).toBe(true);
    await steward.post('/admin/mode', { token, isReadOnly: 'false' });
  });

  test('a request with one bad field changes nothing', async () => {
    await create({ description: 'before' });
    const { status } = await steward.post(`/admin/services/S${count}.Map/edit`, {
      token,
      description: 'after',
      access: 'everyone',
    });
    expect(status).toBe(400);
    expect((await steward.post(`/admin/services/S${count}.Map`, { token })).body.description).toBe('before');
  });
});

describe('[REQ6] an error answer', () => {
  test('an error names every bad field, has no top-level code, and has a request id that is in the log', async () => {
    const { status, headers, body } = await steward.post('/admin/services/createService', {
      token,
      serviceName: '.x',
      type: 'a.b',
      access: 'no',
      url: 'ftp://x',
    });
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(['status', 'error']);
    expect(body.status).toBe('error');
    expect(body.error.details.map((detail: string) => detail.split(':')[0])).toEqual([
      'serviceName',
      'type',
      'url',
      'access',
    ]);
    const id = headers.get('x-request-id');
    await expect.poll(() => steward.lines.some(({ requestId }) => requestId === id)).toBe(true);
  });

  test('an error without details has an empty list', async () => {
    expect((await steward.post('/admin/services/None.Map/delete', { token })).body).toEqual({
      status: 'error',
      error: { code: 404, message: 'No service named `None.Map`.', details: [] },
    });
  });

  test('an internal error shows nothing internal, and the log has the reason', async () => {
    const broken = await startInProcess();
    const admin = await broken.tokenOf('administrator');
    expect((await broken.post('/admin/mode', { token: admin })).status).toBe(200);
    await broken.store.close();
    const { status, text, headers } = await broken.post('/admin/services', { token: admin });
    expect(status).toBe(500);
    expect(text).not.toMatch(/table|sqlite|database|\.ts|at /i);
    const logged = broken.lines.find(
      ({ requestId, stack }) => requestId === headers.get('x-request-id') && stack !== undefined,
    );
    expect(logged).toMatchObject({ reason: expect.stringContaining('database') });
    await broken.close();
  });

  test('an error comes before the change, so an invalid address leaves stored records valid', async () => {
    const { status } = await steward.post(`/admin/services/createFolder#%zz`, { token, folderName: `Odd${count}` });
    expect(status).toBe(200);
    expect(
      (await steward.app.inject({ url: '/admin/services/%00.x', headers: { authorization: `Bearer ${token}` } }))
        .statusCode,
    ).toBe(404);
    expect((await steward.app.inject({ url: '/%zz' })).json().error.code).toBe(400);
  });

  test('the answer at an unknown address says where to look', async () => {
    expect((await steward.post('/admin/nothing', { token })).body.error).toMatchObject({
      code: 404,
      message: expect.stringContaining('/openapi.json'),
    });
  });
});

describe('[REQ7] the error codes of tokens', () => {
  test('a missing token is error 499 and a wrong one 498, both with HTTP 401', async () => {
    expect(await steward.post('/admin/mode')).toMatchObject({
      status: 401,
      body: { error: { code: 499, message: 'Token required.' } },
    });
    expect(await steward.post('/admin/mode', { token: 'x' })).toMatchObject({
      status: 401,
      body: { error: { code: 498, message: 'Invalid token.' } },
    });
  });
});

describe('[REQ8] [ADR8] the compat dialect', () => {
  test('the compat dialect answers errors with HTTP 200 and the same body, except for pages', async () => {
    const clean = await steward.post('/admin/mode', { token: 'x', f: 'json' });
    const compat = await steward.post('/compat/admin/mode', { token: 'x', f: 'json' });
    expect({ clean: clean.status, compat: compat.status }).toEqual({ clean: 401, compat: 200 });
    expect(compat.body).toEqual(clean.body);
    expect((await steward.post('/compat/admin/mode', { token: 'x', f: 'pjson' })).status).toBe(200);
    expect((await steward.post('/compat/admin/mode', { token: 'x', f: 'html' })).status).toBe(401);
    expect((await steward.post('/compat/admin/nothing', {})).status).toBe(200);
  });

  test('the compat dialect has the same operations', async () => {
    expect((await steward.post('/compat/admin/mode', { token })).body).toEqual({ isReadOnly: false, message: '' });
  });
});

describe('[REQ9] the limits of a request', () => {
  test('a form has at most 1 MiB', async () => {
    const { status, body } = await create({ description: 'x'.repeat(1024 * 1024) });
    expect({ status, code: body.error.code }).toEqual({ status: 413, code: 413 });
    const parts = multipart([['name="description"', 'x'.repeat(1024 * 1024 + 1)]]);
    expect((await send('/admin/services/createService', parts)).status).toBe(413);
    const many = multipart([1, 2, 3].map((n) => [`name="d${n}"`, 'x'.repeat(400_000)] as const));
    expect((await send('/admin/services/createService', many)).status).toBe(413);
  });

  test('[DEC19] a body has at most 200 fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, '1']));
    expect((await steward.post('/admin/mode', many)).status).toBe(413);
    expect(
      (await send('/admin/mode', multipart(Object.keys(many).map((name) => [`name="${name}"`, '1'])))).status,
    ).toBe(413);
    expect((await steward.app.inject({ url: `/admin/mode?${new URLSearchParams(many).toString()}` })).statusCode).toBe(
      401,
    );
  });

  test('a damaged body is refused, and the server goes on', async () => {
    const { payload, headers } = multipart([['name="token"', token]]);
    for (const broken of [payload.subarray(0, payload.length - 8), payload.subarray(0, 20), Buffer.from('nonsense')]) {
      const response = await steward.app.inject({ method: 'POST', url: '/admin/mode', payload: broken, headers });
      expect(response.json().error).toMatchObject({
        code: 400,
        message: 'The multipart body is damaged or cut short.',
      });
    }
    const large = multipart([['name="token"', token]]);
    const padded = Buffer.concat([Buffer.alloc(2_000_000, 'x'), Buffer.from('\r\n'), large.payload]);
    expect((await send('/admin/mode', { ...large, payload: padded })).status).toBe(413);
    const latin1 = await steward.app.inject({
      method: 'POST',
      url: '/admin/mode',
      payload: 'message=caf%E9',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(latin1.statusCode).toBe(400);
    const notUtf8 = await steward.app.inject({
      method: 'POST',
      url: '/admin/mode',
      payload: Buffer.from([0x61, 0x3d, 0xff]),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(notUtf8.statusCode).toBe(400);
    expect((await steward.post('/admin/mode', { token })).status).toBe(200);
  });
});

describe('[ACC7] [DEC2] [IFC11] a token', () => {
  test('a token may be a field, a Bearer header, or with GET in the query, and with POST not in the query', async () => {
    expect((await steward.post('/admin/mode', { token })).status).toBe(200);
    expect((await steward.post('/admin/mode', {}, { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await steward.app.inject({ url: `/admin/mode?token=${token}` })).statusCode).toBe(200);
    const { status, body } = await steward.post(`/admin/mode?token=${token}`);
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 499 });
    expect(body.error.details[0]).toContain('not in the query');
  });

  test('a token never appears in the log', async () => {
    await steward.app.inject({ url: `/admin/mode?token=${token}` });
    await steward.app.inject({ url: `/admin/nothing?token=${token}` });
    await steward.post('/tokens/generateToken', { username: 'administrator', password: 'a-wrong-password' });
    await expect.poll(() => steward.lines.at(-1)).toMatchObject({ path: '/tokens/generateToken' });
    expect(JSON.stringify(steward.lines)).not.toContain(token);
    expect(JSON.stringify(steward.lines)).not.toContain('a-wrong-password');
  });

  test('[DEC3] a cookie is enough to read, and writes need its CSRF token', async () => {
    const signedIn = await steward.post('/admin/login', {
      username: 'administrator',
      password: 'password-of-the-test',
    });
    const setCookie = String(signedIn.headers.get('set-cookie'));
    expect(setCookie).toMatch(/^steward_session_test0001=stw_\S+; Path=\/; HttpOnly; SameSite=Strict$/);
    const cookie = setCookie.split(';')[0] ?? '';
    const { csrfToken } = signedIn.body;
    expect((await steward.app.inject({ url: '/admin/session', headers: { cookie } })).json()).toMatchObject({
      username: 'administrator',
      csrfToken,
      version: (await steward.get('/openapi.json')).body.info.version,
    });
    const write = (more: Record<string, string>, headers = {}) =>
      steward.post('/admin/mode', { message: 'x', ...more }, { cookie, ...headers });
    expect(await write({})).toMatchObject({
      status: 403,
      body: { error: { details: [expect.stringContaining('csrfToken')] } },
    });
    expect((await write({ csrfToken: `${csrfToken}x` })).status).toBe(403);
    expect((await write({ csrfToken })).status).toBe(200);
    expect((await write({}, { 'x-csrf-token': csrfToken })).status).toBe(200);
    expect((await steward.post('/admin/logout', { csrfToken }, { cookie })).status).toBe(200);
    expect((await steward.app.inject({ url: '/admin/session', headers: { cookie } })).statusCode).toBe(401);
  });
});

describe('[ADR4] [ACC3] the token service', () => {
  test.each(['/tokens/generateToken', '/admin/generateToken'])(
    'the token service %s answers token, expires and ssl',
    async (url) => {
      const { body } = await steward.post(url, {
        username: 'administrator',
        password: 'password-of-the-test',
        client: 'requestip',
        expiration: '5',
      });
      expect(body).toEqual({
        token: expect.stringMatching(/^stw_/),
        expires: steward.clock.now() + 300_000,
        ssl: false,
      });
    },
  );

  test('[ACC5] the token service answers a wrong login with 400 and the text of the interface', async () => {
    expect(await steward.post('/tokens/generateToken', { username: 'administrator', password: 'wrong' })).toMatchObject(
      {
        status: 400,
        body: {
          error: {
            code: 400,
            message: 'Unable to generate token.',
            details: ['Invalid username or password specified.'],
          },
        },
      },
    );
  });

  test('[ACC5] a throttled sign-in says after how many seconds to try again', async () => {
    for (let n = 0; n < 10; n += 1)
      await steward.post('/tokens/generateToken', { username: 'mallory', password: 'wrong' });
    const { status, headers } = await steward.post('/tokens/generateToken', { username: 'mallory', password: 'wrong' });
    expect({ status, after: headers.get('retry-after') }).toEqual({ status: 429, after: '300' });
  });
});

describe('[CAT9] a published service', () => {
  test('a service is created, read, edited, stopped, started and deleted', async () => {
    await steward.post('/admin/services/createFolder', { token, folderName: 'Größen', description: 'd' });
    const made = await steward.post('/admin/services/createService', {
      token,
      folderName: 'Größen',
      serviceName: 'A.b',
      type: 'Map',
      access: 'public',
    });
    expect(made.body.service).toMatchObject({
      folderName: 'Größen',
      serviceName: 'A.b',
      type: 'Map',
      access: 'public',
      state: 'running',
      revision: 1,
    });
    const at = `/admin/services/${encodeURIComponent('Größen')}/A.b.Map`;
    expect((await steward.post(at, { token })).body.serviceName).toBe('A.b');
    expect(
      (await steward.post(`/admin/services/${encodeURIComponent('Größen')}`, { token })).body.services,
    ).toHaveLength(1);
    expect((await steward.post(`${at}/edit`, { token, description: 'new' })).body.service).toMatchObject({
      description: 'new',
      access: 'public',
      revision: 2,
    });
    expect((await steward.post(`${at}/stop`, { token })).body).toEqual({ status: 'success', state: 'stopped' });
    expect((await steward.post(`${at}/status`, { token })).body).toEqual({ state: 'stopped' });
    expect((await steward.post(`${at}/start`, { token })).body).toEqual({ status: 'success', state: 'running' });
    expect((await steward.post('/admin/services/deleteFolder', { token, folderName: 'Größen' })).status).toBe(409);
    expect((await steward.post(`${at}/delete`, { token })).body).toEqual({ status: 'success' });
    expect((await steward.post('/admin/services/deleteFolder', { token, folderName: 'Größen' })).status).toBe(200);
  });

  test('a new service is private', async () => {
    expect((await create({})).body.service.access).toBe('private');
  });

  test.each(['.a', 'a b', 'a/b', 'x'.repeat(121), 'a\u0000', 'webhooks', 'createService', '<x>'])(
    'a folder cannot have the name %j',
    async (folderName) => {
      const { status, body } = await steward.post('/admin/services/createFolder', { token, folderName });
      expect(status).toBe(400);
      expect(body.error.details[0]).toMatch(/^folderName: /);
    },
  );

  test('a name may have up to 120 letters of any script', async () => {
    for (const folderName of ['x'.repeat(120), 'Ελληνικά', 'a.b_c-d', '地図']) {
      expect((await steward.post('/admin/services/createFolder', { token, folderName })).status).toBe(200);
      expect((await steward.post(`/admin/services/${encodeURIComponent(folderName)}`, { token })).body.folderName).toBe(
        folderName,
      );
    }
  });

  test('[DEC29] an import takes a whole file or nothing, and an export can be imported', async () => {
    const fresh = await startInProcess();
    const publisher = await fresh.tokenOf('publisher');
    const run = (importFile: string, more = {}) =>
      fresh.post('/admin/services/import', { token: publisher, importFile, ...more });
    const yaml =
      'folders:\n  - folderName: F\nservices:\n  - {folderName: F, serviceName: A, type: Map, access: public}\n  - {serviceName: B, type: Map}\n';
    const counts = { foldersCreated: 1, servicesCreated: 2, servicesChanged: 0, servicesUnchanged: 0 };
    expect((await run(yaml, { dryRun: 'true' })).body).toEqual({ status: 'success', ...counts });
    expect((await fresh.post('/admin/services', { token: publisher })).body.folders).toEqual([]);
    expect((await run(yaml)).body).toEqual({ status: 'success', ...counts });
    const exported = await fresh.post('/admin/services/export', { token: publisher });
    expect((await run(exported.text)).body).toMatchObject({
      servicesCreated: 0,
      servicesChanged: 0,
      servicesUnchanged: 2,
    });
    const changed = { ...exported.body, services: [{ ...exported.body.services[0], description: 'new' }] };
    expect((await run(JSON.stringify(changed))).body).toMatchObject({ servicesChanged: 1 });
    const wrong = {
      services: [
        { serviceName: '.x', type: 'Map' },
        { serviceName: 'C', type: 'Map', access: 'all', url: 7 },
      ],
    };
    const refused = await run(JSON.stringify(wrong));
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map((detail: string) => detail.split(': ').slice(0, 2))).toEqual([
      ['importFile', 'services[0].serviceName'],
      ['importFile', 'services[1].url'],
      ['importFile', 'services[1].access'],
    ]);
    const contradiction = await run(
      JSON.stringify({
        services: [
          { folderName: 'None', serviceName: 'D', type: 'Map' },
          { serviceName: 'E', type: 'Map' },
          { serviceName: 'E', type: 'Map' },
        ],
      }),
    );
    expect(contradiction.body.error.details).toHaveLength(2);
    for (const nonsense of ['{', 'a: [', '[]', '"x"', 'services: 3']) expect((await run(nonsense)).status).toBe(400);
    expect((await fresh.post('/admin/services/export', { token: publisher })).body.services).toHaveLength(2);
    await fresh.close();
  });

  test('the format of the answer is not stored with the service', async () => {
    await create({ f: 'pjson' });
    await steward.post(`/admin/services/S${count}.Map/edit`, { token, description: 'x', f: 'json' });
    const { entries } = (await steward.post('/admin/security/audit', { token, target: `service S${count}.Map` })).body;
    expect(JSON.stringify(entries)).not.toContain('"f"');
  });

  test('[DEC17] an edit that is based on an older revision is refused', async () => {
    await create({});
    const at = `/admin/services/S${count}.Map/edit`;
    expect((await steward.post(at, { token, description: 'a', ifRevision: '1' })).status).toBe(200);
    expect(await steward.post(at, { token, description: 'b', ifRevision: '1' })).toMatchObject({
      status: 409,
      body: { error: { message: expect.stringContaining('revision 2') } },
    });
  });
});

describe('the description of the interface', () => {
  test('[ADR6] /openapi.json has every operation with its fields', async () => {
    const { paths } = (await steward.app.inject({ url: '/openapi.json' })).json();
    expect(Object.keys(paths)).toContain('/admin/services/createService');
    const { post } = paths['/admin/services/createService'];
    expect(post.requestBody.content['application/x-www-form-urlencoded'].schema.required).toEqual([
      'serviceName',
      'type',
    ]);
  });

  test('[ADR6] probes and metrics answer', async () => {
    expect((await steward.app.inject({ url: '/healthz' })).json()).toEqual({ status: 'alive' });
    expect((await steward.app.inject({ url: '/readyz' })).json()).toEqual({ status: 'ready' });
    expect((await steward.app.inject({ url: '/metrics' })).body).toMatch(
      /steward_http_requests_total\{route="\/admin\/mode",method="POST",status="200"\} \d+/,
    );
  });
});
