// What an object would be after an apply, where a dry run of the apply cannot tell: the server refuses the half of a volume or a probe
// that is left until the other managers have given it up.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import type { FieldSet } from './fieldSet.ts';
import { childOf, elementsOf, valueIn, wholeSet, withoutFields } from './fieldSet.ts';
import { releasedFields } from './release.ts';
import { isSame } from './sameFields.ts';

/** The elements of the items of a list, if they have keys. */
function itemsOf(set: FieldSet | undefined): readonly string[] {
  return set === undefined ? [] : elementsOf(set).filter((element) => /^[kv]:/.test(element));
}

function mergedList(live: readonly unknown[], body: readonly unknown[], set: FieldSet | undefined): readonly unknown[] {
  const elements = itemsOf(set);
  if (elements.length === 0) return body;
  const placed = new Map(elements.map((element) => [valueIn(live, element), element]));
  const used = new Set<unknown>();
  const present = live.map((item) => {
    const element = placed.get(item);
    const next = element === undefined ? undefined : valueIn(body, element);
    if (element === undefined || next === undefined) return item;
    used.add(next);
    return merged(item, next, childOf(set, element));
  });
  return [...present, ...body.filter((item) => !used.has(item))];
}

function merged(live: unknown, body: unknown, set: FieldSet | undefined): unknown {
  if (Array.isArray(live) && Array.isArray(body)) return mergedList(live, body, set);
  const isAtomic = set !== undefined && Object.keys(set).length === 0;
  if (!isObject(live) || !isObject(body) || isAtomic) return body;
  const copy: Record<string, unknown> = { ...live };
  for (const [key, value] of Object.entries(body))
    if (value === null) delete copy[key];
    else copy[key] = merged(live[key], value, childOf(set, `f:${key}`));
  return copy;
}

const MARKS = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

function operations(before: unknown, after: unknown, keys: readonly string[], path: string): readonly object[] {
  return keys.flatMap((key) => {
    const [from, to] = [valueIn(before, `f:${key}`), valueIn(after, `f:${key}`)];
    if (isSame(from, to)) return [];
    const op = from === undefined ? 'add' : to === undefined ? 'remove' : 'replace';
    return [{ op, path: `${path}/${key}`, ...(to !== undefined && { value: to }) }];
  });
}

/** The operations of a JSON patch that make an object what an apply would make it. */
export function targetPatch(live: ClusterObject, body: JsonObject): readonly object[] {
  const set = wholeSet(live);
  const rest = withoutFields(live, releasedFields(live, body) ?? {});
  const target = merged(rest, body, set);
  const fields = new Set([...Object.keys(live), ...Object.keys(body)]);
  for (const key of ['apiVersion', 'kind', 'metadata', 'status', 'isPartial']) fields.delete(key);
  const metadata = valueIn(target, 'f:metadata');
  return [...operations(live, target, [...fields], ''), ...operations(live.metadata, metadata, MARKS, '/metadata')];
}

/** The fields of a body, as far as an object has them. */
export function setOfBody(body: unknown, set: FieldSet | undefined): FieldSet {
  if (set !== undefined && Object.keys(set).length === 0) return {};
  if (isObject(body))
    return Object.fromEntries(
      Object.entries(body)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [`f:${key}`, setOfBody(value, childOf(set, `f:${key}`))]),
    );
  const elements = Array.isArray(body) ? itemsOf(set) : [];
  const items = elements.flatMap((element) => {
    const item = valueIn(body, element);
    return item === undefined ? [] : [[element, setOfBody(item, childOf(set, element))] as const];
  });
  return Object.fromEntries(items);
}
