// The compat interface has the operations of {root} at other addresses, for clients of older descriptions (ADR8). Both have the same
// routes: routes of its own took 40 ms of every start.
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

export const COMPAT_ROOT = '/compat/admin';
/** Below `sharing` is what only the compat interface has. */
const OPERATION = /^\/+compat\/+admin(?!\/+sharing(?:\/|$))(?=[/?]|$)/;

/** Makes the function that returns the address by which the router finds a request. */
export function createRewriteUrl(root: string): (raw: IncomingMessage) => string {
  return ({ url = '' }) => url.replace(OPERATION, root);
}

export function isCompat({ url, originalUrl }: FastifyRequest): boolean {
  return url !== originalUrl;
}

/** Returns the pattern that matches the address which the client has used. */
export function routeOf(request: FastifyRequest, root: string): string {
  const { url = 'none' } = request.routeOptions;
  return isCompat(request) && url.startsWith(root) ? COMPAT_ROOT + url.slice(root.length) : url;
}
