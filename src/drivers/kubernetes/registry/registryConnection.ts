// Talks to image registries (the OCI distribution API): which host has a repository, how its requests are authorized, and how much of an
// answer is read.
import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import { parseJson, valueAt } from '../../../foundation/schema/json.ts';
import { DeploymentRefusal } from '../../../model/failure.ts';
import { endedBy } from '../api/endedBy.ts';
import type { Credentials } from './credentials.ts';
import { credentialsFor } from './credentials.ts';
import type { ImageReference } from './imageReference.ts';

export interface RegistryOptions {
  /** Additional certificate authorities, in PEM. */
  readonly ca: string | undefined;
  /** Registries that are asked over plain HTTP. Those on loopback always are, as container engines do. */
  readonly plainHttp: ReadonlySet<string>;
}

export interface RegistryRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Below `/v2/<repository>`, or an address that the registry has given. */
  readonly path: string | URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** How much of the answer is read; more is an error. */
  readonly maxBytes?: number;
}

export interface RegistryReply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Buffer;
  /** How many credentials there are for the repository. */
  readonly credentials: number;
}

const DEFAULT_REGISTRY = 'registry-1.docker.io';
const MAX_BODY = 4 * 1024 * 1024;
const MAX_REDIRECTS = 3;
const TIMEOUT_MS = 10_000;

/** The address of a registry, and the name of a repository there: short names are Docker Hub's. */
export function placeOf({ registry, repository }: ImageReference): { readonly host: string; readonly path: string } {
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

type Answer = Omit<RegistryReply, 'credentials'>;

interface Sent extends Omit<RegistryRequest, 'path'> {
  readonly url: URL;
}

async function bodyOf(answer: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const part of answer.body) {
    const chunk = Buffer.from(part);
    size += chunk.length;
    if (size > maxBytes)
      throw new DeploymentRefusal({
        reason: `the registry sent more than ${maxBytes / 1024 / 1024} MiB`,
        lines: [],
        advice: 'Look for what the registry has under this name.',
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** Why a registry did not accept the credentials, for people. */
export function refusalOf(host: string, path: string, { status, credentials }: RegistryReply): string {
  return credentials === 0
    ? `the registry ${host} refused ${path} without credentials (${status}), and there are none for it`
    : `the registry ${host} refused the credentials for ${path} (${status})`;
}

export function digestOfBytes(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

export function createRegistryConnection({ ca: own, plainHttp }: RegistryOptions) {
  const ca = own === undefined ? undefined : [...rootCertificates, own];
  const dispatcher = new Agent({
    connect: { timeout: TIMEOUT_MS, ...(ca && { ca }) },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const tokens = new Map<string, string>();

  function schemeOf(host: string): 'http' | 'https' {
    return plainHttp.has(host) || isLoopback(host) ? 'http' : 'https';
  }

  async function send(sent: Sent, authorization: string | undefined, signal?: AbortSignal): Promise<Answer> {
    const { url, method = 'GET', headers = {}, body, maxBytes = MAX_BODY } = sent;
    signal?.throwIfAborted();
    const options = {
      method,
      headers: { ...headers, ...(authorization !== undefined && { authorization }) },
      dispatcher,
      ...(body && { body }),
      ...(signal && { signal }),
    };
    const answer = await endedBy(request(url, options), signal);
    return { status: answer.statusCode, headers: answer.headers, body: await bodyOf(answer, maxBytes) };
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
    const { status, body } = await send({ url }, basic === undefined ? undefined : `Basic ${basic}`, signal);
    const answer = parseJson(body.toString('utf8'));
    const token = valueAt(answer, 'token') ?? valueAt(answer, 'access_token');
    return status === 200 && typeof token === 'string' ? token : undefined;
  }

  /** Asks with what authorizes it: nothing, then what the registry demands. */
  async function authorized(sent: Sent, key: string, basic: string | undefined, signal?: AbortSignal): Promise<Answer> {
    const known = tokens.get(key);
    const first = await send(sent, known, signal);
    // A token that is kept may be of other credentials, or for reading only.
    if (first.status !== 401 && !(known !== undefined && first.status === 403)) return first;
    const header = String(first.headers['www-authenticate'] ?? '');
    const challenge = challengeOf(header);
    const token = challenge && (await tokenFor(challenge, basic, signal));
    const authorization = token === undefined ? basic && `Basic ${basic}` : `Bearer ${token}`;
    if (authorization === undefined) return first;
    tokens.set(key, authorization);
    return send(sent, authorization, signal);
  }

  /** Tries the credentials in their order, until the registry does not refuse them. */
  async function authorizedByAny(
    sent: Sent,
    key: string,
    all: readonly string[],
    signal?: AbortSignal,
  ): Promise<Answer> {
    const [first, ...others] = all;
    let answer = await authorized(sent, key, first, signal);
    for (const basic of others) if (isRefusal(answer.status)) answer = await authorized(sent, key, basic, signal);
    return answer;
  }

  /** Follows the redirects of a read: registries keep large blobs elsewhere. Other places get no credentials. */
  async function redirected(sent: Sent, answer: Answer, signal?: AbortSignal): Promise<Answer> {
    let [last, url] = [answer, sent.url];
    for (let n = 0; n < MAX_REDIRECTS && isRedirect(last.status); n += 1) {
      url = new URL(String(last.headers['location'] ?? ''), url);
      if (url.protocol !== 'https:' && url.protocol !== sent.url.protocol)
        throw new Error(`the registry redirects to ${url.host} without TLS`);
      last = await send({ ...sent, url }, undefined, signal);
    }
    return last;
  }

  function baseOf(reference: ImageReference): URL {
    const { host, path } = placeOf(reference);
    return new URL(`${schemeOf(host)}://${host}/v2/${path}`);
  }

  /** Sends a request for a repository, with the credentials for it. An address on another host gets none. */
  async function ask(
    reference: ImageReference,
    asked: RegistryRequest,
    credentials: Credentials,
    signal?: AbortSignal,
  ): Promise<RegistryReply> {
    const { host, path } = placeOf(reference);
    const base = baseOf(reference);
    const url = typeof asked.path === 'string' ? new URL(`${base.href}${asked.path}`) : asked.path;
    const all = credentialsFor(credentials, host, path);
    const sent = { ...asked, url };
    const answer =
      url.origin === base.origin
        ? await authorizedByAny(sent, `${host}/${path}`, all, signal)
        : await send(sent, undefined, signal);
    const isRead = asked.method === undefined || asked.method === 'GET';
    return { ...(isRead ? await redirected(sent, answer, signal) : answer), credentials: all.length };
  }

  return { ask, baseOf, close: (): Promise<void> => dispatcher.destroy() };
}

export type RegistryConnection = ReturnType<typeof createRegistryConnection>;
