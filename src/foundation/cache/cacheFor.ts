import type { Clock } from '../clock.ts';

/** Caches the result of `fetch` for a time after it was read. Calls during a read share it, however long it takes. A failed read is not cached. */
export function cacheFor<T>(clock: Pick<Clock, 'now'>, ms: number, fetch: () => Promise<T>): () => Promise<T> {
  let cached: { readonly value: Promise<T>; until: number } | undefined;
  return () => {
    if (cached !== undefined && clock.now() < cached.until) return cached.value;
    const reading = { value: fetch(), until: Infinity };
    cached = reading;
    reading.value.then(
      () => (reading.until = clock.now() + ms),
      () => (reading.until = 0),
    );
    return reading.value;
  };
}
