import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import type { Clock } from '../../../foundation/clock.ts';
import { SECOND } from '../../../foundation/clock.ts';

/** Explanations are asked for only if an object has waited this long, and then this often: a healthy rollout costs no request. */
const ASK_EVERY_MS = 15 * SECOND;
const MAX_KNOWN = 1000;

/**
 * Creates a reader that asks for a key every 15 s. It asks first after the key has been wanted for as long, and gives `unknown` until
 * then, unless `asksAtOnce`.
 */
export function createSlowReader<T>(clock: Clock, unknown: T, asksAtOnce = false) {
  const known = createBoundedCache<string, { readonly at: number; readonly value: T }>(MAX_KNOWN);
  return async (key: string, ask: () => Promise<T>): Promise<T> => {
    const now = clock.now();
    const last = known.get(key) ?? known.set(key, { at: asksAtOnce ? -Infinity : now, value: unknown });
    if (now - last.at < ASK_EVERY_MS) return last.value;
    return known.set(key, { at: now, value: await ask() }).value;
  };
}
