import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RegistryServer } from '../../../../test/support/registry/registryServer.ts';
import {
  digestOfText,
  imageManifest,
  indexManifest,
  startRegistry,
} from '../../../../test/support/registry/registryServer.ts';
import { temporaryFolder } from '../../../../test/support/run/runFolder.ts';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { createImageFinder } from './imageFinder.ts';
import { parseReference } from './imageReference.ts';
import type { Credentials } from './credentials.ts';
import { credentialsFor } from './credentials.ts';
import { credentialsIn } from './pullSecrets.ts';
import type { RegistryClient } from './registryClient.ts';
import { createRegistryClient } from './registryClient.ts';

const NONE: Credentials = new Map();
const BASIC = Buffer.from('ann:secret').toString('base64');

let registry: RegistryServer;
let client: RegistryClient;
beforeEach(async () => {
  registry = await startRegistry();
  client = createRegistryClient({ ca: undefined, plainHttp: new Set() });
});
afterEach(async () => {
  await client.close();
  await registry.close();
});

function find(name: string, credentials = NONE, isDeep = false, signal?: AbortSignal) {
  return client.find(parseReference(`${registry.host}/${name}`), { credentials, isDeep }, signal);
}

describe('[UPG6] the registry client, on a small registry of the test', () => {
  test('an image is found by tag and by digest, with its configuration as an alias', async () => {
    const digest = registry.put('acme/web', imageManifest('web'), '1');
    const found = { kind: 'found', digest, aliases: [digestOfText('web')] };
    expect(await find('acme/web:1')).toMatchObject(found);
    expect(await find(`acme/web@${digest}`)).toMatchObject(found);
    expect(await find(`acme/web:9@${digest}`)).toMatchObject(found);
  });

  test('an index has its platforms as aliases, and their configurations if it is asked for deeply', async () => {
    const [one, two] = [imageManifest('amd64'), imageManifest('arm64')].map((image) => registry.put('web', image));
    const digest = registry.put('web', indexManifest(one ?? '', two ?? ''), '1');
    expect(await find('web:1')).toMatchObject({ digest, aliases: [one, two] });
    expect(await find('web:1', NONE, true)).toMatchObject({
      digest,
      aliases: [one, two, digestOfText('amd64'), digestOfText('arm64')],
    });
  });

  test('an image that is not there is absent, and any other refusal is unknown', async () => {
    expect(await find('web:1')).toEqual({ kind: 'absent', reason: `the registry ${registry.host} has no web with 1` });
    for (const status of [401, 403]) {
      registry.answerWith(() => ({ status }));
      expect(await find('web:1')).toEqual({
        kind: 'unknown',
        isRefused: true,
        reason: `the registry ${registry.host} refused web without credentials (${status}), and there are none for it`,
      });
    }
    for (const status of [429, 500, 503]) {
      registry.answerWith(() => ({ status }));
      expect(await find('web:1')).toEqual({
        kind: 'unknown',
        reason: `the registry ${registry.host} answered ${status} for web`,
      });
    }
  });

  test('a digest header that lies, a body that is not a manifest and one that is too large are unknown', async () => {
    registry.answerWith(() => ({ status: 200, body: '{}', headers: { 'docker-content-digest': digestOfText('x') } }));
    expect(await find('web:1')).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('but its manifest') });
    registry.answerWith(() => ({ status: 200, body: '<html>' }));
    expect(await find('web:1')).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('no manifest') });
    registry.answerWith(() => ({ status: 200, body: ' '.repeat(4 * 1024 * 1024 + 1) }));
    expect(await find('web:1')).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('4 MiB') });
  });

  test('another content than that of the digest is found with its own digest', async () => {
    const body = JSON.stringify(imageManifest('other'));
    registry.answerWith(() => ({ status: 200, body }));
    expect(await find(`web@${digestOfText('wanted')}`)).toMatchObject({ kind: 'found', digest: digestOfText(body) });
  });

  test('a registry that hangs is given up when the signal aborts', async () => {
    registry.answerWith(() => 'hang');
    const control = new AbortController();
    const finding = find('web:1', NONE, false, control.signal);
    await expect.poll(() => registry.requests.length).toBe(1);
    control.abort();
    expect(await finding).toMatchObject({ kind: 'unknown' });
  });

  test('a registry that does not listen is unknown, and nothing is thrown', async () => {
    const options = { credentials: NONE, isDeep: false };
    expect(await client.find(parseReference('127.0.0.1:1/web:1'), options)).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('the registry 127.0.0.1:1 does not answer'),
    });
  });
});

describe('[UPG6] credentials of registries, on a small registry of the test', () => {
  test('a bearer challenge is answered with a token, which is kept for the repository', async () => {
    const digest = registry.put('acme/web', imageManifest('web'), '1');
    const challenge = `Bearer realm="http://${registry.host}/token",service="registry",scope="repository:acme/web:pull"`;
    registry.answerWith(({ path, authorization }) => {
      if (path.startsWith('/token'))
        return authorization === `Basic ${BASIC}` ? { status: 200, body: '{"token":"t1"}' } : { status: 401 };
      return authorization === 'Bearer t1' ? undefined : { status: 401, headers: { 'www-authenticate': challenge } };
    });
    const credentials = new Map([[registry.host, BASIC]]);
    expect(await find('acme/web:1', credentials)).toMatchObject({ kind: 'found', digest });
    expect(registry.requests[1]?.path).toBe('/token?service=registry&scope=repository%3Aacme%2Fweb%3Apull');
    const before = registry.requests.length;
    expect(await find('acme/web:1', credentials)).toMatchObject({ kind: 'found' });
    expect(registry.requests.length).toBe(before + 1);
    await client.close();
    client = createRegistryClient({ ca: undefined, plainHttp: new Set() });
    expect(await find('acme/web:1')).toMatchObject({ kind: 'unknown' });
  });

  test('[K2] of several credentials for a registry, that with the longest matching path is used', async () => {
    const [cache, migrate] = ['cache:one', 'migrate:two'].map((one) => Buffer.from(one).toString('base64'));
    registry.put('shop/cache', imageManifest('cache'), '1');
    registry.put('shop/migrate', imageManifest('migrate'), '1');
    registry.answerWith(({ path, authorization }) => {
      const wanted = path.includes('/shop/cache/') ? cache : migrate;
      return authorization === `Basic ${wanted}`
        ? undefined
        : { status: 401, headers: { 'www-authenticate': 'Basic realm="r"' } };
    });
    const auths = {
      [`${registry.host}/shop/cache`]: { auth: cache },
      [`${registry.host}/shop/migrate`]: { auth: migrate },
    };
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    const credentials = credentialsIn({ metadata: { name: 'pull' }, data });
    expect(await find('shop/cache:1', credentials)).toMatchObject({ kind: 'found' });
    expect(await find('shop/migrate:1', credentials)).toMatchObject({ kind: 'found' });
    registry.answerWith(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="r"' } }));
    expect(await find('shop/cache:2', credentials)).toEqual({
      kind: 'unknown',
      isRefused: true,
      reason: `the registry ${registry.host} refused the credentials for shop/cache (401)`,
    });
  });

  test.each([
    ['r.example', 'r.example', 'a/b', true],
    ['r.example/a', 'r.example', 'a/b', true],
    ['r.example/a/b/c', 'r.example', 'a/b', false],
    ['r.example', 'r.example:5000', 'a', false],
    ['r.example:5000', 'r.example:5000', 'a', true],
    ['*.example', 'r.example', 'a', true],
    ['*.example', 'a.r.example', 'a', false],
    ['r*.example/a', 'r7.example', 'a', true],
    ['rxexample', 'r.example', 'a', false],
  ])('[K2] the credentials for %s are used for %s/%s: %s', (place, host, repository, isUsed) => {
    expect(credentialsFor(new Map([[place, 'x']]), host, repository)).toEqual(isUsed ? ['x'] : []);
  });

  test('[K2] credentials of a longer path come first, and the others after them', () => {
    const credentials = new Map([
      ['r.example', 'host'],
      ['r.example/a/b', 'long'],
      ['r.example/a', 'short'],
    ]);
    expect(credentialsFor(credentials, 'r.example', 'a/b/c')).toEqual(['long', 'short', 'host']);
  });

  test('a basic challenge is answered with the credentials of a pull secret', async () => {
    registry.put('web', imageManifest('web'), '1');
    registry.answerWith(({ authorization }) =>
      authorization === `Basic ${BASIC}`
        ? undefined
        : { status: 401, headers: { 'www-authenticate': 'Basic realm="r"' } },
    );
    const auths = { [`https://${registry.host}/v2/`]: { username: 'ann', password: 'secret' } };
    const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
    expect(await find('web:1')).toMatchObject({ kind: 'unknown' });
    expect(await find('web:1', credentialsIn({ metadata: { name: 'pull' }, data }))).toMatchObject({ kind: 'found' });
  });

  test.each([
    ['.dockerconfigjson', { auths: { 'r.example': { auth: BASIC } } }, 'r.example'],
    ['.dockercfg', { 'https://r.example:5000/v1/': { auth: BASIC } }, 'r.example:5000'],
    ['.dockerconfigjson', { auths: { 'https://index.docker.io/v1/': { auth: BASIC } } }, 'registry-1.docker.io'],
  ])('a constructed pull secret with %s is read for the host that is asked', (key, config, host) => {
    const data = { [key]: Buffer.from(JSON.stringify(config)).toString('base64') };
    expect([...credentialsIn({ metadata: { name: 'pull' }, data })]).toEqual([[host, BASIC]]);
  });

  test.each([[{}], [{ '.dockerconfigjson': 'no base 64 of JSON' }], [{ '.dockerconfigjson': 7 }]])(
    'a constructed pull secret with %j has no credentials',
    (data) => {
      expect(credentialsIn({ metadata: { name: 'pull' }, data }).size).toBe(0);
    },
  );
});

describe('[UPG12] what the image finder learns', () => {
  const workload = {
    kind: 'Deployment' as const,
    object: { metadata: { name: 'web' }, spec: { template: { spec: { imagePullSecrets: [{ name: 'pull' }] } } } },
  };

  test('a digest of a platform or of its configuration is the same image after the registry has said so', async () => {
    const platform = registry.put('web', imageManifest('amd64'));
    const checksum = registry.put('web', indexManifest(platform), '1');
    const finder = createImageFinder(fakeClusterApi().api, client);
    const image = { container: 'app', image: `${registry.host}/web:1`, checksum };
    expect(finder.isSame(checksum, platform)).toBe(false);
    expect(await finder.learn(image, [workload])).toBe(true);
    for (const digest of [checksum, platform, digestOfText('amd64')])
      expect(finder.isSame(checksum, digest)).toBe(true);
    expect(finder.isSame(checksum, digestOfText('other'))).toBe(false);
    const asked = registry.requests.length;
    expect(await finder.learn(image, [workload])).toBe(true);
    expect(registry.requests.length).toBe(asked);
  });

  test('a registry that does not answer teaches nothing, and one that lacks the image proves no other to be the same', async () => {
    const finder = createImageFinder(fakeClusterApi().api, client);
    const checksum = digestOfText('web');
    const image = { container: 'app', image: `${registry.host}/web:1`, checksum };
    expect(await finder.learn({ ...image, image: '127.0.0.1:1/web:1' }, [workload])).toBe(false);
    expect(await finder.learn({ ...image, checksum: undefined }, [workload])).toBe(false);
    expect(await finder.learn(image, [workload])).toBe(true);
    expect(finder.isSame(checksum, digestOfText('other'))).toBe(false);
  });

  test('an image with another checksum differs, and one with the checksum of a platform does not', async () => {
    const platform = registry.put('web', imageManifest('amd64'));
    const digest = registry.put('web', indexManifest(platform), '1');
    const finder = createImageFinder(fakeClusterApi().api, client);
    const named = (checksum: string) => ({ container: 'app', image: `${registry.host}/web:1`, checksum });
    const found = await finder.find([named(digest), named(platform), named(digestOfText('x'))], [workload]);
    expect(found.map(({ kind }) => kind)).toEqual(['found', 'found', 'differs']);
  });
});

/** A certificate for the address of loopback. */
function certificate(): { readonly key: string; readonly cert: string } {
  const folder = temporaryFolder();
  try {
    const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
    const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
    const made = spawnSync('openssl', [...options, ...subject], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    folder.remove();
  }
}

test('[UPG6] a registry over TLS is trusted only if its private CA was added', async () => {
  const tls = certificate();
  const secure = await startRegistry(tls);
  const trusting = createRegistryClient({ ca: tls.cert, plainHttp: new Set() });
  try {
    const digest = secure.put('web', imageManifest('web'), '1');
    // An address of loopback in another notation: 127.0.0.1 itself is asked over plain HTTP.
    const reference = parseReference(`127.1:${secure.port}/web:1`);
    expect(await trusting.find(reference, { credentials: NONE })).toMatchObject({ kind: 'found', digest });
    expect(await client.find(reference, { credentials: NONE })).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/certificate/i),
    });
  } finally {
    await trusting.close();
    await secure.close();
  }
});
