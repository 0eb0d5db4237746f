// The fields that a manager owns, as the server keeps them (FieldsV1): a tree whose keys are `f:` and the name of a field, `k:` and the
// keys of a list item, `v:` and a value of a set, `i:` and an index. The key `.` is the place itself; an empty tree is all that is there.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject, ManagedFields } from '../api/clusterApi.ts';
import { ANNOTATIONS, FIELD_MANAGER } from '../workloads/labels.ts';

export type FieldSet = JsonObject;

const SELF = '.';
/** Not of the server: all that is at a place, also what others own. */
const WHOLE = '=';

/** The elements of a tree that lead further down. */
export function elementsOf(set: FieldSet): readonly string[] {
  return Object.keys(set).filter((element) => element !== SELF && element !== WHOLE);
}

export function isWhole(set: FieldSet): boolean {
  return WHOLE in set;
}

export function childOf(set: FieldSet | undefined, element: string): FieldSet | undefined {
  const child = set?.[element];
  return isObject(child) ? child : undefined;
}

/** The keys of a list item, as its element names them. */
export function keysOf(element: string): JsonObject {
  const keys: unknown = element.startsWith('k:') ? JSON.parse(element.slice(2)) : {};
  return isObject(keys) ? keys : {};
}

/** The item with these keys. A key that an item lacks has its default, unless another item has the key. */
function itemWith(list: readonly unknown[], keys: JsonObject): unknown {
  const names = Object.keys(keys);
  const matches = (item: unknown, isStrict: boolean): boolean =>
    isObject(item) &&
    names.some((name) => item[name] !== undefined) &&
    names.every((name) => item[name] === keys[name] || (!isStrict && item[name] === undefined));
  return list.find((item) => matches(item, true)) ?? list.find((item) => matches(item, false));
}

/** The value at an element; undefined if there is none. */
export function valueIn(value: unknown, element: string): unknown {
  const rest = element.slice(2);
  if (element.startsWith('f:')) return isObject(value) ? value[rest] : undefined;
  if (!Array.isArray(value)) return undefined;
  if (element.startsWith('k:')) return itemWith(value, keysOf(element));
  if (element.startsWith('v:')) return value.find((item) => JSON.stringify(item) === JSON.stringify(JSON.parse(rest)));
  return value[Number(rest)];
}

/** The fields of both. */
export function unionOf(one: FieldSet, other: FieldSet): FieldSet {
  // An empty tree is all that is there, which a tree with parts does not say.
  const union: Record<string, unknown> = { ...one };
  for (const [element, child] of Object.entries(other)) {
    const present = childOf(one, element);
    union[element] = present === undefined || !isObject(child) ? child : unionOf(present, child);
  }
  return union;
}

/** The set with all that is at the places of another one. */
export function withWhole(set: FieldSet, whole: FieldSet): FieldSet {
  const covered: Record<string, unknown> = { ...set };
  for (const element of elementsOf(whole)) {
    const child = childOf(whole, element) ?? {};
    covered[element] = elementsOf(child).length === 0 ? { [WHOLE]: {} } : withWhole(childOf(set, element) ?? {}, child);
  }
  return covered;
}

/** The set without the places of another one; undefined if nothing is left but containers that became empty. */
function without(set: FieldSet, removed: FieldSet): FieldSet | undefined {
  const kept: Record<string, unknown> = { ...set };
  for (const element of elementsOf(removed)) {
    const [child, inner] = [childOf(set, element), childOf(removed, element)];
    if (child === undefined || inner === undefined) continue;
    const rest = elementsOf(inner).length === 0 ? undefined : without(child, inner);
    if (rest === undefined) delete kept[element];
    else kept[element] = rest;
  }
  return elementsOf(kept).length === 0 && elementsOf(set).length > 0 ? undefined : kept;
}

/** The places in a set that have no others below them. */
export function leavesOf(set: FieldSet, path: readonly string[] = []): readonly (readonly string[])[] {
  const elements = elementsOf(set);
  if (elements.length === 0) return [path];
  return elements.flatMap((element) => leavesOf(childOf(set, element) ?? {}, [...path, element]));
}

/** A copy of a value without the places of a set. */
export function withoutFields(value: unknown, set: FieldSet): unknown {
  const whole = new Set<unknown>();
  const parts = new Map<unknown, unknown>();
  for (const element of elementsOf(set)) {
    const inner = valueIn(value, element);
    const child = childOf(set, element) ?? {};
    const key = Array.isArray(value) ? inner : element.slice(2);
    if (elementsOf(child).length === 0) whole.add(key);
    else if (inner !== undefined) parts.set(key, withoutFields(inner, child));
  }
  if (Array.isArray(value)) return value.filter((item) => !whole.has(item)).map((item) => parts.get(item) ?? item);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !whole.has(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, parts.get(key) ?? inner]));
}

/** Whether a set has a place, a part of it, or all of something around it. */
export function owns(set: FieldSet | undefined, path: readonly string[]): boolean {
  let at = set;
  if (at === undefined || Object.keys(at).length === 0) return false;
  for (const element of path) {
    if (Object.keys(at).length === 0) return true;
    const next = childOf(at, element);
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

/** What every change by Steward writes, and no version. */
const FENCE: FieldSet = {
  'f:metadata': { 'f:annotations': { [`f:${ANNOTATIONS.fence}`]: {}, [`f:${ANNOTATIONS.installation}`]: {} } },
};

/** A set with the fence. */
export function withFenceOwned(set: FieldSet): FieldSet {
  return unionOf(set, FENCE);
}

function isApplied({ manager, operation, subresource }: ManagedFields): boolean {
  return manager === FIELD_MANAGER && operation === 'Apply' && !subresource;
}

/** What Steward has applied, as the server records it. */
export function appliedEntry({ metadata }: ClusterObject): ManagedFields | undefined {
  return metadata.managedFields?.find(isApplied);
}

/** The fields that Steward has applied, without its fence. */
export function appliedSet(object: ClusterObject): FieldSet {
  const set = appliedEntry(object)?.fieldsV1;
  return (isObject(set) ? without(set, FENCE) : undefined) ?? {};
}

/** The fields of all managers: which lists have keys. */
export function wholeSet(object: ClusterObject): FieldSet {
  const sets = (object.metadata.managedFields ?? []).map(({ fieldsV1 }) => fieldsV1).filter(isObject);
  return sets.reduce<FieldSet>(unionOf, {});
}
