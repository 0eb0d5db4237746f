import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { MINUTE, SECOND } from '../../foundation/clock.ts';
import type { ErrorCode } from '../../foundation/errors.ts';
import { StewardError } from '../../foundation/errors.ts';
import { createIdSequence } from '../../foundation/ids.ts';
import type { Log } from '../../foundation/log.ts';
import { errorBody } from '../../wire/answers/errorBody.ts';
import { createAdmin } from '../admin/admin.ts';
import { callerOf } from './handler.ts';
import { findCredential } from './credential.ts';
import { registerCatalogPages } from '../catalog/catalogPages.ts';
import { sendFailure } from './failure.ts';
import type { Files } from './form.ts';
import { FORM_LIMIT, NOTHING, NO_FILES, parseEncodedBody, parseQuery } from './form.ts';
import { createMessageStreams } from '../admin/jobs/messageStream.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { readMultipart } from './multipart.ts';
import { openapi } from '../pages/openapi.ts';
import { page } from '../pages/page.ts';
import type { Areas, Route } from './routes.ts';
import { patternsOf, routes } from './routes.ts';
import { registerRestCatalog } from '../catalog/restCatalog.ts';
import { createCatalogRenderer } from '../catalog/catalogRenderer.ts';
import type { CatalogSettings } from '../catalog/soap.ts';
import { registerSoap } from '../catalog/soap.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the caller, once it is known; for the log. */
    who: string;
    sentFiles: Files;
  }
}

export interface ServerOptions {
  readonly areas: Areas;
  readonly log: Log;
  readonly version: string;
  readonly root: string;
  readonly publicUrl: string | undefined;
  readonly catalog: CatalogSettings;
  /** In PEM: only manifests that it has signed are taken. */
  readonly manifestKey: string | undefined;
  /** Routes of the demo, where the deployment is simulated. */
  readonly demoRoutes: readonly Route[];
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly isDiskLow: () => boolean;
  /** What keeps this replica from serving, in words; nothing when it is ready. */
  readonly obstacles: () => Promise<readonly string[]>;
}

const HEAD_WITHIN_MS = 10 * SECOND;
const IDLE_AT_MOST_MS = 30 * SECOND;
const WHOLE_REQUEST_WITHIN_MS = 2 * MINUTE;
const LONGEST_NAME = 4096;
const LONGEST_LOGGED_PATH = 500;
const NO_FIELDS: ReadonlySet<string> = new Set();
const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The request that a connection is at, kept on the socket itself: a table beside it costs every request more. */
const UNANSWERED = Symbol('the reply that is due');
type Carrier = Socket & { [UNANSWERED]?: FastifyReply | undefined };

function rawFailure(status: string, code: ErrorCode, message: string, requestId: string): string {
  const body = JSON.stringify(errorBody(code, message, []));
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`;
}

/** Before a request can be told apart from noise there is no reply object, only the socket. */
function answerClientError(error: Error & { readonly code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    socket.end(rawFailure('408 Request Timeout', 'requestTimeout', 'The request did not arrive in time.', requestId));
  } else if (error.code === 'HPE_HEADER_OVERFLOW') {
    socket.end(
      rawFailure(
        '431 Request Header Fields Too Large',
        'headTooLarge',
        'The head of the request is too large.',
        requestId,
      ),
    );
  } else socket.end(rawFailure('400 Bad Request', 'invalid', 'The request is not valid HTTP.', requestId));
}

/** Half a request that nobody continues is answered; a connection that merely waits is closed; our own slowness is neither. */
function closeIdle(server: Server): void {
  server.on('timeout', (socket: Carrier) => {
    const reply = socket[UNANSWERED];
    if (reply?.request.raw.complete === true) return;
    if (reply === undefined || reply.raw.headersSent || !socket.writable) socket.destroy();
    else {
      socket.end(rawFailure('408 Request Timeout', 'requestTimeout', 'Nothing came for 30 seconds.', reply.request.id));
    }
  });
}

function fail(
  { log, root }: ServerOptions,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const query = (request.query ?? {}) as Record<string, string>;
  return sendFailure({
    request,
    reply,
    error,
    body: NOTHING,
    query,
    isCompat: request.url.startsWith('/compat/admin'),
    log,
    root,
  });
}

function instance(options: ServerOptions): FastifyInstance {
  const nextId = createIdSequence();
  const common = {
    logger: false,
    genReqId: nextId,
    bodyLimit: FORM_LIMIT,
    connectionTimeout: IDLE_AT_MOST_MS,
    keepAliveTimeout: IDLE_AT_MOST_MS,
    requestTimeout: WHOLE_REQUEST_WITHIN_MS,
    forceCloseConnections: 'idle' as const,
    return503OnClosing: false,
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    clientErrorHandler: (error: Error, socket: Socket) => {
      const requestId = nextId();
      options.log.info({ requestId, from: socket.remoteAddress, reason: error.message }, 'a request could not be read');
      answerClientError(error, socket, requestId);
    },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-request-id', request.id);
      fail(options, error, request, reply);
    },
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: LONGEST_NAME,
      querystringParser: parseQuery,
    },
  };
  const timing = { headersTimeout: HEAD_WITHIN_MS, connectionsCheckingInterval: SECOND };
  if (options.tls === undefined) return fastify({ ...common, http: timing });
  return fastify({ ...common, https: { ...options.tls, ...timing } });
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function observe(app: FastifyInstance, options: ServerOptions): void {
  const metrics = createMetrics(options.version, options.areas);
  app.addHook('onRequest', (request, reply, next) => {
    request.sentFiles = NO_FILES;
    (request.raw.socket as Carrier)[UNANSWERED] = reply;
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    next();
  });
  app.addHook('onResponse', (request, reply, next) => {
    const socket: Carrier = request.raw.socket;
    if (socket[UNANSWERED] === reply) socket[UNANSWERED] = undefined;
    const { method, id: requestId, ip: from, who } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics.observe(request.routeOptions.url ?? 'none', method, status, elapsedTime);
    const path = pathOf(request.url).slice(0, LONGEST_LOGGED_PATH);
    options.log.request({ requestId, method, path, status, ms: Math.round(elapsedTime * 10) / 10, from, who });
    next();
  });
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}

function registerAdmin(app: FastifyInstance, table: readonly Route[], options: ServerOptions): void {
  const admin = createAdmin(options);
  for (const route of table) {
    const { kind, path, fields, alsoAt = [] } = route.operation;
    const fileFields = new Set(Object.keys(fields).filter((name) => fields[name]?.reader.readFile !== undefined));
    const clean = [...patternsOf(path).map((pattern) => options.root + pattern), ...alsoAt];
    const compat = patternsOf(path).map((pattern) => `/compat/admin${pattern}`);
    for (const [patterns, isCompat] of [
      [clean, false],
      [compat, true],
    ] as const) {
      for (const url of patterns) {
        const [method, others] =
          kind === 'operation' ? [['POST'], OTHER_METHODS] : [['GET', 'POST'], OTHER_METHODS.slice(2)];
        app.route({ method, url, config: { fileFields }, handler: admin.handlerOf(route, isCompat) });
        const refuse = admin.refusalOf(kind === 'operation' ? 'POST' : 'GET, HEAD, POST', isCompat);
        // Before the body is read: its type does not matter where the method is wrong.
        app.route({ method: others, url, onRequest: refuse, handler: refuse });
      }
    }
  }
}

function registerProbes(app: FastifyInstance, table: readonly Route[], options: ServerOptions): void {
  const description = JSON.stringify(openapi(table, options.root, options.version));
  app.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(description));
  app.get('/healthz', () => ({ status: 'alive' }));
  app.get('/readyz', async (_request, reply) => {
    const obstacles = await options.obstacles();
    if (obstacles.length === 0) return { status: 'ready' };
    return reply.status(503).send({ status: 'not ready', reasons: obstacles });
  });
  const front = page({
    title: 'Steward',
    home: options.root,
    about: 'The administrative service of this deployment.',
    body: {
      version: options.version,
      administration: options.root,
      description: '/openapi.json',
      'token service': 'POST to /tokens/generateToken',
      catalog: ['/services', '/rest/services', '/rest/info'],
      probes: ['/healthz', '/readyz', '/metrics'],
    },
  });
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(front));
}

/** Everything that answers over HTTP, ready to listen. */
export function createServer(options: ServerOptions): FastifyInstance {
  const app = instance(options);
  closeIdle(app.server);
  app.decorateRequest('who', '');
  app.decorateRequest('sentFiles');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body: Buffer, parsed) => {
      try {
        parsed(null, parseEncodedBody(body));
      } catch (error) {
        parsed(error as Error);
      }
    },
  );
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    const { fileFields = NO_FIELDS } = request.routeOptions.config as { readonly fileFields?: ReadonlySet<string> };
    const isKnown = async (token: string | undefined): Promise<boolean> => {
      const secret = findCredential(request, token === undefined ? NOTHING : { token }, NOTHING)?.secret;
      if (secret === undefined) return false;
      return options.areas.access.tokens.authenticate(secret, callerOf(request)).then(
        () => true,
        () => false,
      );
    };
    const { form, files } = await readMultipart(request.headers, payload, { fileFields, isKnown });
    request.sentFiles = files;
    return form;
  });
  const streams = createMessageStreams();
  app.addHook('preClose', async () => streams.end());
  const table = routes({ ...options, streams });
  observe(app, options);
  registerAdmin(app, table, options);
  registerProbes(app, table, options);
  const rendering = createCatalogRenderer();
  registerSoap(app, { ...options, rendering });
  registerCatalogPages(app, options);
  registerRestCatalog(app, { ...options, rendering });
  app.setErrorHandler((error, request, reply) => fail(options, error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    fail(
      options,
      new StewardError('notFound', 'There is nothing at this address. /openapi.json lists what there is.'),
      request,
      reply,
    ),
  );
  return app;
}
