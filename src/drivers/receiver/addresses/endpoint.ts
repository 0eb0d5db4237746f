import type { Destination } from './allowedAddresses.ts';
import { portOf } from './addressGuard.ts';
import type { AddressGuard } from './addressGuard.ts';

export type Target =
  | (Destination & { readonly path: string; readonly problem?: undefined })
  | { readonly problem: string };

const MOST = 5000;

/** URLs that were read and judged: webhooks are few and are sent to often. The guard's rules do not change while it lives. */
export function createTargets(guard: AddressGuard) {
  const known = new Map<string, Target>();

  function read(text: string): Target {
    const problem = guard.problemWith(text);
    if (problem !== undefined) return { problem };
    const url = new URL(text);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    return { host, port: portOf(url), origin: url.origin, path: `${url.pathname}${url.search}` };
  }

  return {
    find(text: string): Target {
      const found = known.get(text);
      if (found !== undefined) return found;
      if (known.size >= MOST) known.clear();
      const target = read(text);
      known.set(text, target);
      return target;
    },
  };
}
