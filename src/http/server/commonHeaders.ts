import type { FastifyReply, FastifyRequest } from 'fastify';

/** A certificate chain and its private key, in PEM. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

export interface ConnectionOptions {
  readonly trustedProxies: readonly string[];
  readonly tls: TlsPair | undefined;
}

export interface HeaderOptions extends ConnectionOptions {
  /** The origins whose pages may read answers. They authenticate with a token; the cookie is for Steward's own pages. */
  readonly corsOrigins: readonly string[];
  /** Whether clients are asked to close their connections. */
  readonly isStopping?: () => boolean;
}

export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void;

const ONE_YEAR = 'max-age=31536000';
const EXPOSED = 'Content-Disposition, ETag, Retry-After, X-Request-Id';
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, Last-Event-ID, SOAPAction',
  'access-control-max-age': '600',
} as const;

/** Makes the function that gives every reply its common headers. Routes override `cache-control` where they may. */
export function createSetHeaders({ tls, trustedProxies, corsOrigins, isStopping }: HeaderOptions): SetHeaders {
  const origins: ReadonlySet<string> = new Set(corsOrigins);
  /** A proxy that is not trusted cannot tell that its clients use TLS. */
  const mayBeSecure = tls !== undefined || trustedProxies.length > 0;

  function allowOrigin({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
    reply.header('vary', 'Origin');
    if (origin === undefined || !origins.has(origin)) return;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
  }

  return (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('referrer-policy', 'no-referrer');
    reply.header('cache-control', 'no-store');
    if (mayBeSecure && request.protocol === 'https') reply.header('strict-transport-security', ONE_YEAR);
    if (origins.size > 0) allowOrigin(request, reply);
    if (isStopping?.() === true) reply.header('connection', 'close');
  };
}

/** Answers a browser that asks whether a page of an allowed origin may send a request. */
export function answerPreflight({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  if (!reply.hasHeader('access-control-allow-origin')) return false;
  reply.status(204).headers(PREFLIGHT).send();
  return true;
}
