import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const PASSWORD = 'correct horse battery';

describe('[REQ2] [DEC64] the pages of resources and operations', () => {
  let steward: InProcessServer;
  const cookies = new Map<string, string>();

  async function signIn(username: string, next = ''): Promise<{ status: number; location: string }> {
    const { app } = steward;
    const body = new URLSearchParams({ f: 'html', username, password: PASSWORD, ...(next !== '' && { next }) });
    const answer = await app.inject({
      method: 'POST',
      url: '/admin/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: body.toString(),
    });
    cookies.set(username, String(answer.headers['set-cookie']).split(';', 1)[0] ?? '');
    return { status: answer.statusCode, location: String(answer.headers.location) };
  }

  async function open(url: string, username = 'boss'): Promise<string> {
    const cookie = cookies.get(username) ?? '';
    return (await steward.app.inject({ url, headers: { cookie, accept: 'text/html' } })).body;
  }

  async function submit(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const token = /name="csrfToken" value="([^"]+)"/.exec(await open('/admin/services'))?.[1] ?? '';
    const headers = { cookie: cookies.get('boss') ?? '', 'content-type': 'application/x-www-form-urlencoded' };
    const payload = new URLSearchParams({ f: 'html', csrfToken: token, ...fields }).toString();
    return (await steward.app.inject({ method: 'POST', url, headers, payload })).body;
  }

  beforeAll(async () => {
    steward = await startInProcess();
    const { accounts } = steward.areas.access;
    const by = { name: 'test', role: 'administrator', address: 'local', requestId: 'local' } as const;
    await accounts.create(by, { username: 'boss', password: PASSWORD, role: 'administrator', fullName: '' });
    await accounts.create(by, { username: 'guest', password: PASSWORD, role: 'viewer', fullName: '' });
    await signIn('boss');
    await signIn('guest');
  });
  afterAll(() => steward.close());

  test('a page that needs a user asks to sign in, and leads back to where one wanted to go', async () => {
    const page = await open('/admin/security/users?f=html', 'stranger');
    expect(page).toContain('<h1>Sign in</h1>');
    expect(page).toContain('name="next" value="/admin/security/users?f=html"');
    expect(await signIn('boss', '/admin/security/users')).toEqual({ status: 303, location: '/admin/security/users' });
  });

  test.each(['//evil.example/', 'https://evil.example/', '/\\evil.example', 'admin'])(
    'a sign-in does not lead to %s',
    async (next) => {
      expect((await signIn('boss', next)).location).toBe('/admin');
    },
  );

  test('a wrong password leads to a page on which one can try again', async () => {
    const payload = 'f=html&username=boss&password=wrong&next=%2Fadmin%2Fmode';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { body } = await steward.app.inject({ method: 'POST', url: '/admin/login', headers, payload });
    expect(body).toContain('<form method="post" action="/admin/login">');
    expect(body).toContain('name="next" value="/admin/mode"');
  });

  test('a page links to what lies above and below it, and to the items of its list', async () => {
    await submit('/admin/services/createService', { serviceName: 'Depots', type: 'Map' });
    const page = await open('/admin/services');
    expect(page).toContain('<a href="/admin">admin</a>');
    expect(page).toContain('<a href="/admin/services/export">Export</a>');
    expect(page).toContain('<a href="/admin/services/Depots.Map">Depots</a>');
    expect(await open('/admin/services/Depots.Map')).toContain('<a href="/admin/services">services</a>');
    expect(await open('/admin/security/users')).toContain('<a href="/admin/security/users/guest">guest</a>');
  });

  test('a form has a control for each field of its operation, and works without scripts', async () => {
    const page = await open('/admin/services');
    for (const name of ['folderName', 'serviceName', 'type', 'description', 'access'])
      expect(page).toMatch(new RegExp(`<(input|select) id="[^"]+" name="${name}"`));
    expect(page).toMatch(/<input id="[^"]+" name="importFile" required type="file"/);
    expect(page).not.toContain('<script');
    expect(await submit('/admin/services/createFolder', { folderName: 'Zürich' })).toContain('Zürich');
    expect(await open('/admin/services')).toContain('<a href="/admin/services/Z%C3%BCrich">Zürich</a>');
  });

  test('settings are shown in a form with their present values', async () => {
    const page = await open('/admin/services/webhooks/settings');
    expect(page).toMatch(/name="notificationAttempts" type="number" value="3"/);
    expect(await submit('/admin/services/webhooks/settings', { notificationAttempts: '4' })).toContain('4');
  });

  test('what the role may not do is not offered, and without a session there is no form', async () => {
    expect(await open('/admin/services', 'guest')).not.toContain('createService');
    const token = await steward.tokenOf('administrator');
    const { body } = await steward.app.inject({ url: `/admin/services?f=html&token=${token}` });
    expect(body).not.toContain('<details>');
  });

  test('text with markup is shown as text', async () => {
    await submit('/admin/services/createService', {
      serviceName: 'Marked',
      type: 'Map',
      description: '<img src=x onerror=alert(1)>"\'',
    });
    const page = await open('/admin/services/Marked.Map');
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });
});
