// What an apply gives up of the fields that Steward has applied before.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject, ManagedFields } from '../api/clusterApi.ts';
import { FENCE_MANAGER, FIELD_MANAGER } from '../workloads/labels.ts';
import { isSystemManager } from '../workloads/managers.ts';
import type { FieldSet } from './fieldSet.ts';
import { appliedEntry, appliedSet, childOf, elementsOf, keysOf, leavesOf, owns, valueIn } from './fieldSet.ts';

/** Maps to which others add entries. */
const SHARED: ReadonlySet<string> = new Set(['f:labels', 'f:annotations']);

/**
 * The part of a set that an apply of a body gives up, because the body has no value there. What the body does not have at all is given
 * up whole, also with fields of others and defaults: half of a volume or a probe would be invalid.
 */
function releasedBy(set: FieldSet, body: unknown, keys: JsonObject = {}): FieldSet | undefined {
  const released: Record<string, unknown> = {};
  for (const element of elementsOf(set)) {
    // A key that the body leaves out has its default.
    if (element.slice(2) in keys) continue;
    const child = childOf(set, element) ?? {};
    const inner = valueIn(body, element);
    const isShared = SHARED.has(element) && elementsOf(child).length > 0;
    const isMissing = inner === undefined || inner === null;
    const rest = isMissing && !isShared ? {} : releasedBy(child, inner, keysOf(element));
    if (rest !== undefined) released[element] = rest;
  }
  return Object.keys(released).length === 0 ? undefined : released;
}

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  const set: Record<string, unknown> = {};
  const groups = new Map<string, (readonly string[])[]>();
  for (const [element, ...rest] of paths) {
    if (element === undefined) continue;
    const group = groups.get(element) ?? [];
    groups.set(element, rest.length === 0 ? group : [...group, rest]);
  }
  for (const [element, inner] of groups) set[element] = setOf(inner);
  return set;
}

/** The fields that an apply of a body gives up, without those that a controller of the cluster has set since. */
export function releasedFields(live: ClusterObject, body: JsonObject): FieldSet | undefined {
  const released = releasedBy(appliedSet(live), body);
  if (released === undefined) return undefined;
  const controllers = (live.metadata.managedFields ?? []).filter(
    ({ manager }) => isSystemManager(manager) && manager !== FIELD_MANAGER && manager !== FENCE_MANAGER,
  );
  const paths = leavesOf(released).filter(
    (path) => !controllers.some(({ fieldsV1 }) => isObject(fieldsV1) && owns(fieldsV1, path)),
  );
  return paths.length === 0 ? undefined : setOf(paths);
}

/** Whether other managers must give up fields first, or Steward must own defaults, before an apply removes what it gives up. */
export function needsOwnership(live: ClusterObject, body: JsonObject): boolean {
  return ownershipChanges(live, body).length > 0;
}

/** Whether an object has more at a place than Steward owns there, such as defaults. */
function hasMore(value: unknown, owned: FieldSet | undefined): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => {
    const child = childOf(owned, `f:${key}`);
    return child === undefined || (elementsOf(child).length > 0 && hasMore(inner, child));
  });
}

/** The set with all of the structures that are given up; undefined if Steward owns all that is there. */
function claimedIn(set: FieldSet, live: unknown, released: FieldSet): FieldSet | undefined {
  const claimed: Record<string, unknown> = { ...set };
  let isMore = false;
  for (const element of elementsOf(released)) {
    const [owned, child] = [childOf(set, element) ?? {}, childOf(released, element) ?? {}];
    const value = valueIn(live, element);
    const isPlace = elementsOf(child).length === 0;
    const isStructure = isPlace && element.startsWith('f:') && elementsOf(owned).length > 0 && hasMore(value, owned);
    const inner = isPlace ? (isStructure ? {} : undefined) : claimedIn(owned, value, child);
    if (inner === undefined) continue;
    claimed[element] = inner;
    isMore = true;
  }
  return isMore ? claimed : undefined;
}

/**
 * Whether an apply gives up a structure of which the server has set a part, such as a probe with its defaults. Servers of 1.20 then leave an
 * empty structure, which is invalid or is given the defaults again.
 */
export function givesUpStructure(live: ClusterObject, body: JsonObject): boolean {
  const released = releasedFields(live, body);
  return released !== undefined && claimedIn(appliedSet(live), live, released) !== undefined;
}

/**
 * The set of another manager without what is given up. A map of which it owns no entry any more goes too: the server would keep all of its
 * entries.
 */
function withoutReleased(set: FieldSet, released: FieldSet): FieldSet | undefined {
  const kept: Record<string, unknown> = { ...set };
  for (const element of elementsOf(released)) {
    const [child, inner] = [childOf(set, element), childOf(released, element) ?? {}];
    if (child === undefined) continue;
    const isWhole = elementsOf(child).length === 0 || elementsOf(inner).length === 0;
    const rest = isWhole ? undefined : withoutReleased(child, inner);
    if (rest === undefined) delete kept[element];
    else kept[element] = rest;
  }
  return elementsOf(kept).length === 0 ? undefined : kept;
}

interface OwnershipChange {
  /** The place in the list of managed fields. */
  readonly index: number;
  readonly fields: FieldSet;
  /** The entry, if Steward has not applied the object yet. */
  readonly assumed?: ManagedFields;
}

/**
 * What must change in the managed fields of an object before an apply, so that the apply removes what it gives up: other managers own
 * it no longer, and Steward owns the defaults in it.
 */
export function ownershipChanges(live: ClusterObject, body: JsonObject): readonly OwnershipChange[] {
  const released = releasedFields(live, body);
  if (released === undefined) return [];
  return (live.metadata.managedFields ?? []).flatMap((entry, index): readonly OwnershipChange[] => {
    const { manager, subresource, fieldsV1 } = entry;
    if (!isObject(fieldsV1) || subresource) return [];
    if (entry === appliedEntry(live)) {
      const fields = claimedIn(fieldsV1, live, released);
      if (entry.isAssumed === true) return [{ index, fields: fields ?? fieldsV1, assumed: entry }];
      return fields === undefined ? [] : [{ index, fields }];
    }
    if (isSystemManager(manager) && manager !== FENCE_MANAGER) return [];
    const fields = withoutReleased(fieldsV1, released) ?? {};
    return JSON.stringify(fields) === JSON.stringify(fieldsV1) ? [] : [{ index, fields }];
  });
}
