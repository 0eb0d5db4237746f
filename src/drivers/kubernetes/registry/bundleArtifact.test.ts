import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RegistryReply, RegistryServer } from '../../../../test/support/registry/registryServer.ts';
import { digestOfText, imageManifest, startRegistry } from '../../../../test/support/registry/registryServer.ts';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { DeploymentOutage, DeploymentRefusal } from '../../../model/failure.ts';
import { MAX_BUNDLE_BYTES } from '../../../model/objects/readBundle.ts';
import { fetchObjects } from './fetchObjects.ts';
import { parseReference } from './imageReference.ts';
import type { RegistryClient } from './registryClient.ts';
import { createRegistryClient } from './registryClient.ts';

const BUNDLE = Buffer.from('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n');
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

function push(name = 'shop/objects', login?: string): Promise<string> {
  const credentials = new Map(login === undefined ? [] : [[registry.host, login]]);
  return client.pushBundle(parseReference(`${registry.host}/${name}`), BUNDLE, credentials);
}

function fetch(name: string, login?: string): Promise<Buffer> {
  const credentials = new Map(login === undefined ? [] : [[registry.host, login]]);
  return client.fetchBundle(parseReference(`${registry.host}/${name}`), credentials);
}

async function errorOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** A manifest whose only layer is a blob of this content. */
function putManifest(changes: object, content = BUNDLE): string {
  const layer = { digest: registry.putBlob('shop/objects', content), size: content.length, ...changes };
  return registry.put('shop/objects', { schemaVersion: 2, layers: [layer] });
}

const refusal = (text: string) => expect.objectContaining({ message: expect.stringContaining(text) });

describe('[OBJ1] [DEC124] a bundle in a registry', () => {
  test('is an artifact with one layer, and comes back as it was', async () => {
    const digest = await push('shop/objects:1');
    expect(await fetch(`shop/objects@${digest}`)).toEqual(BUNDLE);
    const reply = await globalThis.fetch(`http://${registry.host}/v2/shop/objects/manifests/1`);
    expect(await reply.json()).toEqual({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      artifactType: 'application/vnd.steward.objects.v1+jsonl',
      config: { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOfText('{}'), size: 2 },
      layers: [
        {
          mediaType: 'application/vnd.steward.objects.v1+jsonl',
          digest: digestOfText(BUNDLE),
          size: BUNDLE.length,
        },
      ],
    });
  });

  test('has the same digest whenever it is pushed, and is not sent again', async () => {
    const digest = await push();
    const before = registry.requests.length;
    expect(await push('shop/objects:2')).toBe(digest);
    expect(registry.requests.slice(before).map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'PUT']);
  });

  test('is pushed and fetched with credentials', async () => {
    registry.answerWith(({ authorization }) =>
      authorization === `Basic ${BASIC}` ? undefined : { status: 401, headers: { 'www-authenticate': 'Basic' } },
    );
    const digest = await push('shop/objects', BASIC);
    expect(await fetch(`shop/objects@${digest}`, BASIC)).toEqual(BUNDLE);
    const other = createRegistryClient({ ca: undefined, plainHttp: new Set() });
    const reference = parseReference(`${registry.host}/shop/objects@${digest}`);
    const error = await errorOf(other.fetchBundle(reference, new Map()));
    await other.close();
    expect(error).toBeInstanceOf(DeploymentRefusal);
    expect(error).toEqual(refusal('refused shop/objects without credentials (401)'));
  });

  test('is fetched from where a registry redirects, which gets no credentials', async () => {
    const storage = await startRegistry();
    storage.putBlob('storage', BUNDLE);
    const digest = await push('shop/objects', BASIC);
    registry.answerWith(({ method, path, authorization }): RegistryReply | undefined => {
      if (authorization === undefined) return { status: 401, headers: { 'www-authenticate': 'Basic' } };
      const location = `http://${storage.host}${path.replace('shop/objects', 'storage')}`;
      return method === 'GET' && path.includes('/blobs/') ? { status: 307, headers: { location } } : undefined;
    });
    expect(await fetch(`shop/objects@${digest}`, BASIC)).toEqual(BUNDLE);
    expect(storage.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
    await storage.close();
  });

  test('is refused if the registry has something else', async () => {
    const absent = `sha256:${'0'.repeat(64)}`;
    expect(await errorOf(fetch(`shop/objects@${absent}`))).toEqual(refusal('the registry lacks the bundle'));
    expect(await errorOf(fetch('shop/objects:1'))).toEqual(refusal('is not named by a digest'));
    const layers = registry.put('shop/objects', { layers: [{}, {}] });
    const image = registry.put('shop/objects', imageManifest('x'));
    const large = putManifest({ size: MAX_BUNDLE_BYTES + 1 });
    for (const digest of [layers, image, large, putManifest({ digest: 'x' })])
      expect(await errorOf(fetch(`shop/objects@${digest}`))).toEqual(
        refusal('is not a bundle: it must have one layer'),
      );
  });

  test('is refused if bytes differ from their digest, or if there are too many of them', async () => {
    const digest = await push();
    registry.answerWith(({ path }) => (path.includes('/blobs/') ? { status: 200, body: 'other' } : undefined));
    expect(await errorOf(fetch(`shop/objects@${digest}`))).toEqual(refusal('sent something else for'));
    registry.answerWith(({ path }) => (path.includes('/manifests/') ? { status: 200, body: '{}' } : undefined));
    expect(await errorOf(fetch(`shop/objects@${digest}`))).toEqual(refusal('sent something else for'));
    const body = Buffer.alloc(MAX_BUNDLE_BYTES + 1);
    registry.answerWith(({ path }) => (path.includes('/blobs/') ? { status: 200, body } : undefined));
    const error = await errorOf(fetch(`shop/objects@${digest}`));
    expect(error).toBeInstanceOf(DeploymentRefusal);
    expect(error).toEqual(refusal('sent more than 16 MiB'));
  });

  test('is an outage while the registry does not answer', async () => {
    const digest = await push();
    registry.answerWith(() => ({ status: 503 }));
    expect(await errorOf(fetch(`shop/objects@${digest}`))).toBeInstanceOf(DeploymentOutage);
    await registry.close();
    const error = await errorOf(fetch(`shop/objects@${digest}`));
    expect(error).toBeInstanceOf(DeploymentOutage);
    expect(error).toEqual(refusal('does not answer'));
    registry = await startRegistry();
  });

  test('is not pushed if the registry refuses it, and the error says why', async () => {
    registry.answerWith(({ method }) =>
      method === 'POST' ? { status: 404, body: '{"errors":[{"message":"name unknown"}]}' } : undefined,
    );
    expect(await errorOf(push())).toEqual(refusal('answered 404 for an upload: name unknown'));
  });
});

test('[OBJ1] a bundle is fetched from the mirror, with the pull secrets of the default account', async () => {
  const digest = await push('mirror/objects');
  registry.answerWith(({ authorization }) => (authorization === `Basic ${BASIC}` ? undefined : { status: 401 }));
  const auths = { [registry.host]: { auth: BASIC } };
  const { api } = fakeClusterApi({
    objects: [
      { kind: 'ServiceAccount', metadata: { name: 'default' }, imagePullSecrets: [{ name: 'pull' }] },
      {
        kind: 'Secret',
        metadata: { name: 'pull' },
        data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
      },
    ] as never,
  });
  const rewrites = [{ from: 'registry.example/shop', to: `${registry.host}/mirror` }];
  const image = `registry.example/shop/objects@${digest}`;
  expect(await fetchObjects({ api, registry: client, rewrites }, image, [])).toEqual(BUNDLE);
});
