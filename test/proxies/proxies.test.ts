// Steward behind each proxy of Debian, with the configurations of docs/proxies.md, over TLS.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { runCommand } from '../support/run/runFolder.ts';
import { PREFIX, PROXY_NAMES } from '../support/proxies/configurations.ts';
import type { Variant } from '../support/proxies/configurations.ts';
import type { Front } from '../support/proxies/front.ts';
import { CLIENT_ADDRESS, startFront } from '../support/proxies/front.ts';
import { followThrough } from '../support/proxies/liveJob.ts';
import { hasProxy } from '../support/proxies/proxy.ts';
import type { Finished } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { Answer } from '../support/server/client.ts';
import { ADMIN_PASSWORD, runSteward } from '../support/server/stewardProcess.ts';

const MIB = 1024 * 1024;
const PATCH = 'pat_10.9.1.1842';
const FORGED = '192.0.2.66';
/** What a client sends that wants to be someone else. */
const FORGED_HEADERS = {
  'x-forwarded-for': FORGED,
  'x-real-ip': FORGED,
  forwarded: `for=${FORGED};host=forged.invalid;proto=http`,
  'x-forwarded-host': 'forged.invalid',
  'x-forwarded-proto': 'http',
};

function cookieOf({ headers }: Answer): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Runs a command as a person does who uses the public address. */
function steward({ caFile, folder }: Front, ...args: readonly string[]): Promise<Finished> {
  return runSteward(args, { env: { NODE_EXTRA_CA_CERTS: caFile, XDG_CONFIG_HOME: folder, HOME: folder } });
}

function upload({ client }: Front, token: string, bytes: number): Promise<Answer> {
  const content = Buffer.alloc(bytes, 'x');
  return client.postParts(
    '/admin/uploads/upload',
    [{ name: 'itemFile', fileName: 'large.bin', content, type: 'application/octet-stream' }],
    { authorization: `Bearer ${token}` },
  );
}

/** Calls all operations of the catalog at the address that the WSDL names. */
const ZEEP = `
import sys
from zeep import Client
client = Client(sys.argv[1])
print(client.service._binding_options["address"])
print(client.service.GetTokenServiceURL())
print(len(client.service.GetServiceDescriptions()))
`;

interface Finding {
  readonly name: string;
  readonly verdict: string;
  readonly text: string;
}

/** What `steward doctor` says about the public address, by the name of the check. */
async function doctorOn(front: Front): Promise<Readonly<Record<string, string>>> {
  const { folder, url, places } = front;
  const settings = ['--data', join(folder, 'data'), '--demo', '--port', String(places.steward)];
  const addresses = ['--public-url', url, '--trusted-proxies', '127.0.0.1'];
  const { stdout } = await steward(front, 'doctor', '--json', ...settings, ...addresses);
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] };
  const found = findings.filter(({ name }) => /^(?:public|proxy) /.test(name));
  return Object.fromEntries(found.map(({ name, verdict, text }) => [name, `${verdict}: ${text}`]));
}

interface Http2Answer {
  readonly status: number | undefined;
  readonly text: string;
}

function overHttp2({ url, caFile }: Front, path: string): Promise<Http2Answer> {
  const { origin, pathname } = new URL(url + path);
  const session = connectHttp2(origin, { ca: readFileSync(caFile) });
  return new Promise((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({ ':path': pathname });
    let [status, text]: [number | undefined, string] = [undefined, ''];
    stream.on('response', (headers) => (status = headers[':status']));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.once('end', () => {
      session.close();
      resolve({ status, text });
    });
    stream.end();
  });
}

/** The tests that hold with and without a path. */
function describeCommon(front: () => Front, variant: Variant): void {
  const prefix = variant === 'path' ? PREFIX : '';

  test('http is redirected to the same path of https', async () => {
    const { places } = front();
    const response = await fetch(`http://localhost:${places.http}${prefix}/console/?a=b`, { redirect: 'manual' });
    expect([301, 308]).toContain(response.status);
    const { protocol, hostname, port, pathname, search } = new URL(response.headers.get('location') ?? '');
    expect([protocol, hostname, pathname, search]).toEqual(['https:', 'localhost', `${prefix}/console/`, '?a=b']);
    // Caddy takes its own port for 443, to which another program passes it on.
    expect([String(places.https), '']).toContain(port);
  });

  test('the console and its files load over HTTP/1.1 and HTTP/2', async () => {
    const { client, url, places } = front();
    const page = await client.get('/console/', { 'accept-encoding': 'identity' });
    expect(page.status).toBe(200);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect(file.startsWith(`${prefix}/console/assets/`)).toBe(true);
      const response = await client.get(file.slice(prefix.length), { 'accept-encoding': 'gzip' });
      expect([file, response.status]).toEqual([file, 200]);
    }
    expect((await overHttp2(front(), '/healthz')).text).toBe('{"status":"alive"}');
    expect((await overHttp2(front(), '/console/')).status).toBe(200);
    const top = await client.get('/');
    expect(new URL(top.headers.get('location') ?? '', `https://localhost:${places.https}`).href).toBe(
      `${url}/console/`,
    );
  });

  test('[DEC3] a browser signs in, and its cookie and CSRF token write', async () => {
    const { client } = front();
    const signedIn = await client.post('/admin/login', { username: 'admin', password: ADMIN_PASSWORD });
    expect(signedIn.headers.get('set-cookie')).toContain(`; Path=${prefix === '' ? '/' : prefix};`);
    expect(signedIn.headers.get('set-cookie')).toContain('; Secure');
    const cookie = cookieOf(signedIn);
    const { csrfToken } = signedIn.body;
    const create = (headers: Readonly<Record<string, string>>) =>
      client.post('/admin/services/createFolder', { folderName: 'SignedIn' }, { cookie, ...headers });
    expect((await create({})).status).toBe(403);
    expect((await create({ 'x-csrf-token': csrfToken })).status).toBe(200);
    expect((await client.get('/admin/services/SignedIn', { cookie })).status).toBe(200);
  });

  test('[ADR1] all published addresses are below the public one, whatever host the client claims', async () => {
    const { client, url } = front();
    const { body } = await client.get('/compat/rest/info', FORGED_HEADERS);
    expect(body.authInfo.tokenServicesUrl).toBe(`${url}/tokens/generateToken`);
    expect(body.owningSystemUrl).toBe(`${url}/compat/admin`);
    expect((await client.get('/services?wsdl')).text).toContain(`location="${url}/services"`);
    expect((await client.get('/openapi.json')).body.servers).toEqual([{ url: prefix === '' ? '/' : prefix }]);
    expect((await client.get('/rest/info', FORGED_HEADERS)).headers.get('strict-transport-security')).not.toBeNull();
  });

  test('[ACC5] the audit log has the address of the client, not the one that it claims', async () => {
    const { client, steward: server } = front();
    const token = await server.token();
    await client.post('/tokens/generateToken', { username: 'admin', password: 'wrong' }, FORGED_HEADERS);
    await client.post('/admin/services/createFolder', { token, folderName: 'Forged' }, FORGED_HEADERS);
    const { entries } = await server.must('/admin/security/audit', { token });
    const found = entries.filter(({ action, target }: { readonly action: string; readonly target: string }) =>
      [action, target].some((text) => /signIn\.fail|Forged/.test(text)),
    );
    expect(found.map(({ from }: { readonly from: string }) => from)).toEqual([CLIENT_ADDRESS, CLIENT_ADDRESS]);
    expect(JSON.stringify(found)).not.toContain(FORGED);
  });

  test('[ACC4] a token that is bound to its client works for this client only', async () => {
    const { client, steward: server } = front();
    const fields = { username: 'admin', password: ADMIN_PASSWORD, client: 'requestip' };
    const { token } = await client.must('/tokens/generateToken', fields);
    expect((await client.get('/admin/mode', { authorization: `Bearer ${token}` })).status).toBe(200);
    const forged = await client.get('/admin/mode', { authorization: `Bearer ${token}`, ...FORGED_HEADERS });
    expect(forged.status).toBe(200);
    expect((await server.get('/admin/mode', { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test('[DEC101] steward doctor finds nothing to do', async () => {
    expect(await doctorOn(front())).toEqual({
      'public address': `pass: ${front().url} leads to this Steward, through a proxy.`,
      'proxy headers': 'pass: The proxy at 127.0.0.1 replaces the headers of the client with its own.',
      'proxy uploads': 'pass: A body of 17 MiB is not refused because of its length.',
      'proxy events': 'pass: Events arrive one by one.',
    });
  });

  test('a service in a folder is found by its encoded name', async () => {
    const { client, steward: server } = front();
    const token = await server.token();
    const service = { folderName: 'Encoded', serviceName: 'one', type: 'Query' };
    await client.must('/admin/services/createFolder', { token, folderName: 'Encoded' });
    await client.must('/admin/services/createService', { token, ...service });
    const { body } = await client.get(`/admin/services/Encoded%2Fone.Query?token=${token}`);
    expect(body).toMatchObject(service);
  });

  test.skipIf(!inject('hasSoapClients'))('a SOAP client follows the address in the WSDL', async () => {
    const { url, caFile } = front();
    const env = { PATH: process.env['PATH'], REQUESTS_CA_BUNDLE: caFile };
    const { stdout, stderr } = await runCommand('/usr/bin/python3', ['-c', ZEEP, `${url}/services?wsdl`], { env });
    const [address, tokenService, count] = stdout.trim().split('\n');
    expect([address, tokenService, stderr]).toEqual([`${url}/services`, `${url}/tokens/generateToken`, '']);
    expect(Number(count)).toBeGreaterThan(3);
  });

  test('an upload of 16 MiB is accepted, and Steward itself refuses one byte more', async () => {
    const token = await front().steward.token();
    const accepted = await upload(front(), token, 16 * MIB);
    expect([accepted.status, accepted.body?.status]).toEqual([200, 'success']);
    const refused = await upload(front(), token, 16 * MIB + 1);
    expect([refused.status, refused.body?.error.code]).toEqual([413, 413]);
  });

  test('the command line signs in, plans an upgrade and follows it, and its messages arrive while it runs', async () => {
    const { folder, url, steward: server } = front();
    const token = await server.token();
    await server.must('/admin/demo/settings', { token, rolloutMs: '500', hookMs: '100', databaseMs: '100' });
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, ADMIN_PASSWORD);
    const signedIn = await steward(front(), 'login', url, '--username', 'admin', '--password-file', passwordFile);
    expect(signedIn.stderr + signedIn.stdout).toContain(`Signed in at ${url} as admin`);
    expect((await steward(front(), 'status')).status).toBe(0);
    expect((await steward(front(), 'catalog', 'wsdl')).stdout).toContain(`location="${url}/services"`);
    expect((await steward(front(), 'upgrades', 'plan', PATCH)).stdout).toContain('1842');

    const started = steward(front(), 'upgrades', 'start', PATCH, '--yes');
    let id: string | undefined;
    await until('the job has started', async () => {
      const { jobs } = await server.must('/admin/system/jobs', { token });
      id = jobs[0]?.id;
      return id !== undefined;
    });
    const followed = await followThrough(front(), id ?? '', token);
    expect(followed.whileRunning.length).toBeGreaterThan(2);
    expect(followed.messages).toBeGreaterThan(followed.whileRunning.length);
    expect(followed).toMatchObject({ hasEnded: true });
    expect([undefined, 'identity']).toContain(followed.encoding);
    const { status, stdout, stderr } = await started;
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('10.9.1');
  });
}

describe.each(PROXY_NAMES)('%s', (name) => {
  describe.each([
    ['with the configuration of docs/proxies.md', 'host'],
    ['below a path', 'path'],
  ] as const)('%s', (_title, variant) => {
    describe.skipIf(!hasProxy(name))('a client', () => {
      let front: Front;
      beforeAll(async () => {
        front = await startFront(name, variant);
      });
      afterAll(() => front.close());
      describeCommon(() => front, variant);
    });
  });
});

describe.skipIf(!hasProxy('nginx'))('[ACC5] a configuration that the page warns of', () => {
  test.each([
    ['passes the header of the client on', '', 'fail: A client can forge its address'],
    [
      'appends to the header of the client',
      'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
      'warn: A client in a trusted network can forge its address',
    ],
  ])('that %s lets a client forge its address, and steward doctor says so', async (_title, line, finding) => {
    const front = await startFront('nginx', 'host', (text) =>
      text.replace('proxy_set_header X-Forwarded-For $remote_addr;', line),
    );
    // With a proxy on the same machine, a client there is in the trusted network.
    const near = new Agent({ connect: { ca: readFileSync(front.caFile, 'utf8'), family: 4 } });
    const token = await front.steward.token();
    await request(`${front.url}/admin/services/createFolder`, {
      dispatcher: near,
      method: 'POST',
      headers: { ...FORGED_HEADERS, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token, folderName: 'Forged' }).toString(),
    }).then(({ body }) => body.dump());
    const { entries } = await front.steward.must('/admin/security/audit', { token });
    expect(entries[0]).toMatchObject({ from: FORGED, target: expect.stringContaining('Forged') });
    expect((await doctorOn(front))['proxy headers']).toContain(finding);
    await near.destroy();
    await front.close();
  });

  test('[DEC101] that limits bodies, holds events back and hides the host is described by steward doctor', async () => {
    const front = await startFront('nginx', 'host', (text) =>
      text
        .replace('client_max_body_size 17m;', '')
        .replace('proxy_read_timeout', 'proxy_ignore_headers X-Accel-Buffering; proxy_read_timeout')
        .replace(/proxy_set_header (Host|X-Forwarded-Host) .*;/g, ''),
    );
    expect(await doctorOn(front)).toMatchObject({
      'proxy headers': expect.stringContaining('warn: The proxy does not set X-Forwarded-Host: it is forged.invalid'),
      'proxy uploads': 'fail: The proxy refuses a body of 17 MiB: it answers 413.',
      'proxy events': expect.stringContaining('fail: The proxy holds events back'),
    });
    await front.close();
  });

  test('[DEC101] that leads elsewhere is described by steward doctor', async () => {
    const front = await startFront('nginx', 'host', (text) =>
      text.replace('proxy_pass http://steward;', 'return 404;'),
    );
    expect(await doctorOn(front)).toEqual({
      'public address': `fail: ${front.url} does not lead to Steward: the answer is 404.`,
    });
    await front.close();
  });
});
