/** A bounded memory: beyond `most` entries, what was kept longest ago is dropped. */
export function createRecent<T>(most: number) {
  const byKey = new Map<string, T>();
  return {
    find: (key: string) => byKey.get(key),
    drop: (key: string) => byKey.delete(key),
    keep(key: string, value: T): void {
      byKey.delete(key);
      byKey.set(key, value);
      const [oldest] = byKey.keys();
      if (byKey.size > most && oldest !== undefined) byKey.delete(oldest);
    },
  };
}
