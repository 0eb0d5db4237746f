// Without leading zeros, so that each number has only one spelling.
export const VERSION_PATTERN = /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){0,4}$/;
export const BUILD_PATTERN = /^(?:0|[1-9]\d{0,14})$/;

export const VERSION_RULE = 'must be numbers separated by dots, such as 11.0';
export const BUILD_RULE = 'must be a string of at most 15 digits, such as "1234"';

export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION_PATTERN.test(value);
}

export function isBuild(value: unknown): value is string {
  return typeof value === 'string' && BUILD_PATTERN.test(value);
}

/** Returns a negative number if the first is older. Compares number by number: 10.9 is older than 10.10, and 11 equals 11.0. */
export function compareVersions(one: string, other: string): number {
  const left = one.split('.').map(Number);
  const right = other.split('.').map(Number);
  const places = Array.from({ length: Math.max(left.length, right.length) }, (_, n) => n);
  return places.map((n) => (left[n] ?? 0) - (right[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}
