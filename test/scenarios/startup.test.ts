import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { ADMIN_PASSWORD, runSteward, startSteward } from '../support/server/stewardProcess.ts';
import { EARLIER_STORES } from '../support/store/earlierStores.ts';
import { rowsOf } from '../support/store/stores.ts';
import { PROJECT } from '../support/run/project.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let running: StewardProcess[] = [];

beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.end('SIGKILL')));
  folder.remove();
});

/** The arguments of openssl that make a certificate for this machine. */
function selfSigned(key: string, cert: string): readonly string[] {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  return ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1', ...subject];
}

async function start(
  options: { readonly env?: Record<string, string>; readonly args?: readonly string[] } = {},
): Promise<StewardProcess> {
  const one = await startSteward({ data, ...options });
  running.push(one);
  return one;
}

const run = (args: readonly string[], env: Record<string, string> = {}) => runSteward(args, { env, cwd: folder.path });

describe('[ADR7] the settings of a start', () => {
  test('[DEC22] all mistakes are reported together, and no secret is printed', async () => {
    const file = join(folder.path, 'steward.yaml');
    writeFileSync(file, 'port: abc\ncolour: red\nlog_level: loud\n');
    const { status, stderr } = await run(
      ['serve', '--config', file, '--root', '/services', '--trusted-proxies', '10.0.0.0/99'],
      {
        STEWARD_ADMIN_PASSWORD: 'short',
        STEWARD_STORE: 'mysql://user:topsecret@host/db',
        STEWARD_TLS_CERT: 'a.pem',
      },
    );
    expect(status).toBe(2);
    expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(8);
    for (const part of [
      'port in',
      'colour in',
      'log_level in',
      '--root',
      '--trusted-proxies',
      'STEWARD_ADMIN_PASSWORD',
      'STEWARD_STORE',
      'STEWARD_TLS_KEY',
    ])
      expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/topsecret|"short"/);
  });

  test('[ADR3] [ADR8] [DEC61] the compat interface, the aliases and other origins are settings', async () => {
    const file = join(folder.path, 'addresses.yaml');
    writeFileSync(file, 'compat: off\n');
    const origin = 'https://portal.example';
    const steward = await start({
      args: ['--config', file, '--cors-origins', `${origin}, http://localhost:3000`],
      env: { STEWARD_ALIASES: 'off' },
    });
    for (const path of ['/compat/admin/mode', '/compat/services', '/system/upgrades', '/services/webhooks/settings'])
      expect((await steward.post(path, { f: 'json' })).status).toBe(404);
    const { status, headers } = await steward.get('/admin/system/upgrades', { origin });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, origin]);
  });

  test('[DEC22] [ADR3] [IFC12] flags win over the environment, which wins over the file', async () => {
    const file = join(folder.path, 'steward.yaml');
    writeFileSync(file, 'root: /from-file\nSTEWARD_CATALOG_NAMESPACE: urn:file\ntrusted-proxies: [10.0.0.0/8]\n');
    const steward = await start({
      args: ['--config', file, '--root', '/from-flag'],
      env: { STEWARD_ROOT: '/from-environment', STEWARD_CATALOG_NAMESPACE: 'urn:environment' },
    });
    expect(steward.output()).toContain('/from-flag');
    expect((await steward.post('/from-flag/mode', {})).status).toBe(401);
    expect((await steward.post('/admin/mode', {})).status).toBe(404);
    expect((await steward.post('/compat/admin/mode', { f: 'json' })).body.error.code).toBe(499);
    const envelope =
      '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><GetServiceDescriptions/></e:Body></e:Envelope>';
    const answer = await fetch(`${steward.url}/services`, {
      method: 'POST',
      body: envelope,
      headers: { 'content-type': 'text/xml' },
    });
    expect(await answer.text()).toContain('xmlns="urn:environment"');
  });

  test('[DEC23] an unknown variable is reported, and the variables that Kubernetes sets for a Service called steward are not', async () => {
    const steward = await start({
      env: { STEWARD_PROT: '7', STEWARD_SERVICE_HOST: '10.0.0.1', STEWARD_PORT_6080_TCP: 'tcp://10.0.0.1:6080' },
    });
    expect(steward.output()).toContain('STEWARD_PROT in the environment: unknown setting');
    expect(steward.output()).not.toContain('STEWARD_SERVICE_HOST');
    expect((await run(['serve', '--port', '70000'], { STEWARD_PORT: 'tcp://10.0.0.1:6080' })).stderr).toContain(
      '--port: must be',
    );
  });

  test('[DEC94] a data folder that every user can change is a warning with the command that repairs it', async () => {
    mkdirSync(data);
    chmodSync(data, 0o777);
    expect((await start()).output()).toContain(`chmod 700 ${data}`);
  });

  test('[DEC94] a full disk behind the standard output does not end the server, and ends another command with a sentence', async () => {
    const program = [process.execPath, join(PROJECT, 'dist', 'steward.js')].join(' ');
    const toFull = (rest: string) =>
      spawnSync('sh', ['-c', `${program} ${rest}`], { encoding: 'utf8', timeout: 30_000 });
    const printed = toFull('completion bash > /dev/full');
    expect([printed.status, printed.stderr]).toEqual([1, expect.stringContaining('The output cannot be written')]);
    expect(printed.stderr.trim().split('\n')).toHaveLength(1);
    const served = await startSteward({ data, hasReader: false, before: 'exec > /dev/full' });
    running.push(served);
    expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
    expect(await served.end('SIGTERM')).toBe(0);
  });

  describe('a start that cannot succeed', () => {
    const serve = async (...args: readonly string[]): Promise<string> =>
      (await run(['serve', '--port', '0', ...args])).stderr;

    test('[DEC93] a port or a data folder in use is reported with what to do, and another start may succeed', async () => {
      const { url } = await start();
      const other = join(folder.path, 'other');
      const inUse = await run(['serve', '--port', new URL(url).port, '--data', other]);
      expect(inUse).toMatchObject({ status: 1, stderr: expect.stringContaining('choose another port with --port') });
      const locked = await run(['serve', '--port', '0', '--data', data]);
      expect(locked).toMatchObject({ status: 1, stderr: expect.stringContaining('Another process uses') });
    });

    test.each([
      [['--host', 'nowhere.invalid'], 'The name nowhere.invalid has no address on this machine'],
      [['--host', '192.0.2.1'], 'This machine has no address 192.0.2.1'],
    ])('[DEC93] %j is one sentence with what to do, and no other start is needed', async (args, said) => {
      const { status, stderr } = await run(['serve', '--port', '7999', '--data', data, ...args]);
      expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
      expect(stderr).toContain('with --host');
      expect(stderr.trim().split('\n')).toHaveLength(1);
    });

    test('[DEC54] [DEC93] a start for a cluster is refused if nothing says which cluster it is', async () => {
      const args = ['serve', '--port', '0', '--data', data, '--deployment', 'kubernetes'];
      const { status, stderr } = await run(args, { HOME: folder.path });
      expect([status, stderr]).toEqual([2, expect.stringContaining('Set STEWARD_KUBECONFIG to a kubeconfig')]);
      expect(existsSync(join(data, 'steward.db'))).toBe(false);
    });

    test.each([
      ['~/data', 'begins with ~, which only a shell replaces'],
      [`/tmp/${'long/'.repeat(120)}data`, 'Choose a shorter one with --data'],
    ])('[DEC93] the data folder %s is refused with what to do, and nothing is created', async (given, said) => {
      const { status, stderr } = await run(['serve', '--port', '0', '--data', given]);
      expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
      expect(existsSync(join(folder.path, '~'))).toBe(false);
    });

    test('[STO1] a start whose port is taken leaves the schema of its store as it is', async () => {
      const { url } = await start();
      const other = join(folder.path, 'other');
      mkdirSync(other);
      const earlier = EARLIER_STORES[0];
      const place = { kind: 'sqlite' as const, at: join(other, 'steward.db'), connections: 1 };
      await earlier?.load('full', place, { data: other, receiver: 'http://127.0.0.1:1' });
      const before = await rowsOf(place, 'schema_migration');
      const inUse = await run(['serve', '--demo', '--port', new URL(url).port, '--data', other]);
      expect(inUse.stderr).toContain('choose another port with --port');
      expect(await rowsOf(place, 'schema_migration')).toEqual(before);
    });

    test('a missing certificate or key file is reported with what to do', async () => {
      expect(await serve('--data', data, '--tls-cert', '/none', '--tls-key', '/none')).toContain('cannot be used');
      expect(await serve('--data', data, '--master-key-file', '/none')).toContain('openssl rand -base64 32');
    });

    test('[ACC11] a secret that other users can read is reported with the command that fixes it', async () => {
      mkdirSync(data, { recursive: true });
      const files = ['master.key', 'first-password', 'tls.key', 'steward.yaml'].map((name) => join(data, name));
      const [masterKey = '', firstPassword = '', tlsKey = '', settings = ''] = files;
      const fix = (file: string): string => `can read or write it (mode 0644). Run: chmod 600 ${file}`;
      writeFileSync(masterKey, Buffer.alloc(32, 7).toString('base64'));
      expect(await serve('--data', data)).toContain(fix(masterKey));
      chmodSync(masterKey, 0o600);
      writeFileSync(firstPassword, 'a-generated-password');
      // There is a key and no store.
      expect(await serve('--data', data, '--new')).toContain(fix(firstPassword));
      chmodSync(firstPassword, 0o600);
      const made = spawnSync('openssl', selfSigned(tlsKey, join(data, 'tls.crt')));
      expect(made.status).toBe(0);
      chmodSync(tlsKey, 0o644);
      expect(await serve('--data', data, '--tls-cert', join(data, 'tls.crt'), '--tls-key', tlsKey)).toContain(
        fix(tlsKey),
      );
      writeFileSync(settings, 'admin_password: a-long-password\n');
      expect(await serve('--data', data, '--config', settings)).toContain(fix(settings));
    });

    test('a data folder that is a file, and a store that is damaged, are reported', async () => {
      writeFileSync(join(folder.path, 'file'), 'no database');
      expect(await serve('--data', join(folder.path, 'file'))).toContain('cannot be used as the data folder');
      const ruined = join(folder.path, 'ruined');
      mkdirSync(ruined);
      writeFileSync(
        join(ruined, 'steward.db'),
        'this is no database at all, and long enough to be looked at closely by anyone',
      );
      expect(await serve('--data', ruined)).toContain('cannot be opened as a store');
    });

    test('an address of a store that must be encoded and an unknown command are reported', async () => {
      expect(await serve('--data', data, '--store', 'postgres://u:a#b@127.0.0.1:1/x')).toContain('percent-encoded');
      expect((await run(['srve'])).stderr).toContain("unknown command 'srve'");
    });
  });
});

describe('[ACC2] the first start', () => {
  test('the first start makes admin with a generated password, and keeps it in a private file until it is changed', async () => {
    const steward = await start({ env: { STEWARD_ADMIN_PASSWORD: '' } });
    const file = join(data, 'first-password');
    const password = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(data, 'master.key')).mode & 0o777).toBe(0o600);
    expect(steward.output()).toContain(`admin / ${password}`);
    const token = await steward.token({ password });
    expect(await steward.end('SIGTERM')).toBe(0);
    const again = await start({ env: { STEWARD_ADMIN_PASSWORD: 'used-on-the-first-start-only' } });
    expect(again.output()).toContain(password);
    expect(
      (await again.post('/admin/changePassword', { token, currentPassword: password, newPassword: 'my-new-password' }))
        .status,
    ).toBe(200);
    await until('the file with the first password is gone', () => !existsSync(file));
    await again.token({ password: 'my-new-password' });
  });

  test('the first start takes STEWARD_ADMIN_PASSWORD instead, and then keeps no file', async () => {
    const steward = await start();
    await steward.token();
    expect(existsSync(join(data, 'first-password'))).toBe(false);
    expect(steward.output()).not.toContain(ADMIN_PASSWORD);
  });

  test('a start after one that was cut off while it wrote the file makes a new password', async () => {
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'first-password'), '');
    writeFileSync(join(data, 'master.key'), '');
    const steward = await start({ env: { STEWARD_ADMIN_PASSWORD: '' } });
    expect(await steward.token({ password: readFileSync(join(data, 'first-password'), 'utf8').trim() })).toMatch(
      /^stw_/,
    );
    expect(statSync(join(data, 'steward.db')).mode & 0o077).toBe(0);
  });

  test('a start after one that was cut off after it wrote the file uses that password', async () => {
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'first-password'), 'left-over-password\n', { mode: 0o600 });
    const steward = await start({ env: { STEWARD_ADMIN_PASSWORD: '' } });
    expect(await steward.token({ password: 'left-over-password' })).toMatch(/^stw_/);
  });
});

describe('the demo', () => {
  test('[ADR7] the demo fills an empty catalog once, with services that say they are a demo', async () => {
    const steward = await start({ args: ['--demo'] });
    const token = await steward.token();
    const namesAt = async ({ url }: StewardProcess) => (await soapServices(url, token)).map(({ name }) => name);
    const filled = await namesAt(steward);
    expect(filled).toContain('Overview');
    for (const { description } of await soapServices(steward.url, token)) expect(description).toMatch(/^Demo: /);
    await steward.must('/admin/services/Overview.Map/delete', { token });
    await steward.end('SIGTERM');
    const again = await start({ args: ['--demo'] });
    expect(await namesAt(again)).toEqual(filled.filter((name) => name !== 'Overview'));
  });

  test('[ADR7] [DEC49] a store of the demo is refused without --demo, and any other store with it', async () => {
    const steward = await start({ args: ['--demo'] });
    const token = await steward.token();
    for (const { path } of await demoAddresses(steward, token)) await steward.must(`${path}/delete`, { token });
    await steward.end('SIGTERM');
    const plain = await run(['serve', '--port', '0', '--data', data]);
    expect([plain.status, plain.stderr]).toEqual([2, expect.stringContaining('belongs to the demo')]);
    await (await start({ args: ['--demo'] })).end('SIGTERM');
    data = join(folder.path, 'real');
    await (await start()).end('SIGTERM');
    const demo = await run(['serve', '--port', '0', '--data', data, '--demo']);
    expect([demo.status, demo.stderr]).toEqual([2, expect.stringContaining('was used without --demo')]);
    await start();
  });

  test('[ADR7] a start without --demo makes up nothing', async () => {
    const steward = await start();
    expect((await steward.post('/admin/services', { token: await steward.token() })).body).toMatchObject({
      folders: [],
      services: [],
    });
    expect(steward.output().toLowerCase()).not.toContain('demo');
  });
});

/** The addresses of all services, as administrators see them. */
async function demoAddresses({ must }: StewardProcess, token: string): Promise<readonly { readonly path: string }[]> {
  const { services } = await must('/admin/services/export', { token, f: 'json' });
  return services.map(({ folderName, serviceName, type }: Record<string, string>) => ({
    path: `/admin/services/${folderName ? `${encodeURIComponent(folderName)}/` : ''}${encodeURIComponent(`${serviceName}.${type}`)}`,
  }));
}

async function soapServices(
  url: string,
  token: string | undefined,
): Promise<readonly { readonly name: string; readonly description: string; readonly url: string }[]> {
  const body =
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><GetServiceDescriptions xmlns="http://www.svc.example/schemas/Product/10.0"/></e:Body></e:Envelope>';
  const response = await fetch(`${url}/services${token === undefined ? '' : `?token=${token}`}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/xml' },
  });
  const xml = await response.text();
  return [...xml.matchAll(/<Name>(.*?)<\/Name>.*?<Url>(.*?)<\/Url>.*?<Description>(.*?)<\/Description>/g)].map(
    ([, name = '', at = '', description = '']) => ({ name, url: at, description }),
  );
}

describe('a published service in the SOAP catalog', () => {
  test('[CAT3] [CAT5] [ADR1] a caller without a token sees public running services, and with a token all running ones', async () => {
    const steward = await start({ env: { STEWARD_PUBLIC_URL: 'https://catalog.example/' } });
    const { url } = steward;
    const token = await steward.token();
    const create = (fields: Record<string, string>) =>
      steward.post('/admin/services/createService', { token, type: 'Map', ...fields });
    await steward.post('/admin/services/createFolder', { token, folderName: 'F' });
    await create({ serviceName: 'B', access: 'public', folderName: 'F' });
    await create({ serviceName: 'A', access: 'public', description: '<a> & "b"' });
    await create({ serviceName: 'C', url: 'https://elsewhere.example/c' });
    await create({ serviceName: 'D', access: 'public' });
    await steward.post('/admin/services/D.Map/stop', { token });
    expect(await soapServices(url, undefined)).toEqual([
      { name: 'A', url: 'https://catalog.example/services/A/Map', description: '&lt;a&gt; &amp; "b"' },
      { name: 'F/B', url: 'https://catalog.example/services/F/B/Map', description: '' },
    ]);
    expect((await soapServices(url, token)).map(({ name, url: at }) => [name, at])).toEqual([
      ['A', 'https://catalog.example/services/A/Map'],
      ['C', 'https://elsewhere.example/c'],
      ['F/B', 'https://catalog.example/services/F/B/Map'],
    ]);
  });
});

describe('a server that gets a stop signal', () => {
  const BODY = 'username=admin&password=wrong';

  /** A request whose head the server has read, and whose body is not complete. */
  async function halfRequest(steward: StewardProcess) {
    const { hostname, port } = new URL(steward.url);
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
    socket.write(
      `POST /tokens/generateToken HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${BODY.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until('the server asks for the body', () => text.includes('100 Continue'));
    socket.write(BODY.slice(0, 5));
    return { finish: () => socket.write(BODY.slice(5)), destroy: () => socket.destroy(), closed };
  }

  const isStopping = (steward: StewardProcess) =>
    until('the server stops', () => steward.log().includes('requests in progress are finished first'));

  test('[DEC24] the server finishes the request in progress after SIGTERM, and then ends with 0', async () => {
    const steward = await start();
    const request = await halfRequest(steward);
    const ended = steward.end('SIGTERM');
    await isStopping(steward);
    request.finish();
    expect(await request.closed).toContain('Unable to generate token.');
    expect(await ended).toBe(0);
    expect(steward.log()).toContain('stopped');
  });

  test('the server ends at the second signal without waiting for the request in progress', async () => {
    const steward = await start();
    const request = await halfRequest(steward);
    steward.process.kill('SIGTERM');
    await isStopping(steward);
    expect(await steward.end('SIGTERM')).toBe(1);
    expect(steward.log()).not.toContain('requests did not end in time');
    request.destroy();
  });
});

describe('a server with TLS or behind a proxy', () => {
  test('[DEC81] a server with certificate and key serves HTTPS, its token service says ssl, and a metric tells the expiry', async () => {
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const made = spawnSync('openssl', selfSigned(key, cert));
    expect(made.status).toBe(0);
    const steward = await start({ args: ['--tls-cert', cert, '--tls-key', key] });
    expect(steward.url).toMatch(/^https:/);
    const askWith = (path: string, options: string): string => {
      const script = `fetch(${JSON.stringify(steward.url + path)}, ${options}).then((r) => r.text()).then((t) => console.log(t))`;
      return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', env: { NODE_EXTRA_CA_CERTS: cert } })
        .stdout;
    };
    const form = `new URLSearchParams({ username: 'admin', password: ${JSON.stringify(ADMIN_PASSWORD)} })`;
    const answer = askWith('/tokens/generateToken', `{ method: 'POST', body: ${form} }`);
    expect(JSON.parse(answer)).toMatchObject({ ssl: true });
    const expires = Date.parse(new X509Certificate(readFileSync(cert)).validTo) / 1000;
    expect(askWith('/metrics', '{}')).toContain(`steward_tls_certificate_expires_seconds ${expires}\n`);
  });

  test('[ACC5] forwarded headers are believed from trusted proxies only', async () => {
    const forwarded = {
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'front.example',
    };
    const form = { username: 'admin', password: ADMIN_PASSWORD, client: 'requestip' };
    const open = await start();
    const direct = await open.post('/tokens/generateToken', form, forwarded);
    expect(direct.body.ssl).toBe(false);
    expect((await open.post('/admin/mode', { token: direct.body.token })).status).toBe(200);
    await open.end('SIGTERM');
    const behind = await start({ args: ['--trusted-proxies', '127.0.0.0/8'] });
    const proxied = await behind.post('/tokens/generateToken', form, forwarded);
    expect(proxied.body.ssl).toBe(true);
    expect((await behind.post('/admin/mode', { token: proxied.body.token })).status).toBe(401);
    expect((await behind.post('/admin/mode', { token: proxied.body.token }, forwarded)).status).toBe(200);
  });
});

describe('the log and the disk of a server', () => {
  test.each([
    [{}, [], 'public addresses only', 400],
    [{ STEWARD_PUBLIC_URL: 'https://steward.example' }, [], 'public addresses only', 400],
    [{ STEWARD_WEBHOOK_ALLOW: '10.0.0.0/8' }, [], '10.0.0.0/8 (STEWARD_WEBHOOK_ALLOW)', 400],
    [{ STEWARD_WEBHOOK_ALLOW: '127.0.0.1' }, [], '127.0.0.1 (STEWARD_WEBHOOK_ALLOW)', 200],
    [{ STEWARD_DEMO_RECEIVER_PORT: '0' }, ['--demo'], 'this machine (because of --demo)', 200],
  ])(
    '[WHK9] a server with %j and flags %j states that it allows %s, and answers %i to a receiver on loopback',
    async (env, args, words, status) => {
      const steward = await start({ env: { STEWARD_WEBHOOK_ALLOW: '', ...env }, args });
      expect(/^ +Receivers +(.*)$/m.exec(steward.output())?.[1]).toContain(words);
      const token = await steward.token();
      await steward.must('/admin/services/createService', { token, serviceName: 'Orders', type: 'Map' });
      const hook = { token, name: 'a', hookUrl: 'http://127.0.0.1:6379/' };
      const made = await steward.post('/admin/services/Orders.Map/webhooks/create', hook);
      expect(made.status).toBe(status);
      expect(made.text.includes('as in STEWARD_WEBHOOK_ALLOW=127.0.0.1')).toBe(status === 400);
    },
  );

  test('no password and no token reaches the log', async () => {
    const steward = await start({ env: { STEWARD_LOG_LEVEL: 'debug' } });
    const token = await steward.token();
    await fetch(`${steward.url}/admin/mode?token=${token}`);
    await fetch(`${steward.url}/admin/nothing?token=${token}&password=${encodeURIComponent(ADMIN_PASSWORD)}`);
    await steward.post('/admin/security/users/create', {
      token,
      username: 'x',
      password: 'the-secret-of-x',
      role: 'viewer',
    });
    await steward.end('SIGTERM');
    expect(steward.log()).toContain('"path":"/admin/mode"');
    expect(steward.log()).not.toContain(token);
    expect(steward.log()).not.toContain('the-secret-of-x');
    expect(steward.log()).not.toContain('horse');
  });

  test('[STO3] [DEC21] a server with too little disk says so at /readyz and accepts no writes', async () => {
    const steward = await start({ args: ['--disk-watermark-mib', '1048576'] });
    const token = await steward.token();
    const ready = await fetch(`${steward.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({
      status: 'not ready',
      reasons: ['less than 1048576 MiB of disk are free in the data folder'],
    });
    const refused = await steward.post('/admin/services/createFolder', { token, folderName: 'F' });
    expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({ status: 503, after: '60' });
    expect((await steward.post('/admin/services', { token })).body.folders).toEqual([]);
  });
});

test('the built program refuses a form that is not valid percent-encoding, as its sources do', async () => {
  const { url } = await start();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(`${url}/admin/mode`, { method: 'POST', headers, body: 'message=%ff' });
  expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('percent-encoding') } });
});
