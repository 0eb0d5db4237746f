/** Below zero when the first is older. Number by number, so that 10.9 is older than 10.10, and 11 the same as 11.0. */
export function compareVersions(one: string, other: string): number {
  const left = one.split('.').map(Number);
  const right = other.split('.').map(Number);
  const places = Array.from({ length: Math.max(left.length, right.length) }, (_, n) => n);
  return places.map((n) => (left[n] ?? 0) - (right[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
