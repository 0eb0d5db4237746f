export interface CachedValue<T> {
  read(): Promise<T>;
  invalidate(): void;
}

/** Reads once and remembers until told to forget; a failed read is not remembered, and neither is one that was overtaken. */
export function cacheValue<T>(fetch: () => Promise<T>): CachedValue<T> {
  let known: Promise<T> | undefined;
  return {
    read() {
      if (known !== undefined) return known;
      const reading = fetch();
      known = reading;
      reading.catch(() => {
        if (known === reading) known = undefined;
      });
      return reading;
    },
    invalidate() {
      known = undefined;
    },
  };
}
