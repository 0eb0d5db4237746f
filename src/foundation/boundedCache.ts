export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** Adds or replaces an entry and returns its value. */
  set(key: K, value: V): V;
  /** Returns the value of `key`, or creates and adds it. */
  getOrCreate(key: K, create: () => V): V;
  delete(key: K): void;
}

/**
 * Keeps up to `maxEntries` entries. Beyond that it drops the entry that was set longest ago. Reading does not change the order,
 * which keeps `get` as cheap as that of a Map.
 */
export function createBoundedCache<K, V>(maxEntries: number): BoundedCache<K, V> {
  const entries = new Map<K, V>();

  function set(key: K, value: V): V {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size > maxEntries) {
      const { value: oldest, done } = entries.keys().next();
      if (done !== true) entries.delete(oldest);
    }
    return value;
  }

  return {
    get: (key) => entries.get(key),
    set,
    getOrCreate: (key, create) => entries.get(key) ?? set(key, create()),
    delete: (key) => void entries.delete(key),
  };
}
