import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { SECOND } from '../../foundation/clock.ts';
import { createIdSequence } from '../../foundation/ids.ts';
import { answerUnreadable, closeIdleConnections, trackConnections } from './connection.ts';
import type { ConnectionOptions, SetHeaders, TlsPair } from './commonHeaders.ts';
import { parseQuery } from './request/form.ts';
import { createRewriteUrl } from './compat.ts';
import type { EdgeDependencies } from './edge.ts';
import { LIMITS } from './limits.ts';
import { handleOneAtATime } from './oneAtATime.ts';
import { prefixOf } from './pathPrefix.ts';
import { createProxyTrust } from './proxyTrust.ts';
import type { Fail } from './registerRoute.ts';

export interface InstanceOptions extends ConnectionOptions, Pick<EdgeDependencies, 'log' | 'root' | 'publicUrl'> {
  readonly maxConnections: number;
  /** Whether clients of older descriptions are served below /compat. */
  readonly hasCompat: boolean;
}

/** Forward secrecy and authenticated encryption only: the intermediate list that browsers of the last ten years support. */
const TLS_OPTIONS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const;

/** No route has a schema for fastify. Without this it loads two compilers at every start, which takes 60 ms. */
const NO_COMPILERS = { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } };

function noSchema(): never {
  throw new Error('routes have no schemas');
}

/** Creates the HTTP server with its limits. `fail` answers errors that occur before a route is found. */
export function createInstance(
  { log, trustedProxies, tls, maxConnections, root, publicUrl, hasCompat }: InstanceOptions,
  setHeaders: SetHeaders,
  fail: Fail,
): FastifyInstance {
  const nextId = createIdSequence();
  const rewriteUrl = createRewriteUrl({ root, prefix: prefixOf(publicUrl), hasCompat });
  const common = {
    logger: false,
    schemaController: NO_COMPILERS,
    genReqId: nextId,
    bodyLimit: LIMITS.form,
    connectionTimeout: LIMITS.idleMs,
    keepAliveTimeout: LIMITS.idleMs,
    requestTimeout: LIMITS.requestMs,
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    trustProxy: trustedProxies.length === 0 ? false : createProxyTrust(trustedProxies),
    clientErrorHandler: (error: Error, socket: Socket) => {
      const requestId = nextId();
      log.info({ requestId, from: socket.remoteAddress, reason: error.message }, 'a request could not be read');
      answerUnreadable(error, socket, requestId);
    },
    frameworkErrors: (...[error, request, reply]: Parameters<Fail>) => {
      setHeaders(request, reply);
      fail(error, request, reply);
    },
    ...(rewriteUrl && { rewriteUrl }),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: LIMITS.pathPart,
      querystringParser: parseQuery,
    },
  };
  const timing = { headersTimeout: LIMITS.headMs, connectionsCheckingInterval: SECOND };
  const app: FastifyInstance =
    tls === undefined
      ? fastify({ ...common, http: timing })
      : fastify({ ...common, https: { ...TLS_OPTIONS, ...tls, ...timing } });
  closeIdleConnections(app.server);
  handleOneAtATime(app.server);
  const connections = trackConnections(app.server, { stallMs: LIMITS.stallMs, max: maxConnections });
  app.addHook('preClose', async () => connections.stop());
  return app;
}

/** Gives new connections another certificate. Open connections keep theirs until they end. */
export function replaceCertificate({ server }: Pick<FastifyInstance, 'server'>, tls: TlsPair): void {
  if (!(server instanceof TlsServer)) throw new Error('a server without TLS has no certificate');
  server.setSecureContext({ ...TLS_OPTIONS, ...tls });
}
