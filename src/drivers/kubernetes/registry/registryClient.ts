// Asks image registries (the OCI distribution API) whether an image exists, and which other digests are the same image.
import { reasonOf } from '../../../foundation/errors.ts';
import { isObject, parseJson, valueAt } from '../../../foundation/schema/json.ts';
import { fetchBundle, pushBundle } from './bundleArtifact.ts';
import type { Credentials } from './credentials.ts';
import type { ImageReference } from './imageReference.ts';
import type { RegistryOptions } from './registryConnection.ts';
import { createRegistryConnection, digestOfBytes, isRefusal, placeOf, refusalOf } from './registryConnection.ts';

export type RegistryAnswer =
  | {
      readonly kind: 'found';
      readonly digest: string;
      /** The platforms of an index, and the configuration of an image. */
      readonly aliases: readonly string[];
      readonly children: readonly string[];
    }
  | { readonly kind: 'absent'; readonly reason: string }
  /** `isRefused`: it has answered, and does not accept the credentials. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isRefused?: true };

const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const MAX_PLATFORMS = 32;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The platforms of an index. */
function childrenOf(manifest: unknown): readonly string[] {
  const children = valueAt(manifest, 'manifests');
  return (Array.isArray(children) ? children : []).map((one: unknown) => valueAt(one, 'digest')).filter(isText);
}

/** The other digests of the same image: its platforms, and its configuration, by which some engines call it. */
function digestsOf(manifest: unknown): readonly string[] {
  return [...childrenOf(manifest), valueAt(manifest, 'config', 'digest')].filter(isText);
}

export function createRegistryClient(options: RegistryOptions) {
  const connection = createRegistryConnection(options);

  async function ask(
    reference: ImageReference,
    credentials: Credentials,
    signal?: AbortSignal,
  ): Promise<RegistryAnswer> {
    const { host, path } = placeOf(reference);
    const name = reference.digest ?? reference.tag ?? 'latest';
    const request = { path: `/manifests/${name}`, headers: { accept: ACCEPT } };
    const reply = await connection.ask(reference, request, credentials, signal);
    const { status, headers, body } = reply;
    if (isRefusal(status)) return { kind: 'unknown', isRefused: true, reason: refusalOf(host, path, reply) };
    if (status === 404) return { kind: 'absent', reason: `the registry ${host} has no ${path} with ${name}` };
    if (status !== 200) return { kind: 'unknown', reason: `the registry ${host} answered ${status} for ${path}` };
    const content = digestOfBytes(body);
    const told = headers['docker-content-digest'];
    const manifest = parseJson(body.toString('utf8'));
    if (!isObject(manifest)) return { kind: 'unknown', reason: `the registry ${host} sent no manifest for ${path}` };
    if (typeof told === 'string' && told !== content)
      return {
        kind: 'unknown',
        reason: `the registry ${host} says ${told}, but its manifest of ${path} is ${content}`,
      };
    return { kind: 'found', digest: content, aliases: digestsOf(manifest), children: childrenOf(manifest) };
  }

  /** An index names its platforms, and each platform names its configuration. */
  async function withConfigurations(
    reference: ImageReference,
    answer: RegistryAnswer,
    credentials: Credentials,
    signal?: AbortSignal,
  ): Promise<RegistryAnswer> {
    if (answer.kind !== 'found') return answer;
    const children = await Promise.all(
      answer.children.slice(0, MAX_PLATFORMS).map((digest) => ask({ ...reference, digest }, credentials, signal)),
    );
    const more = children.flatMap((child) => (child.kind === 'found' ? child.aliases : []));
    return { ...answer, aliases: [...answer.aliases, ...more] };
  }

  return {
    /** Never throws: a registry that does not answer is unknown. */
    async find(
      reference: ImageReference,
      { credentials, isDeep = false }: { readonly credentials: Credentials; readonly isDeep?: boolean },
      signal?: AbortSignal,
    ): Promise<RegistryAnswer> {
      try {
        const answer = await ask(reference, credentials, signal);
        return isDeep ? await withConfigurations(reference, answer, credentials, signal) : answer;
      } catch (error) {
        return {
          kind: 'unknown',
          reason: `the registry ${placeOf(reference).host} does not answer: ${reasonOf(error)}`,
        };
      }
    },
    /** The bundle in an artifact that is named by its digest. Rejects if there is none, or none that can be used. */
    fetchBundle: (reference: ImageReference, credentials: Credentials, signal?: AbortSignal): Promise<Buffer> =>
      fetchBundle(connection, reference, credentials, signal),

    /** Puts a bundle into a registry as an artifact, and returns the digest of the artifact. */
    pushBundle: (reference: ImageReference, bundle: Buffer, credentials: Credentials): Promise<string> =>
      pushBundle(connection, reference, bundle, credentials),

    close: (): Promise<void> => connection.close(),
  };
}

export type RegistryClient = ReturnType<typeof createRegistryClient>;
