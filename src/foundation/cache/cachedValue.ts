/** Caches the result of `fetch` until `invalidate`. A failed read is not cached, nor one that was invalidated before it ended. */
export function cacheValue<T>(fetch: () => Promise<T>) {
  let cached: Promise<T> | undefined;
  return {
    read(): Promise<T> {
      if (cached !== undefined) return cached;
      const reading = fetch();
      cached = reading;
      reading.catch(() => {
        if (cached === reading) cached = undefined;
      });
      return reading;
    },
    invalidate(): void {
      cached = undefined;
    },
  };
}
