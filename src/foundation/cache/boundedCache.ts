export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** Adds or replaces an entry and returns its value. */
  set(key: K, value: V): V;
  /** Returns the value of `key`, or creates and adds it. */
  getOrCreate(key: K, create: () => V): V;
  delete(key: K): void;
}

/** What entries of different sizes may use together. An entry that is larger than that is not kept. */
export interface ByteBound<V> {
  readonly maxBytes: number;
  readonly sizeOf: (value: V) => number;
}

/**
 * Keeps up to `maxEntries` entries, and of no more bytes than `bound` says. Beyond that it drops the entry that was set longest ago.
 * Reading does not change the order, which keeps `get` as cheap as that of a Map.
 */
export function createBoundedCache<K, V>(maxEntries: number, bound?: ByteBound<V>): BoundedCache<K, V> {
  const entries = new Map<K, V>();
  let bytes = 0;

  function remove(key: K): void {
    const value = entries.get(key);
    if (bound !== undefined && value !== undefined) bytes -= bound.sizeOf(value);
    entries.delete(key);
  }

  function set(key: K, value: V): V {
    remove(key);
    const size = bound?.sizeOf(value) ?? 0;
    if (bound !== undefined && size > bound.maxBytes) return value;
    entries.set(key, value);
    bytes += size;
    while (entries.size > maxEntries || bytes > (bound?.maxBytes ?? Infinity)) {
      const { value: oldest, done } = entries.keys().next();
      if (done === true) break;
      remove(oldest);
    }
    return value;
  }

  return {
    get: (key) => entries.get(key),
    set,
    getOrCreate: (key, create) => entries.get(key) ?? set(key, create()),
    delete: remove,
  };
}
