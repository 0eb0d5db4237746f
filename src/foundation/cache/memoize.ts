/** Returns a function that makes one value for each object, and keeps it for as long as the object lives. */
export function memoize<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const values = new WeakMap<K, V>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    values.set(key, made);
    return made;
  };
}
