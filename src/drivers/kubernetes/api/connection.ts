// The connection to the API server: which server and credentials, and one request over it. `clusterApi.ts` gives it meaning.
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { Agent, ProxyAgent, request } from 'undici';
import { DeploymentOutage, DeploymentRefusal } from '../../../model/failure.ts';
import { valueAt } from '../../../foundation/schema/json.ts';
import { endedBy } from './endedBy.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  send(call: ApiRequest): Promise<Dispatcher.ResponseData>;
  /** The namespace of the current context, or of the pod that Steward runs in. */
  readonly namespace: string;
  readonly server: string;
  close(): Promise<void>;
}

type TlsOptions = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'pfx' | 'rejectUnauthorized' | 'servername'
>;

const CONNECT_TIMEOUT_MS = 10_000;
const UNAUTHORIZED = 401;
/** A watch is silent for as long as nothing changes; its own timer ends it. */
const NO_TIMEOUT = 0;

function tlsOf({ ca, cert, key, passphrase, pfx, rejectUnauthorized, servername }: RequestOptions): TlsOptions {
  return Object.fromEntries(
    Object.entries({ ca, cert, key, passphrase, pfx, rejectUnauthorized, servername }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** The headers by which the credentials are sent, if they are not a certificate. */
function authorizationIn({ headers, auth }: RequestOptions): Readonly<Record<string, string>> {
  const found = Object.entries(headers ?? {}).filter((one): one is [string, string] => typeof one[1] === 'string');
  const basic: Record<string, string> =
    typeof auth === 'string' ? { Authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  // The file of a token may end with a line break.
  return { ...basic, ...Object.fromEntries(found.map(([name, value]) => [name, value.trim()])) };
}

/**
 * Keeps one agent for as long as the TLS options and the proxy stay the same. The client library creates an agent for each request,
 * which costs a TLS handshake each time.
 */
function createAgents() {
  let current: { readonly key: string; readonly agent: Dispatcher } | undefined;
  return {
    for(tls: TlsOptions, proxy: string | undefined): Dispatcher {
      const key = JSON.stringify([tls, proxy], (_, value: unknown) =>
        Buffer.isBuffer(value) ? value.toString('base64') : value,
      );
      if (current?.key === key) return current.agent;
      // Requests that still use the former agent end on it.
      void current?.agent.close();
      const connect = { ...tls, timeout: CONNECT_TIMEOUT_MS, keepAlive: true };
      const common = { bodyTimeout: NO_TIMEOUT, allowH2: false };
      const agent =
        proxy === undefined
          ? new Agent({ connect, ...common })
          : new ProxyAgent({ uri: proxy, requestTls: connect, ...common });
      current = { key, agent };
      return agent;
    },
    close: async (): Promise<void> => current?.agent.destroy(),
  };
}

/** A kubeconfig was read, and cannot be used. */
export class KubeConfigProblem extends Error {
  override readonly name = 'KubeConfigProblem';
}

interface Target {
  readonly config: KubeConfig;
  readonly server: string;
  readonly proxyUrl: string | undefined;
  readonly namespace: string;
}

const PROXIES: ReadonlySet<string> = new Set(['http:', 'https:', 'socks:', 'socks5:']);
/** The authentication providers of the client library. */
const PROVIDERS: ReadonlySet<string> = new Set(['azure', 'gcp', 'oidc', 'tokenFile', 'exec']);

function proxyProblem(proxy: string | undefined): string | undefined {
  if (proxy === undefined) return undefined;
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : undefined;
  if (protocol === undefined) return `the proxy-url ${proxy} is not a URL`;
  return PROXIES.has(protocol) ? undefined : `a proxy-url with ${protocol} is not supported`;
}

function fileProblem(field: string, file: string | undefined): string | undefined {
  return file === undefined || existsSync(file) ? undefined : `the file ${file} of ${field} does not exist`;
}

/** Why the current context of a kubeconfig cannot be used; undefined if it can. */
function contextProblem(config: KubeConfig): string | undefined {
  const name = config.getCurrentContext();
  const context = config.getContextObject(name);
  if (!name) return 'it has no current-context';
  if (context === null) return `its current-context ${name} is not one of its contexts`;
  const [cluster, user] = [config.getCurrentCluster(), config.getCurrentUser()];
  if (cluster === null) return `its context ${name} names the cluster ${context.cluster}, which it does not have`;
  if (user === null) return `its context ${name} names the user ${context.user}, which it does not have`;
  const provider: unknown = user.authProvider?.name;
  if (typeof provider === 'string' && !PROVIDERS.has(provider)) return `the auth-provider ${provider} is not supported`;
  return (
    proxyProblem(cluster.proxyUrl) ??
    fileProblem('certificate-authority', cluster.caFile) ??
    fileProblem('client-certificate', user.certFile) ??
    fileProblem('client-key', user.keyFile)
  );
}

function targetOf(config: KubeConfig): Target {
  const problem = contextProblem(config);
  const cluster = config.getCurrentCluster();
  if (problem !== undefined || cluster === null) throw new KubeConfigProblem(problem ?? 'it has no cluster');
  const { server, proxyUrl } = cluster;
  const namespace = config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  return { config, server, proxyUrl, namespace };
}

function rejected({ server }: Target): DeploymentRefusal {
  return new DeploymentRefusal({
    reason: `The API server ${server} rejects the credentials of Steward (401).`,
    lines: [],
    advice: 'Renew the token or the certificate in the kubeconfig. Steward reads the file again for the next request.',
  });
}

/** The options of a request with the credentials of the user. What a credential command prints may be secret, so that it is not repeated. */
async function withCredentials(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(options);
    return options;
  } catch (error) {
    const command: unknown = valueAt(config.getCurrentUser()?.exec, 'command');
    if (typeof command !== 'string') throw error;
    const reason = `the credential command of the kubeconfig (exec: ${command}) failed`;
    throw new DeploymentOutage(reason, { advice: 'Run it with the account of Steward: its output says why.' });
  }
}

/**
 * Opens the connection that a kubeconfig describes. Credentials that expire are read again for each request by the library; the
 * kubeconfig itself is read again when the server rejects them.
 */
export function openConnection(readConfig: () => KubeConfig): Connection {
  let target = targetOf(readConfig());
  const agents = createAgents();

  async function sendTo(
    { config, server, proxyUrl }: Target,
    { method, path, body, contentType = 'application/json', signal }: ApiRequest,
  ): Promise<Dispatcher.ResponseData> {
    const options = await withCredentials(config);
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': contentType }) };
    signal?.throwIfAborted();
    const answer = request(`${server.replace(/\/$/, '')}${path}`, {
      method,
      headers: { ...authorizationIn(options), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: agents.for(tlsOf(options), proxyUrl),
      ...(signal && { signal }),
    });
    // A request takes note of its signal only when it has a connection.
    return endedBy(answer, signal);
  }

  return {
    namespace: target.namespace,
    server: target.server,
    async send(call) {
      // Many requests of one call share its signal.
      if (call.signal !== undefined) setMaxListeners(0, call.signal);
      const first = await sendTo(target, call);
      if (first.statusCode !== UNAUTHORIZED) return first;
      await first.body.dump();
      target = targetOf(readConfig());
      const second = await sendTo(target, call);
      if (second.statusCode !== UNAUTHORIZED) return second;
      await second.body.dump();
      throw rejected(target);
    },
    close: () => agents.close(),
  };
}
