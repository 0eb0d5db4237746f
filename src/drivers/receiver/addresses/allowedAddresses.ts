import { isIP } from 'node:net';
import { LOCALHOST_ADDRESSES, isLocalhost } from './addressGuard.ts';
import type { AddressGuard, Refusal } from './addressGuard.ts';
import type { NameCache } from './nameCache.ts';

export const FORBIDDEN = 'STEWARD_FORBIDDEN';

/** Creates an error whose message is shown to people, with the words for administrators. */
export function forbidden({ problem, fullProblem }: Refusal): Error {
  return Object.assign(new Error(problem), { code: FORBIDDEN, fullProblem });
}

export interface Destination {
  /** In lower case, without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly origin: string;
}

/** Finds the addresses of a host and returns those that may be dialled. Rejects when none is allowed. */
export function createAllowedAddresses(guard: AddressGuard, names: NameCache) {
  async function allowedOf(
    { host, port, origin }: Destination,
    addressesOf: NameCache['find'],
  ): Promise<readonly string[]> {
    const isName = isIP(host) === 0 && !isLocalhost(host);
    const found = isName ? await addressesOf(host) : isIP(host) > 0 ? [host] : LOCALHOST_ADDRESSES;
    const allowed = found.filter((address) => guard.isAllowed(address, port));
    if (allowed.length > 0) return allowed;
    // An administrator who corrects the DNS entry does not have to wait until the cached answer is old.
    names.delete(host);
    if (found[0] === undefined) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
    throw forbidden(guard.refusalOf(origin, isName ? 'leads to' : 'is', found[0]));
  }

  return {
    /** For sending. Cached addresses are checked again at every use. */
    find: async (destination: Destination) => allowedOf(destination, names.find),
    /** For saving a webhook: looks the name up now and caches nothing, because sending checks again. */
    lookUp: async (destination: Destination) => allowedOf(destination, names.lookUp),
  };
}
