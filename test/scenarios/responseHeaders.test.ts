import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/run/runFolder.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

const ORIGIN = 'https://portal.example';

let steward: InProcessServer;
let token: string;

beforeAll(async () => {
  steward = await startInProcess({ corsOrigins: [ORIGIN, 'http://localhost:3000'], trustedProxies: ['127.0.0.1'] });
  token = await steward.tokenOf('administrator');
});
afterAll(() => steward.close());

async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method: 'GET' | 'OPTIONS' | 'POST' = 'GET',
) {
  return steward.app.inject({ method, url, headers });
}

const PAGES = ['/services', '/admin?f=html', '/admin/mode?f=html', '/nothing?f=html', '/rest/services?f=html'];
const ADDRESSES = [
  ...PAGES,
  '/healthz',
  '/metrics',
  '/openapi.json',
  '/rest/info',
  '/admin/mode',
  '/services?wsdl',
  '/%zz',
];

describe('[DEC60] the headers of every answer', () => {
  test('a page has a policy that lets it run and load nothing', async () => {
    const policies = await Promise.all(PAGES.map(async (url) => (await ask(url)).headers['content-security-policy']));
    for (const policy of policies) expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
  });

  test('no answer sends a referrer to another site or is sniffed, and each has a request id and a rule for caches', async () => {
    for (const url of ADDRESSES) {
      const { headers, statusCode } = await ask(url);
      const hasSignInForm = statusCode === 401 && url.endsWith('f=html');
      expect(headers).toMatchObject({
        'referrer-policy': hasSignInForm ? 'same-origin' : 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        'cache-control': expect.any(String),
      });
    }
  });

  test('an answer to a token is never kept by a shared cache', async () => {
    const addresses = ['/admin/mode', '/admin/services', '/admin/nothing', '/rest/services', '/rest/services?f=pjson'];
    for (const url of [...addresses, '/compat/rest/services', '/compat/admin/mode', '/admin/system/upgrades']) {
      const answers = [
        await ask(url, { authorization: `Bearer ${token}` }),
        await ask(url, { authorization: 'Bearer wrong' }),
        await ask(`${url}${url.includes('?') ? '&' : '?'}token=${token}`),
      ];
      for (const { headers } of answers) expect(headers['cache-control']).toMatch(/^(no-store|private, no-cache)$/);
    }
    const soap = await steward.app.inject({
      method: 'POST',
      url: `/services?token=${token}`,
      payload:
        '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><GetFolders/></e:Body></e:Envelope>',
      headers: { 'content-type': 'text/xml' },
    });
    expect([soap.statusCode, soap.headers['cache-control']]).toEqual([200, 'no-store']);
  });

  test('HSTS is sent behind a trusted proxy that uses https, and not over plain HTTP', async () => {
    const hsts = async (headers: Readonly<Record<string, string>>, url = '/admin/mode') =>
      (await ask(url, headers)).headers['strict-transport-security'];
    for (const url of ['/admin/mode', '/', '/nothing'])
      expect(await hsts({ 'x-forwarded-proto': 'https' }, url)).toBe('max-age=31536000');
    expect(await hsts({})).toBeUndefined();
    expect(await hsts({ 'x-forwarded-proto': 'http' })).toBeUndefined();
    const untrusting = await startInProcess();
    const { headers } = await untrusting.app.inject({ url: '/', headers: { 'x-forwarded-proto': 'https' } });
    expect(headers['strict-transport-security']).toBeUndefined();
    await untrusting.close();
  });
});

describe('[DEC61] a page of another origin', () => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };

  test('a page of a listed origin may read answers and errors, without cookies', async () => {
    for (const url of ADDRESSES.filter((one) => one !== '/%zz')) {
      const { headers } = await ask(url, { origin: ORIGIN });
      expect(headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers.vary).toMatch(/^Origin/);
    }
  });

  test('a preflight request of a listed origin is answered, for operations, SOAP and the JSON catalog', async () => {
    for (const url of [
      '/admin/mode',
      '/admin/services/A.B/edit',
      '/services',
      '/rest/services',
      '/tokens/generateToken',
    ]) {
      const { statusCode, headers } = await ask(url, { origin: ORIGIN, ...preflight }, 'OPTIONS');
      expect([statusCode, headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST');
      expect(headers['access-control-allow-headers']).toMatch(/Authorization, Content-Type/);
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  test.each(['https://evil.example', 'https://portal.example.evil.example', 'http://portal.example', 'null', ''])(
    'a page of the origin "%s" gets no permission',
    async (origin) => {
      const answers = [
        await ask('/admin/mode', { origin }),
        await ask('/admin/mode', { origin, ...preflight }, 'OPTIONS'),
      ];
      for (const { headers } of answers) expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(answers[1]?.statusCode).toBe(405);
    },
  );

  test('without the setting no origin gets permission, and OPTIONS is answered with 405', async () => {
    const closed = await startInProcess();
    const headers = { origin: ORIGIN, ...preflight };
    const answer = await closed.app.inject({ method: 'OPTIONS', url: '/admin/mode', headers });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(answer.headers).not.toHaveProperty('vary');
    await closed.close();
  });

  test('a compressed answer varies by origin and encoding', async () => {
    const { headers } = await ask('/openapi.json', { origin: ORIGIN, 'accept-encoding': 'gzip' });
    expect([headers['content-encoding'], headers.vary]).toEqual(['gzip', 'Origin, Accept-Encoding']);
  });
});

describe('[DEC60] a server with TLS', () => {
  const folder = temporaryFolder();
  let secure: InProcessServer;
  let port: number;

  beforeAll(async () => {
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    const command = [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-subj',
      '/CN=localhost',
    ];
    execFileSync('openssl', command, { stdio: 'ignore' });
    secure = await startInProcess({ tls: { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') } });
    port = Number(new URL(await secure.app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  afterAll(async () => {
    await secure.close();
    folder.remove();
  });

  /** Returns the cipher that is agreed on, and the head of an answer. */
  function connectWith(options: object): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
        let answer = socket.getCipher().name;
        socket.on('data', (chunk) => (answer += chunk.toString()));
        socket.on('close', () => resolve(answer));
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      });
      socket.on('error', ({ message }) => resolve(`refused: ${message}`));
    });
  }

  test('every answer has HSTS', async () => {
    expect(await connectWith({})).toMatch(/^TLS_AES.*strict-transport-security: max-age=31536000/s);
    expect(await connectWith({ maxVersion: 'TLSv1.2' })).toMatch(/^ECDHE-.*HTTP\/1\.1 200/s);
  });

  test.each(['AES128-SHA', 'AES256-SHA256', 'AES128-GCM-SHA256', 'ECDHE-RSA-AES128-SHA', 'ECDHE-RSA-AES256-SHA384'])(
    'the cipher %s is refused',
    async (ciphers) => {
      expect(await connectWith({ ciphers, maxVersion: 'TLSv1.2' })).toMatch(/^refused/);
    },
  );

  test('TLS 1.1 is refused', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' };
    expect(await connectWith(old)).toMatch(/^refused/);
  });
});
