import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';

/** A copy with another value at a path; undefined removes what is there. */
export function withValue(value: JsonObject, path: readonly string[], last: unknown): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = value[key];
  if (rest.length > 0) return { ...value, [key]: withValue(isObject(inner) ? inner : {}, rest, last) };
  const { [key]: _, ...others } = value;
  return last === undefined ? others : { ...others, [key]: last };
}

/** A copy with more entries in the map at a path. */
export function withEntries(value: JsonObject, path: readonly string[], entries: JsonObject): JsonObject {
  return Object.entries(entries).reduce((copy, [key, entry]) => withValue(copy, [...path, key], entry), value);
}
