import type { FastifyRequest } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';

/** What a browser says of a request that no page of another origin has caused. */
const OWN_SITES: ReadonlySet<unknown> = new Set(['same-origin', 'none']);

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

/**
 * Tells whether a page of another origin sends the request. Hosts are compared, because a proxy may add TLS. Clients other than
 * browsers send neither header. `Origin: null` is foreign: any page can cause it.
 */
function isForeign({ headers, host, protocol }: FastifyRequest, ownAddress: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && !OWN_SITES.has(site)) return true;
  // A browser that knows better than the Origin: a proxy may have replaced the host of the request.
  if (site === 'same-origin' || origin === undefined) return false;
  const own = [ownAddress, `${protocol}://${host}`].map(hostOf);
  const asked = hostOf(origin);
  return asked === undefined || !own.includes(asked);
}

/** Refuses a sign-in that a page of another site sends: it would make the browser of a user act for the account of another person. */
export function refuseForeignSignIn(request: FastifyRequest, ownAddress: string): void {
  if (!isForeign(request, ownAddress)) return;
  throw new StewardError('forbidden', 'A page of another site cannot sign in here. Sign in on a page of this server.', {
    details: [
      `Origin: must be the address of this server, ${ownAddress}. If browsers use another one, set STEWARD_PUBLIC_URL to it`,
    ],
  });
}
