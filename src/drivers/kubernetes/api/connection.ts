// The connection to the API server: which server and credentials, and one request over it. `clusterApi.ts` gives it meaning.
import { setMaxListeners } from 'node:events';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';
import { DeploymentRefusal } from '../../../model/failure.ts';

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

/** The header by which the credentials are sent, if they are not a certificate. */
function authorizationIn({ headers }: RequestOptions): Readonly<Record<string, string>> {
  const found = Object.entries(headers ?? {}).filter((one): one is [string, string] => typeof one[1] === 'string');
  return Object.fromEntries(found);
}

/**
 * Keeps one agent for as long as the TLS options stay the same. The client library creates an agent for each request, which
 * costs a TLS handshake each time.
 */
function createAgents() {
  let current: { readonly key: string; readonly agent: Agent } | undefined;
  return {
    for(tls: TlsOptions): Agent {
      const key = JSON.stringify(tls, (_, value: unknown) =>
        Buffer.isBuffer(value) ? value.toString('base64') : value,
      );
      if (current?.key === key) return current.agent;
      // Requests that still use the former agent end on it.
      void current?.agent.close();
      current = {
        key,
        agent: new Agent({
          connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, keepAlive: true },
          bodyTimeout: NO_TIMEOUT,
          allowH2: false,
        }),
      };
      return current.agent;
    },
    close: async (): Promise<void> => current?.agent.destroy(),
  };
}

interface Target {
  readonly config: KubeConfig;
  readonly server: string;
  readonly namespace: string;
}

function targetOf(config: KubeConfig): Target {
  const cluster = config.getCurrentCluster();
  const context = config.getContextObject(config.getCurrentContext());
  if (cluster === null) throw new Error('the kubeconfig has no current context, or that context has no cluster');
  if (config.getCurrentUser() === null)
    throw new Error(`the kubeconfig has no user ${context?.user ?? ''}, which its current context names`);
  return { config, server: cluster.server, namespace: context?.namespace ?? 'default' };
}

function rejected({ server }: Target): DeploymentRefusal {
  return new DeploymentRefusal({
    reason: `The API server ${server} rejects the credentials of Steward (401).`,
    lines: [],
    advice: 'Renew the token or the certificate in the kubeconfig. Steward reads the file again for the next request.',
  });
}

/**
 * Opens the connection that a kubeconfig describes. Credentials that expire are read again for each request by the library; the
 * kubeconfig itself is read again when the server rejects them.
 */
export function openConnection(readConfig: () => KubeConfig): Connection {
  let target = targetOf(readConfig());
  const agents = createAgents();

  async function sendTo(
    { config, server }: Target,
    { method, path, body, contentType = 'application/json', signal }: ApiRequest,
  ): Promise<Dispatcher.ResponseData> {
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': contentType }) };
    return request(`${server.replace(/\/$/, '')}${path}`, {
      method,
      headers: { ...authorizationIn(options), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: agents.for(tlsOf(options)),
      ...(signal && { signal }),
    });
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
