import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE } from '../../src/foundation/clock.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const PASSWORD = 'password-of-the-test';

describe('[ACC5] signing in behind a proxy', () => {
  let steward: InProcessServer;
  beforeAll(async () => {
    steward = await startInProcess({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
    await steward.tokenOf('viewer');
  });
  afterAll(() => steward.close());

  const signIn = async (password: string, forwardedFor: string) =>
    (await steward.post('/admin/generateToken', { username: 'viewer', password }, { 'x-forwarded-for': forwardedFor }))
      .status;

  test('an address with another port, another notation or another chain of proxies is the same address', async () => {
    const spellings = [
      '198.51.100.1',
      '198.51.100.1:1001',
      '198.51.100.1:1002',
      '::ffff:198.51.100.1',
      '[::ffff:198.51.100.1]:1003',
      '203.0.113.5, 198.51.100.1:1004',
      '198.51.100.1:1005, 10.0.0.9',
      '198.51.100.1, 10.0.0.9:80, 10.0.0.8:81',
      '203.0.113.6:7, 198.51.100.1:1, [::ffff:10.0.0.7]:80',
      'unknown, 198.51.100.1',
    ];
    for (const one of spellings) expect([one, await signIn('wrong', one)]).toEqual([one, 400]);
    for (const one of spellings) expect([one, await signIn(PASSWORD, one)]).toEqual([one, 429]);
    expect(await signIn(PASSWORD, '198.51.100.2')).toBe(200);
  });

  test('failed, throttled and successful sign-ins are metrics', async () => {
    const { text } = await steward.get('/metrics');
    expect(text).toMatch(/steward_sign_ins_total\{outcome="succeeded"\} [1-9]/);
    expect(text).toMatch(/steward_sign_ins_total\{outcome="failed"\} 10/);
    expect(text).toMatch(/steward_sign_ins_total\{outcome="throttled"\} 10/);
  });
});

describe('[ACC3] the exchange of a token', () => {
  const URL_OF_SERVER = 'https://front.example/steward';
  let steward: InProcessServer;
  beforeAll(async () => {
    steward = await startInProcess({ publicUrl: URL_OF_SERVER });
  });
  afterAll(() => steward.close());

  const exchange = (token: string, more: Readonly<Record<string, string>> = {}, headers = {}) =>
    steward.post('/tokens/generateToken', { token, serverUrl: URL_OF_SERVER, ...more }, headers);

  test('a token is exchanged for another one of the same user, at every address of the server', async () => {
    const first = await steward.tokenOf('publisher');
    for (const path of ['/tokens/generateToken', '/admin/generateToken', '/compat/admin/generateToken']) {
      const { status, body } = await steward.post(path, {
        token: first,
        serverUrl: `${URL_OF_SERVER}/rest/services`,
        request: 'getToken',
        f: 'json',
      });
      expect([path, status, Object.keys(body)]).toEqual([path, 200, ['token', 'expires', 'ssl']]);
      expect(body.token).not.toBe(first);
      const session = await steward.must('/admin/session', { token: body.token });
      expect(session).toMatchObject({ username: 'publisher', role: 'publisher' });
    }
  });

  test('an exchanged token lasts 60 minutes at most, and not longer than the first', async () => {
    const signIn = { username: 'publisher', password: PASSWORD };
    const long = await steward.must('/admin/generateToken', { ...signIn, expiration: '10000' });
    const now = steward.clock.now();
    expect((await exchange(long.token, { expiration: '10000' })).body.expires).toBe(now + 60 * MINUTE);
    expect((await exchange(long.token, { expiration: '5' })).body.expires).toBe(now + 5 * MINUTE);
    const short = await steward.must('/admin/generateToken', { ...signIn, expiration: '10' });
    steward.clock.advance(MINUTE);
    const second = (await exchange(short.token)).body;
    expect(second.expires).toBe(short.expires);
    expect((await exchange(second.token)).body.expires).toBe(short.expires);
  });

  test('an exchanged token has the binding of the first', async () => {
    const referer = 'https://app.example/';
    const bound = await steward.tokenOf('publisher', { client: 'referer', referer });
    expect((await exchange(bound)).body.error.code).toBe(498);
    const { body } = await exchange(bound, {}, { referer });
    expect((await steward.post('/admin/session', { token: body.token })).status).toBe(401);
    expect((await steward.post('/admin/session', { token: body.token }, { referer })).status).toBe(200);
  });

  test('a named token, an ended token and a cookie are not exchanged', async () => {
    const admin = await steward.tokenOf('administrator');
    const wanted = { token: admin, name: 'ci', role: 'administrator' };
    const named = await steward.must('/admin/security/tokens/create', wanted);
    expect((await exchange(named.token)).status).toBe(403);
    const ended = await steward.tokenOf('publisher');
    await steward.must('/admin/logout', { token: ended });
    for (const token of [ended, 'stw_nonsense']) expect((await exchange(token)).body.error.code).toBe(498);
    const { status, body } = await exchange('', {}, { cookie: `steward_session_test0001=${admin}` });
    expect([status, body.error.details]).toEqual([400, ['token: is required with serverUrl. The token to exchange.']]);
  });

  test.each([
    'https://front.example',
    'https://front.example/other',
    'https://front.example/stewardship',
    'http://front.example/steward',
    'https://front.example:8443/steward',
    'https://front.example.evil/steward',
    'https://user@evil.example/steward',
    'steward',
  ])('the address %s is refused, because it is not one of this server', async (serverUrl) => {
    const { status, body } = await exchange(await steward.tokenOf('publisher'), { serverUrl });
    const problem = `serverUrl: must be an address of this server (${URL_OF_SERVER}), not "${serverUrl}"`;
    expect([status, body.error.details]).toEqual([400, [problem]]);
  });

  test('without a password and without serverUrl, the missing fields are named', async () => {
    const detailsOf = async (fields: Readonly<Record<string, string>>) =>
      (await steward.post('/admin/generateToken', fields)).body.error.details;
    const [username, password] = [
      'username: is required. The name of the user.',
      'password: is required. The password of the user.',
    ];
    expect(await detailsOf({})).toEqual([username, password]);
    expect(await detailsOf({ token: await steward.tokenOf('publisher') })).toEqual([username, password]);
    expect(await detailsOf({ username: 'publisher', serverUrl: URL_OF_SERVER })).toEqual([password]);
  });
});

test('[DEC3] under https the cookie of a session has the prefix __Host-, and no other cookie is accepted', async ({
  onTestFinished,
}) => {
  const steward = await startInProcess({ publicUrl: 'https://front.example' });
  onTestFinished(() => steward.close());
  await steward.tokenOf('viewer');
  const { headers } = await steward.post('/admin/login', { username: 'viewer', password: PASSWORD });
  const setCookie = String(headers.get('set-cookie'));
  expect(setCookie).toMatch(/^__Host-steward_session_test0001=stw_\S+; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const cookie = setCookie.split(';')[0] ?? '';
  expect((await steward.get('/admin/session', { cookie })).status).toBe(200);
  expect((await steward.get('/admin/session', { cookie: cookie.replace('__Host-', '') })).status).toBe(401);
});

describe('[ACC16] a sign-in of a browser', () => {
  let steward: InProcessServer;
  beforeAll(async () => {
    steward = await startInProcess({ publicUrl: 'https://front.example' });
    await steward.tokenOf('viewer');
  });
  afterAll(() => steward.close());

  const signIn = (headers: Readonly<Record<string, string>>, path = '/admin/login') =>
    steward.post(path, { username: 'viewer', password: PASSWORD }, { host: 'inside.example:6080', ...headers });

  test.each([
    [{}],
    [{ origin: 'https://front.example' }],
    [{ origin: 'https://front.example', 'sec-fetch-site': 'same-origin' }],
    [{ origin: 'null', 'sec-fetch-site': 'same-origin' }],
    [{ origin: 'http://inside.example:6080' }],
    [{ 'sec-fetch-site': 'none' }],
  ])('is accepted from a page of this server or without a page: %j', async (headers) => {
    expect((await signIn(headers)).status).toBe(200);
  });

  test.each([
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [{ origin: 'https://evil.example' }],
    [{ origin: 'https://front.example.evil.example' }],
    [{ origin: 'http://inside.example:7080' }],
    [{ origin: 'null' }],
    [{ origin: 'front.example' }],
    [{ origin: 'https://front.example', 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('is refused from a page of another site, and the refusal says what to do: %j', async (headers) => {
    const { status, body, headers: answered } = await signIn(headers);
    expect([status, answered.get('set-cookie')]).toEqual([403, null]);
    expect(body.error.message).toBe('A page of another site cannot sign in here. Sign in on a page of this server.');
    expect(body.error.details).toEqual([expect.stringContaining('set STEWARD_PUBLIC_URL')]);
  });

  test('is refused from another site at the address of older clients too, while a token needs no page', async () => {
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const compat = await signIn(foreign, '/compat/admin/login');
    expect([compat.body.error.code, compat.headers.get('set-cookie')]).toEqual([403, null]);
    expect((await signIn(foreign, '/admin/generateToken')).status).toBe(200);
  });

  test('has an Origin in every browser, because the page with the form does not withhold it', async () => {
    const { headers } = await steward.get('/admin', { accept: 'text/html' });
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });
});

test('[ACC16] two installations on one host keep separate sessions in one browser', async ({ onTestFinished }) => {
  const cookies = new Map<string, string>();
  const sessions: (() => Promise<number>)[] = [];
  for (const installation of ['first-id-aaaaaaaa', 'second-id-bbbbbbbb']) {
    const steward = await startInProcess({ installation });
    onTestFinished(() => steward.close());
    await steward.tokenOf('viewer');
    const { headers } = await steward.post('/admin/login', { username: 'viewer', password: PASSWORD });
    const [name = '', value = ''] = headers.get('set-cookie')?.split(/[=;]/) ?? [];
    cookies.set(name, value);
    const all = (): string => [...cookies].map(([key, secret]) => `${key}=${secret}`).join('; ');
    sessions.push(async () => (await steward.get('/admin/session', { cookie: all() })).status);
  }
  expect(await Promise.all(sessions.map((session) => session()))).toEqual([200, 200]);
});

test('[DEC5] a user whose name looks like that of another user cannot be created', async ({ onTestFinished }) => {
  const steward = await startInProcess();
  onTestFinished(() => steward.close());
  const token = await steward.tokenOf('administrator');
  const create = async (username: string) =>
    steward.post('/admin/security/users/create', { token, username, password: PASSWORD, role: 'viewer' });
  expect((await create('caca')).status).toBe(200);
  const { status, body } = await create('\u0441\u0430\u0441\u0430');
  expect([status, body.error.message]).toEqual([
    409,
    'The name looks like that of the user `caca`. Choose another name.',
  ]);
  const mixed = await create('\u0430dministrator');
  expect([mixed.status, mixed.body.error.details]).toEqual([
    400,
    [expect.stringContaining('username: must not mix scripts')],
  ]);
});
