import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { SECOND } from '../../foundation/clock.ts';
import { createIdSequence } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { answerUnreadable, closeIdleConnections, trackConnections } from './connection.ts';
import { parseQuery } from './request/form.ts';
import { LIMITS } from './limits.ts';
import { createProxyTrust } from './proxyTrust.ts';
import type { Fail } from './registerRoute.ts';

export interface InstanceOptions {
  readonly log: Log;
  readonly trustedProxies: readonly string[];
  readonly maxConnections: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
}

/** Creates the HTTP server with its limits. `fail` answers errors that occur before a route is found. */
export function createInstance(
  { log, trustedProxies, tls, maxConnections }: InstanceOptions,
  fail: Fail,
): FastifyInstance {
  const nextId = createIdSequence();
  const common = {
    logger: false,
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
      reply.header('x-request-id', request.id);
      fail(error, request, reply);
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LIMITS.pathPart, querystringParser: parseQuery },
  };
  const timing = { headersTimeout: LIMITS.headMs, connectionsCheckingInterval: SECOND };
  const app: FastifyInstance =
    tls === undefined ? fastify({ ...common, http: timing }) : fastify({ ...common, https: { ...tls, ...timing } });
  closeIdleConnections(app.server);
  const connections = trackConnections(app.server, { stallMs: LIMITS.stallMs, max: maxConnections });
  app.addHook('preClose', async () => connections.stop());
  return app;
}
