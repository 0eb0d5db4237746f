// A bundle of objects as an artifact in a registry: an OCI image manifest with an empty configuration and the bundle as its only layer, so
// that registries from before artifacts take it too. The same bundle always has the same digest.
import { reasonOf } from '../../../foundation/errors.ts';
import { parseJson, valueAt } from '../../../foundation/schema/json.ts';
import { DeploymentOutage, DeploymentRefusal } from '../../../model/failure.ts';
import { MAX_BUNDLE_BYTES } from '../../../model/objects/readBundle.ts';
import type { Credentials } from './credentials.ts';
import type { ImageReference } from './imageReference.ts';
import type { RegistryConnection, RegistryReply, RegistryRequest } from './registryConnection.ts';
import { digestOfBytes, isRefusal, placeOf, refusalOf } from './registryConnection.ts';

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const BUNDLE_TYPE = 'application/vnd.steward.objects.v1+jsonl';
const EMPTY = Buffer.from('{}');
const DIGEST = /^sha256:[\da-f]{64}$/;

type Ask = (request: RegistryRequest) => Promise<RegistryReply>;

function descriptor(mediaType: string, content: Buffer): object {
  return { mediaType, digest: digestOfBytes(content), size: content.length };
}

function manifestOf(bundle: Buffer): Buffer {
  const manifest = {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    artifactType: BUNDLE_TYPE,
    config: descriptor('application/vnd.oci.empty.v1+json', EMPTY),
    layers: [descriptor(BUNDLE_TYPE, bundle)],
  };
  return Buffer.from(JSON.stringify(manifest));
}

function refused(reason: string, advice: string): DeploymentRefusal {
  return new DeploymentRefusal({ reason, lines: [], advice });
}

const CREDENTIALS_ADVICE =
  'Correct the credentials for this registry: a pull secret of the workloads, of their service accounts or of the account default.';

function outage(host: string, reason: string, isAnswer: boolean): DeploymentOutage {
  const advice = isAnswer ? `Read the log of the registry ${host}.` : `Make the registry ${host} reachable.`;
  return new DeploymentOutage(reason, { advice }, isAnswer);
}

/** Asks about one repository. An answer without success is an error, and a refusal if a retry does not change it. */
function asking(
  connection: RegistryConnection,
  reference: ImageReference,
  credentials: Credentials,
  signal?: AbortSignal,
) {
  const { host, path } = placeOf(reference);
  return async (request: RegistryRequest): Promise<RegistryReply> => {
    const reply = await connection.ask(reference, request, credentials, signal).catch((error: unknown) => {
      if (error instanceof DeploymentRefusal) throw error;
      throw outage(host, `the registry ${host} does not answer: ${reasonOf(error)}`, false);
    });
    if (isRefusal(reply.status)) throw refused(refusalOf(host, path, reply), CREDENTIALS_ADVICE);
    if (reply.status >= 500 || reply.status === 429)
      throw outage(host, `the registry ${host} answered ${reply.status} for ${path}`, true);
    return reply;
  };
}

/** The digest of the only layer of a manifest; undefined if it is not that of a bundle. */
function layerOf(manifest: unknown): string | undefined {
  const layers = valueAt(manifest, 'layers');
  if (!Array.isArray(layers) || layers.length !== 1) return undefined;
  const [layer]: readonly unknown[] = layers;
  const [digest, size] = [valueAt(layer, 'digest'), valueAt(layer, 'size')];
  const isSized = typeof size === 'number' && size >= 0 && size <= MAX_BUNDLE_BYTES;
  return isSized && typeof digest === 'string' && DIGEST.test(digest) ? digest : undefined;
}

async function contentOf(ask: Ask, request: RegistryRequest, digest: string, name: string): Promise<Buffer> {
  const { status, body } = await ask(request);
  if (status === 404)
    throw refused(`the registry lacks ${name}`, 'Push it with steward manifest push, or copy it to the mirror.');
  if (status !== 200) throw refused(`the registry answered ${status} for ${name}`, 'Read the log of the registry.');
  if (digestOfBytes(body) !== digest)
    throw refused(`the registry sent something else for ${name}`, 'Push it again, and look for what changes answers.');
  return body;
}

export async function fetchBundle(
  connection: RegistryConnection,
  reference: ImageReference,
  credentials: Credentials,
  signal?: AbortSignal,
): Promise<Buffer> {
  const { host, path } = placeOf(reference);
  const { digest } = reference;
  const name = `the bundle ${host}/${path}`;
  if (digest === undefined) throw refused(`${name} is not named by a digest`, 'Name it as registry/name@sha256:….');
  const ask = asking(connection, reference, credentials, signal);
  const request = { path: `/manifests/${digest}`, headers: { accept: MANIFEST_TYPE } };
  const manifest = await contentOf(ask, request, digest, `${name}@${digest}`);
  const layer = layerOf(parseJson(manifest.toString('utf8')));
  if (layer === undefined)
    throw refused(
      `${name}@${digest} is not a bundle: it must have one layer of at most 16 MiB`,
      'Push the bundle with steward manifest push, and name what it prints.',
    );
  const blob = { path: `/blobs/${layer}`, maxBytes: MAX_BUNDLE_BYTES };
  return contentOf(ask, blob, layer, `${name}, blob ${layer}`);
}

function expectStatus({ status, body }: RegistryReply, expected: number, what: string): void {
  if (status === expected) return;
  const said: unknown = parseJson(body.toString('utf8'));
  const errors = valueAt(said, 'errors');
  const message: unknown = Array.isArray(errors) ? valueAt(errors[0], 'message') : undefined;
  throw new Error(`the registry answered ${status} for ${what}${typeof message === 'string' ? `: ${message}` : ''}`);
}

async function pushBlob(ask: Ask, content: Buffer, base: URL): Promise<void> {
  const digest = digestOfBytes(content);
  const { status } = await ask({ method: 'HEAD', path: `/blobs/${digest}` });
  if (status === 200) return;
  const begun = await ask({ method: 'POST', path: '/blobs/uploads/' });
  expectStatus(begun, 202, 'an upload');
  const place = new URL(String(begun.headers['location'] ?? ''), base);
  place.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  expectStatus(await ask({ method: 'PUT', path: place, headers, body: content }), 201, `the blob ${digest}`);
}

export async function pushBundle(
  connection: RegistryConnection,
  reference: ImageReference,
  bundle: Buffer,
  credentials: Credentials,
): Promise<string> {
  const ask = asking(connection, reference, credentials);
  const base = connection.baseOf(reference);
  await pushBlob(ask, EMPTY, base);
  await pushBlob(ask, bundle, base);
  const manifest = manifestOf(bundle);
  const digest = digestOfBytes(manifest);
  const path = `/manifests/${reference.tag ?? digest}`;
  const headers = { 'content-type': MANIFEST_TYPE };
  expectStatus(await ask({ method: 'PUT', path, headers, body: manifest }), 201, 'the artifact');
  return digest;
}
