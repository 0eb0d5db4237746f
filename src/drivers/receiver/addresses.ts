import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { LOCALHOST_ADDRESSES, isLocalhost, refusalOf } from './guard.ts';
import type { Guard } from './guard.ts';

/** All addresses of a name; rejects when it has none. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const lookupBySystem: Lookup = async (name) => {
  const found = await systemLookup(name, { all: true });
  return found.map(({ address }) => address);
};

export const FORBIDDEN = 'STEWARD_FORBIDDEN';

/** An error of ours, whose message is written for people. */
export function forbidden(...refusal: Parameters<typeof refusalOf>): Error {
  return Object.assign(new Error(refusalOf(...refusal)), { code: FORBIDDEN });
}

export interface Place {
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly origin: string;
}

/**
 * The addresses of a host that may be dialled, and no others; rejects when none is left. Callers for the same name share
 * one look-up: the system has few threads for them, and a name whose servers are dead must not hold them all.
 */
export function createAddresses(guard: Guard, lookup: Lookup = lookupBySystem) {
  const running = new Map<string, Promise<readonly string[]>>();

  function find(name: string): Promise<readonly string[]> {
    const known = running.get(name);
    if (known !== undefined) return known;
    const finding = lookup(name).finally(() => running.delete(name));
    running.set(name, finding);
    return finding;
  }

  return async ({ host, port, origin }: Place): Promise<readonly string[]> => {
    const isName = isIP(host) === 0 && !isLocalhost(host);
    const found = isName ? await find(host) : isIP(host) > 0 ? [host] : LOCALHOST_ADDRESSES;
    const allowed = found.filter((address) => guard.isAllowed(address, port));
    if (allowed.length > 0) return allowed;
    if (found[0] === undefined) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
    throw forbidden(origin, isName ? 'leads to' : 'is', found[0]);
  };
}
