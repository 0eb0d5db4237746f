// Takes the fields of a set out of an object: what the manager that owns them would apply.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { FieldSet } from './fieldSet.ts';
import { childOf, elementsOf, keysOf, valueIn } from './fieldSet.ts';

/** Labels and annotations of others are no part of a map that was applied while it was empty. */
const OPEN_MAPS: ReadonlySet<string> = new Set(['f:labels', 'f:annotations']);

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function extractList(list: readonly unknown[], set: FieldSet, withEmpty: boolean): readonly unknown[] {
  const owned = new Map<unknown, unknown>();
  for (const element of elementsOf(set)) {
    const item = valueIn(list, element);
    if (item === undefined) continue;
    const inner = extracted(item, childOf(set, element) ?? {}, withEmpty);
    owned.set(item, isObject(inner) ? { ...keysOf(element), ...inner } : inner);
  }
  // In the order of the object, because an apply orders a list by what is applied.
  return list.filter((item) => owned.has(item)).map((item) => owned.get(item));
}

function extracted(value: unknown, set: FieldSet, withEmpty: boolean): unknown {
  const elements = elementsOf(set);
  if (elements.length === 0) return '.' in set ? emptied(value) : value;
  if (Array.isArray(value)) return extractList(value, set, withEmpty);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const element of elements) {
    const inner = valueIn(value, element);
    const child = childOf(set, element) ?? {};
    if (inner === undefined) continue;
    const isOpen = OPEN_MAPS.has(element) && elementsOf(child).length === 0;
    copy[element.slice(2)] = isOpen ? {} : extracted(inner, child, withEmpty);
  }
  // A set does not have what is empty, such as `emptyDir: {}`, and an object may be invalid without it.
  if (withEmpty) for (const key in value) if (isEmpty(value[key])) copy[key] ??= value[key];
  return copy;
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

/** The fields of a set that the object has. `withEmpty`: with empty values beside them, which no set has. */
export function extract(object: object, set: FieldSet, withEmpty = false): JsonObject {
  if (elementsOf(set).length === 0) return {};
  const fields = extracted(object, set, false);
  const all = extracted(object, set, withEmpty);
  if (!isObject(fields) || !isObject(all)) return {};
  const { metadata: _, ...rest } = all;
  return { ...rest, ...(fields['metadata'] !== undefined && { metadata: fields['metadata'] }) };
}

function nameOf(item: unknown): unknown {
  return isObject(item) ? item['name'] : undefined;
}

/** Both, and what the second says where they differ. Items of lists are the same if they have the same name. */
export function mergedFields(one: unknown, other: unknown): unknown {
  if (other === undefined) return one;
  if (Array.isArray(one) && Array.isArray(other)) {
    const merged = one.map((item: unknown) =>
      mergedFields(
        item,
        other.find((next) => nameOf(next) === nameOf(item)),
      ),
    );
    return [...merged, ...other.filter((next) => !one.some((item) => nameOf(item) === nameOf(next)))];
  }
  if (!isObject(one) || !isObject(other)) return other;
  const merged: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) merged[key] = mergedFields(one[key], value);
  return merged;
}
