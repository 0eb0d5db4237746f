import { isObject } from './json.ts';

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}

/** Writes the same text for the same value, whatever the order of its keys. For values that were read with limits. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}
