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
  const changed = change(Object.hasOwn(base, key) ? base[key] : undefined);
  if (changed !== undefined) return { ...base, [key]: changed };
  const { [key]: _, ...rest } = base;
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

/** The value of leaves whose paths are the same up to a depth. */
function valueOf(leaves: readonly Leaf[], depth: number): unknown {
  const whole = leaves.find(({ path }) => path.length === depth);
  if (whole !== undefined) return whole.value;
  const parts = new Map<string, Leaf[]>();
  let isList = false;
  for (const leaf of leaves) {
    const segment = leaf.path[depth] ?? '';
    isList ||= typeof segment !== 'string';
    const key = typeof segment === 'string' ? segment : segment.item;
    const known = parts.get(key);
    if (known === undefined) parts.set(key, [leaf]);
    else known.push(leaf);
  }
  const values = [...parts].map(([key, some]) => [key, valueOf(some, depth + 1)] as const);
  return isList ? values.map(([name, fields]) => ({ name, ...asObject(fields) })) : Object.fromEntries(values);
}

/** The object that has these leaves, which are all of one object. */
export function objectOf(leaves: readonly Leaf[]): JsonObject {
  return leaves.length === 0 ? {} : asObject(valueOf(leaves, 0));
}
