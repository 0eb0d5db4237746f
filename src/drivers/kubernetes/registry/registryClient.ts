// Asks image registries (the OCI distribution API) whether an image exists, and which other digests are the same image.
import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import { reasonOf } from '../../../foundation/errors.ts';
import { isObject, parseJson, valueAt } from '../../../foundation/schema/json.ts';
import { endedBy } from '../api/endedBy.ts';
import type { ImageReference } from './imageReference.ts';
import type { Credentials } from './credentials.ts';
import { credentialsFor } from './credentials.ts';

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

export interface RegistryOptions {
  /** Additional certificate authorities, in PEM. */
  readonly ca: string | undefined;
  /** Registries that are asked over plain HTTP. Those on loopback always are, as container engines do. */
  readonly plainHttp: ReadonlySet<string>;
}

const DEFAULT_REGISTRY = 'registry-1.docker.io';
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
const MAX_MANIFEST = 4 * 1024 * 1024;
const MAX_PLATFORMS = 32;
const TIMEOUT_MS = 10_000;

/** The address of a registry, and the name of a repository there: short names are Docker Hub's. */
function placeOf({ registry, repository }: ImageReference): { readonly host: string; readonly path: string } {
  if (registry !== '' && registry !== 'docker.io') return { host: registry, path: repository };
  return { host: DEFAULT_REGISTRY, path: repository.includes('/') ? repository : `library/${repository}` };
}

function isLoopback(host: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/.test(host);
}

/** The fields of a `WWW-Authenticate: Bearer` header. */
function challengeOf(header: string): ReadonlyMap<string, string> | undefined {
  if (!/^bearer /i.test(header)) return undefined;
  return new Map([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
}

interface Answer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Buffer;
}

async function bodyOf(answer: Dispatcher.ResponseData): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const part of answer.body) {
    const chunk = Buffer.from(part);
    size += chunk.length;
    if (size > MAX_MANIFEST) throw new Error('the registry sent a manifest of more than 4 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

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

export function createRegistryClient({ ca: own, plainHttp }: RegistryOptions) {
  const ca = own === undefined ? undefined : [...rootCertificates, own];
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS, ...(ca && { ca }) },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const tokens = new Map<string, string>();

  async function get(url: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    const answer = await endedBy(request(url, { headers, dispatcher, ...(signal && { signal }) }), signal);
    return { status: answer.statusCode, headers: answer.headers, body: await bodyOf(answer) };
  }

  async function tokenFor(
    challenge: ReadonlyMap<string, string>,
    basic: string | undefined,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const url = new URL(challenge.get('realm') ?? '');
    for (const name of ['service', 'scope']) {
      const value = challenge.get(name);
      if (value !== undefined) url.searchParams.set(name, value);
    }
    const { status, body } = await get(
      url.href,
      basic === undefined ? {} : { authorization: `Basic ${basic}` },
      signal,
    );
    const answer = parseJson(body.toString('utf8'));
    const token = valueAt(answer, 'token') ?? valueAt(answer, 'access_token');
    return status === 200 && typeof token === 'string' ? token : undefined;
  }

  /** Asks with what authorizes it: nothing, then what the registry demands. */
  async function authorized(
    url: string,
    key: string,
    basic: string | undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const known = tokens.get(key);
    const first = await get(url, { accept: ACCEPT, ...(known !== undefined && { authorization: known }) }, signal);
    // A token that is kept may be of other credentials.
    if (first.status !== 401 && !(known !== undefined && first.status === 403)) return first;
    const header = String(first.headers['www-authenticate'] ?? '');
    const challenge = challengeOf(header);
    const token = challenge && (await tokenFor(challenge, basic, signal));
    const authorization = token === undefined ? basic && `Basic ${basic}` : `Bearer ${token}`;
    if (authorization === undefined) return first;
    tokens.set(key, authorization);
    return get(url, { accept: ACCEPT, authorization }, signal);
  }

  /** Tries the credentials in their order, until the registry does not refuse them. */
  async function authorizedByAny(
    url: string,
    key: string,
    all: readonly string[],
    signal?: AbortSignal,
  ): Promise<Answer> {
    const [first, ...others] = all;
    let answer = await authorized(url, key, first, signal);
    for (const basic of others) if (isRefusal(answer.status)) answer = await authorized(url, key, basic, signal);
    return answer;
  }

  async function ask(
    reference: ImageReference,
    credentials: Credentials,
    signal?: AbortSignal,
  ): Promise<RegistryAnswer> {
    const { host, path } = placeOf(reference);
    const scheme = plainHttp.has(host) || isLoopback(host) ? 'http' : 'https';
    const name = reference.digest ?? reference.tag ?? 'latest';
    const url = `${scheme}://${host}/v2/${path}/manifests/${name}`;
    const all = credentialsFor(credentials, host, path);
    const { status, headers, body } = await authorizedByAny(url, `${host}/${path}`, all, signal);
    if (isRefusal(status))
      return {
        kind: 'unknown',
        isRefused: true,
        reason:
          all.length === 0
            ? `the registry ${host} refused ${path} without credentials (${status}), and there are none for it`
            : `the registry ${host} refused the credentials for ${path} (${status})`,
      };
    if (status === 404) return { kind: 'absent', reason: `the registry ${host} has no ${path} with ${name}` };
    if (status !== 200) return { kind: 'unknown', reason: `the registry ${host} answered ${status} for ${path}` };
    const content = `sha256:${createHash('sha256').update(body).digest('hex')}`;
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
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

export type RegistryClient = ReturnType<typeof createRegistryClient>;
