import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { FieldPath, Leaf } from './leaves.ts';
import { fieldAt, isLeaf, isSet, namedItems } from './leaves.ts';

function withItem(value: unknown, item: string, change: (fields: unknown) => unknown): unknown {
  const items = namedItems(value) ?? [];
  const at = items.findIndex(({ name }) => name === item);
  const { name: _, ...fields } = items[at] ?? {};
  const changed = change(at === -1 ? undefined : fields);
  const kept = changed === undefined ? [] : [{ name: item, ...(isObject(changed) ? changed : {}) }];
  const next = at === -1 ? [...items, ...kept] : [...items.slice(0, at), ...kept, ...items.slice(at + 1)];
  return next.length === 0 ? undefined : next;
}

function withKey(value: unknown, key: string, change: (field: unknown) => unknown): unknown {
  const base = isObject(value) ? value : {};
  const { [key]: present, ...rest } = base;
  const changed = change(Object.hasOwn(base, key) ? present : undefined);
  if (changed !== undefined) return { ...base, [key]: changed };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Changes what is at a path. What has no fields left goes as well. */
function changeAt(value: unknown, [segment, ...rest]: FieldPath, change: (found: unknown) => unknown): unknown {
  if (segment === undefined) return change(value);
  const inner = (part: unknown): unknown => changeAt(part, rest, change);
  return typeof segment === 'string' ? withKey(value, segment, inner) : withItem(value, segment.item, inner);
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function withLeaf(object: JsonObject, leaf: Leaf): JsonObject {
  return isSet(object, leaf) ? object : asObject(changeAt(object, leaf.path, () => leaf.value));
}

/** Removes a leaf, and the objects and items that it was the last field of. */
export function withoutLeaf(object: JsonObject, path: FieldPath): JsonObject {
  const found = fieldAt(object, path);
  return found === undefined || !isLeaf(found) ? object : asObject(changeAt(object, path, () => undefined));
}
