// The fields of an object, one by one: what server-side apply owns, sets and removes. Items of a list are known by their `name`; a list
// whose items have none is one field.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';

/** The key of an object, or the name of an item. */
type Segment = string | { readonly item: string };
export type FieldPath = readonly Segment[];

export interface Leaf {
  readonly path: FieldPath;
  /** A scalar, a list without names, or an empty object or list. */
  readonly value: unknown;
}

/** Leaves by the id of their path. */
export type Leaves = ReadonlyMap<string, Leaf>;

type NamedItem = JsonObject & { readonly name: string };

function isNamed(value: unknown): value is NamedItem {
  return isObject(value) && typeof value['name'] === 'string' && value['name'] !== '';
}

/** The items of a list if each has another name; undefined for anything else. */
export function namedItems(value: unknown): readonly NamedItem[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: unknown[] = value;
  const named = items.filter(isNamed);
  const names = new Set(named.map(({ name }) => name));
  return named.length === items.length && names.size === named.length ? named : undefined;
}

export function pathId(path: FieldPath): string {
  return JSON.stringify(path);
}

/** Fields that are null count as absent, as in the API of a cluster. */
function fieldsOf(value: JsonObject): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
}

function collect(value: unknown, path: FieldPath, leaves: Map<string, Leaf>): void {
  const items = namedItems(value);
  const parts: readonly (readonly [Segment, unknown])[] =
    items?.map(({ name, ...rest }) => [{ item: name }, rest] as const) ?? (isObject(value) ? fieldsOf(value) : []);
  if (parts.length === 0) leaves.set(pathId(path), { path, value: isObject(value) ? {} : value });
  for (const [segment, part] of parts) collect(part, [...path, segment], leaves);
}

export function leavesOf(object: JsonObject | undefined): Leaves {
  return object === undefined ? new Map() : leavesBelow(object, []);
}

/** The leaves of what is at a path. */
export function leavesBelow(value: unknown, path: FieldPath): Leaves {
  const leaves = new Map<string, Leaf>();
  collect(value, path, leaves);
  return leaves;
}

function partAt(value: unknown, segment: Segment): unknown {
  if (typeof segment === 'string') {
    const part = isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
    return part ?? undefined;
  }
  const item = namedItems(value)?.find(({ name }) => name === segment.item);
  if (item === undefined) return undefined;
  const { name: _, ...rest } = item;
  return rest;
}

/** What is at a path: of an item of a list, its fields without the name. */
export function fieldAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, segment) => (at === undefined ? undefined : partAt(at, segment)), value);
}

/** Whether it has no parts, so that a write replaces it. */
export function isLeaf(value: unknown): boolean {
  return namedItems(value) === undefined && !(isObject(value) && fieldsOf(value).length > 0);
}

/** Whether a field has the value that is wanted. An empty object or list claims nothing of what is in it. */
export function isSet(value: unknown, { path, value: wanted }: Leaf): boolean {
  const found = fieldAt(value, path);
  if (isObject(wanted)) return isObject(found);
  if (Array.isArray(wanted) && wanted.length === 0 && namedItems(found) !== undefined) return true;
  return isDeepStrictEqual(found, wanted);
}

/** Whether two objects have the same fields. The order of named items does not count. */
export function isSameObject(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const [leaves, others] = [leavesOf(one), leavesOf(other)];
  return (
    leaves.size === others.size &&
    [...leaves].every(([id, { value }]) => others.has(id) && isDeepStrictEqual(value, others.get(id)?.value))
  );
}

const PLAIN_KEY = /^[\w-]+$/;

/** A path as people write it: `spec.containers[web].image`, `metadata.labels[app.kubernetes.io/name]`. */
export function fieldText(path: FieldPath): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment !== 'string') return `${text}[${segment.item}]`;
    if (!PLAIN_KEY.test(segment)) return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}

/** Reads a path that `fieldText` has written: what is there tells a key from an item. Undefined if it cannot be read. */
export function readField(text: string, object: JsonObject): FieldPath | undefined {
  const parts = [...text.matchAll(/\[([^\]]+)\]|(?:^|\.)([\w-]+)/gy)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce<FieldPath>((path, [, bracket, key]) => {
    const isItem = bracket !== undefined && namedItems(fieldAt(object, path)) !== undefined;
    return [...path, isItem ? { item: bracket } : (bracket ?? key ?? '')];
  }, []);
}
