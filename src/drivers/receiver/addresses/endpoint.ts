import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import { portOf } from './addressGuard.ts';
import type { AddressGuard } from './addressGuard.ts';
import type { Destination } from './allowedAddresses.ts';

export interface Endpoint extends Destination {
  readonly kind: 'endpoint';
  readonly path: string;
}

export type ParsedUrl = Endpoint | { readonly kind: 'refused'; readonly problem: string };

const MAX_URLS = 5000;

function parseUrl(guard: AddressGuard, text: string): ParsedUrl {
  const problem = guard.problemWith(text);
  if (problem !== undefined) return { kind: 'refused', problem };
  const url = new URL(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { kind: 'endpoint', host, port: portOf(url), origin: url.origin, path: `${url.pathname}${url.search}` };
}

/** Returns a function that parses and checks URLs. Results are cached: webhooks are few, and the rules of a guard do not change. */
export function createUrlParser(guard: AddressGuard): (url: string) => ParsedUrl {
  const parsed = createBoundedCache<string, ParsedUrl>(MAX_URLS);
  return (url) => parsed.getOrCreate(url, () => parseUrl(guard, url));
}
