const MAX_LENGTH = 64;

/** Counts the letters to insert, delete, replace or swap with their neighbour; case does not count. */
function distance(a: string, b: string): number {
  let older: readonly number[] = [];
  let old: readonly number[] = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const replaced = (old[j - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwap ? (older[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min(replaced, swapped, (old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [older, old] = [old, row];
  }
  return old[b.length] ?? 0;
}

/** Whether two names may be one name and a typing error of it. Names that differ in digits alone are different names: web-1, web-2. */
function isLikely(given: string, name: string, differences: number): boolean {
  const isNumbered = given.replaceAll(/\d/g, '') === name.replaceAll(/\d/g, '');
  return differences > 0 && differences <= (given.length < 6 ? 1 : 2) && !isNumbered;
}

/** Returns the name of which the given one is probably a typing error; undefined if there is none. */
export function likelyName(given: string, names: readonly string[]): string | undefined {
  const nearest = nearestName(given, names);
  return nearest !== undefined && isLikely(given, nearest, distance(given, nearest)) ? nearest : undefined;
}

/** Returns the name that is most like the given one, or undefined if there is none. Costs at most 64 letters per name. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const wanted = given.slice(0, MAX_LENGTH).toLowerCase();
  let [nearest, least]: [string | undefined, number] = [undefined, Infinity];
  for (const name of names) {
    const needed = distance(wanted, name.slice(0, MAX_LENGTH).toLowerCase());
    if (needed < least) [nearest, least] = [name, needed];
  }
  return nearest;
}
