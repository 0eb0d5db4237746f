// Takes the fields of a set out of an object: what the manager that owns them would apply.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import type { FieldSet } from './fieldSet.ts';
import { childOf, elementsOf, isWhole, keysOf, valueIn, wholeSet } from './fieldSet.ts';

/** Labels and annotations of others do not belong to a map that was applied while it was empty. */
const OPEN_MAPS: ReadonlySet<string> = new Set(['f:labels', 'f:annotations']);
/** A volume is invalid without it, and no set has what is empty. */
const EMPTY_DIR = 'emptyDir';

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : value;
}

/** All of a value, unless others own parts of it: then what was applied was empty. */
function leafOf(value: unknown, set: FieldSet, all: FieldSet): unknown {
  const isOpen = '.' in set || (isObject(value) && elementsOf(all).length > 0);
  return isOpen ? emptied(value) : value;
}

function extractList(list: readonly unknown[], set: FieldSet, all: FieldSet): readonly unknown[] {
  const owned = new Map<unknown, unknown>();
  for (const element of elementsOf(set)) {
    const item = valueIn(list, element);
    if (item === undefined) continue;
    const inner = extracted(item, childOf(set, element) ?? {}, childOf(all, element) ?? {});
    owned.set(item, isObject(inner) ? { ...keysOf(element), ...inner } : inner);
  }
  // In the order of the object, because an apply orders a list by what is applied.
  return list.filter((item) => owned.has(item)).map((item) => owned.get(item));
}

function extracted(value: unknown, set: FieldSet, all: FieldSet): unknown {
  const elements = elementsOf(set);
  if (isWhole(set)) return value;
  if (elements.length === 0) return leafOf(value, set, all);
  if (Array.isArray(value)) return extractList(value, set, all);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const element of elements) {
    const inner = valueIn(value, element);
    const child = childOf(set, element) ?? {};
    if (inner === undefined) continue;
    const isOpen = OPEN_MAPS.has(element) && elementsOf(child).length === 0;
    copy[element.slice(2)] = isOpen ? {} : extracted(inner, child, childOf(all, element) ?? {});
  }
  if (isObject(value[EMPTY_DIR]) && Object.keys(value[EMPTY_DIR]).length === 0) copy[EMPTY_DIR] ??= {};
  return copy;
}

/** The fields of a set that the object has. */
export function extract(object: ClusterObject, set: FieldSet): JsonObject {
  const fields = elementsOf(set).length === 0 ? {} : extracted(object, set, wholeSet(object));
  return isObject(fields) ? fields : {};
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
