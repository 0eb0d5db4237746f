import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { Schema } from '../../foundation/schema/schema.ts';

const MAX_DEPTH = 32;

/** Thrown for a value that cannot be written in canonical form. */
export class TooDeep extends Error {
  override readonly name = 'TooDeep';
}

function sorted(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooDeep();
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  return isObject(value) ? sortedFields(Object.entries(value), depth) : value;
}

function sortedFields(entries: readonly (readonly [string, unknown])[], depth: number): JsonObject {
  const inOrder = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(inOrder.map(([key, one]) => [key, sorted(one, depth + 1)]));
}

/** The fields that a schema does not have, in an order that does not depend on the file, at every level. */
export function unknownFields({ properties = {} }: Schema, value: JsonObject): JsonObject {
  return sortedFields(
    Object.entries(value).filter(([key]) => !Object.hasOwn(properties, key)),
    0,
  );
}

/** Warns of each unknown field. A key is shown only if it cannot do harm on a terminal or in a log. */
export function unknownFieldWarnings(schema: Schema, value: JsonObject, place: string): readonly string[] {
  return Object.keys(unknownFields(schema, value)).map((key) => {
    const name = /^[\w.-]{1,60}$/.test(key) ? `\`${key}\`` : '(its name is unprintable)';
    return `Unknown field ${name}${place === '' ? '' : ` in ${place}`}. It is kept and has no effect.`;
  });
}
