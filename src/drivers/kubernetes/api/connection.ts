// The connection to the API server: which server and credentials, and one request over it. `clusterApi.ts` gives it meaning.
import { setMaxListeners } from 'node:events';
import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { Agent, request } from 'undici';

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

/** Opens the connection that a kubeconfig describes. Credentials are read again for each request, because they expire. */
export function openConnection(config: KubeConfig): Connection {
  const cluster = config.getCurrentCluster();
  const context = config.getContextObject(config.getCurrentContext());
  if (cluster === null) throw new Error('the kubeconfig has no current context, or that context has no cluster');
  if (config.getCurrentUser() === null)
    throw new Error(`the kubeconfig has no user ${context?.user ?? ''}, which its current context names`);
  const agents = createAgents();
  return {
    namespace: context?.namespace ?? 'default',
    server: cluster.server,
    async send({ method, path, body, contentType = 'application/json', signal }) {
      // Many requests of one call share its signal.
      if (signal !== undefined) setMaxListeners(0, signal);
      const options: RequestOptions = { headers: {} };
      await config.applyToHTTPSOptions(options);
      const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': contentType }) };
      return request(`${cluster.server.replace(/\/$/, '')}${path}`, {
        method,
        headers: { ...authorizationIn(options), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        dispatcher: agents.for(tlsOf(options)),
        ...(signal && { signal }),
      });
    },
    close: () => agents.close(),
  };
}
