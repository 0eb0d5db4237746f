// The compat interface has the operations of {root} at other addresses, for clients of older descriptions (ADR8). Both have the same
// routes: separate ones took 40 ms of every start.
import type { FastifyRequest } from 'fastify';
import type { RewrittenMessage } from './pathPrefix.ts';
import { createCutPrefix } from './pathPrefix.ts';

export const COMPAT_ROOT = '/compat/admin';
/** The beginnings of the addresses that older clients know as an administration and as a portal. */
export const PORTAL_ROOTS = [COMPAT_ROOT, `${COMPAT_ROOT}/sharing/rest`];
/** Below `sharing`, `portals` and `community` is what only the compat interface has, except for the token service. */
const OPERATION =
  /^\/+compat\/+admin(?:\/+sharing\/+rest(?=\/+generateToken\/*(?:\?|$))|(?!\/+(?:sharing|portals|community)(?:\/|$)))(?=[/?]|$)/;

interface RewriteOptions {
  readonly root: string;
  readonly prefix: string;
  readonly hasCompat: boolean;
}

/** Makes the function that returns the address by which the router finds a request; undefined if all addresses stay as they are. */
export function createRewriteUrl({
  root,
  prefix,
  hasCompat,
}: RewriteOptions): ((raw: RewrittenMessage) => string) | undefined {
  const rewrite = (url: string): string => (hasCompat ? url.replace(OPERATION, root) : url);
  if (prefix === '') return hasCompat ? ({ url = '' }) => rewrite(url) : undefined;
  const cutPrefix = createCutPrefix(prefix);
  return (raw) => {
    // Everything else then sees the same address, whether the proxy cuts the prefix off or not.
    raw.originalUrl = cutPrefix(raw.url ?? '');
    return rewrite(raw.originalUrl);
  };
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
