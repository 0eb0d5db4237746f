import { isIP } from 'node:net';
import { LOCALHOST_ADDRESSES, isLocalhost, refusalOf } from './addressGuard.ts';
import type { AddressGuard } from './addressGuard.ts';
import type { NameCache } from './nameCache.ts';

export const FORBIDDEN = 'STEWARD_FORBIDDEN';

/** An error of ours, whose message is written for people. */
export function forbidden(...refusal: Parameters<typeof refusalOf>): Error {
  return Object.assign(new Error(refusalOf(...refusal)), { code: FORBIDDEN });
}

export interface Destination {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly origin: string;
}

/** The addresses of a host that may be dialled, and no others: judged at every use, remembered or not. Rejects when none is left. */
export function createAllowedAddresses(guard: AddressGuard, names: NameCache) {
  async function judge({ host, port, origin }: Destination, find: NameCache['find']): Promise<readonly string[]> {
    const isName = isIP(host) === 0 && !isLocalhost(host);
    const found = isName ? await find(host) : isIP(host) > 0 ? [host] : LOCALHOST_ADDRESSES;
    const allowed = found.filter((address) => guard.isAllowed(address, port));
    if (allowed.length > 0) return allowed;
    // Who corrects the name need not wait until this answer is old.
    names.forget(host);
    if (found[0] === undefined) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
    throw forbidden(origin, isName ? 'leads to' : 'is', found[0]);
  }

  return {
    find: async (place: Destination) => judge(place, names.find),
    /** For saving: a person is told what is so now. Nothing is kept of it: sending asks, and judges, for itself. */
    findAnew: async (place: Destination) => judge(place, names.findAnew),
  };
}
