// Copies of collections with one more member: the state of a run is never changed in place.

export function withKey<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

export function withItems<T>(set: ReadonlySet<T>, items: Iterable<T>): ReadonlySet<T> {
  return new Set([...set, ...items]);
}
