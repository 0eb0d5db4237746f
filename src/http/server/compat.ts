// The compat interface has the operations of {root} at other addresses, for clients of older descriptions (ADR8). Both have the same
// routes: separate ones took 40 ms of every start.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

export const COMPAT_ROOT = '/compat/admin';
/** Below `sharing` is what only the compat interface has. */
const OPERATION = /^\/+compat\/+admin(?!\/+sharing(?:\/|$))(?=[/?]|$)/;

/** Makes the function that returns the address by which the router finds a request. */
export function createRewriteUrl(root: string): (raw: IncomingMessage) => string {
  return ({ url = '' }) => url.replace(OPERATION, root);
}

/** Tells whether a request for an operation came in by the compat interface. Its catalog has separate routes. */
export function isCompatOperation({ url, originalUrl }: FastifyRequest): boolean {
  return url !== originalUrl;
}

/** Returns the pattern of the address that the client has used. */
export function routeOf(request: FastifyRequest, root: string): string {
  const { url = 'none' } = request.routeOptions;
  return isCompatOperation(request) && url.startsWith(root) ? COMPAT_ROOT + url.slice(root.length) : url;
}
