// What an apply does to an object, as a simplified server-side apply: it sets the fields of the content, removes the fields of the former
// content that are not in the new one, and leaves all others.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { FieldPath, Leaf, Leaves } from './leaves.ts';
import { fieldAt, isLeaf, isSet, leavesBelow, leavesOf, namedItems, pathId } from './leaves.ts';
import { objectOf, withLeaf, withoutLeaf } from './mergeFields.ts';

export interface AppliedObject {
  /** What is there. */
  readonly live: JsonObject;
  /** What Steward applied last; undefined if it never did. */
  readonly content?: JsonObject | undefined;
}

export interface LeafChange {
  readonly path: FieldPath;
  readonly before: unknown;
  readonly after: unknown;
}

function ancestorIds(leaves: Leaves): ReadonlySet<string> {
  return new Set([...leaves.values()].flatMap(({ path }) => path.map((_, n) => pathId(path.slice(0, n)))));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function replaces(leaf: Leaf | undefined): boolean {
  return leaf !== undefined && !isEmpty(leaf.value);
}

/** The fields that were applied, are still there, and are not replaced by the new content. */
function droppedLeaves({ live, content }: AppliedObject, wanted: Leaves): readonly Leaf[] {
  const ancestors = ancestorIds(wanted);
  return [...leavesOf(content)].flatMap(([id, { path }]) => {
    const isReplaced =
      wanted.has(id) || ancestors.has(id) || path.some((_, n) => replaces(wanted.get(pathId(path.slice(0, n)))));
    const value = fieldAt(live, path);
    return isReplaced || value === undefined || !isLeaf(value) ? [] : [{ path, value }];
  });
}

/** The fields that an apply would set or remove. `keeps` says of a field whether another manager keeps it. */
export function changesOf(
  present: AppliedObject,
  wanted: JsonObject,
  keeps: (path: FieldPath) => boolean = () => false,
): readonly LeafChange[] {
  const leaves = leavesOf(wanted);
  const dropped = droppedLeaves(present, leaves).filter(({ path }) => !keeps(path));
  const left = dropped.reduce((object, { path }) => withoutLeaf(object, path), present.live);
  const set = [...leaves.values()].filter((leaf) => !isSet(left, leaf));
  return [
    ...set.map(({ path, value }) => ({ path, before: fieldAt(present.live, path), after: value })),
    ...dropped.map(({ path, value }) => ({ path, before: value, after: undefined })),
  ];
}

/** Removes before it sets, so that a new field may be where a former one was. */
export function withChanges(live: JsonObject, changes: readonly LeafChange[]): JsonObject {
  const isRemoval = ({ after }: LeafChange): boolean => after === undefined;
  const removed = changes.filter(isRemoval).reduce((object, { path }) => withoutLeaf(object, path), live);
  const set = changes.filter((change) => !isRemoval(change));
  return set.reduce((object, { path, after }) => withLeaf(object, { path, value: after }), removed);
}

/** The leaves at a path as they are, or the leaf above it that a write to the path would replace. */
function presentLeaves(live: JsonObject, leaf: Leaf): Leaves {
  const { path } = leaf;
  const depth = path.findIndex((_, n) => isLeaf(fieldAt(live, path.slice(0, n + 1))));
  // An empty object or list claims nothing of what is in it.
  if (depth === -1) return isSet(live, leaf) ? new Map() : leavesBelow(fieldAt(live, path), path);
  const at = path.slice(0, depth + 1);
  const value = fieldAt(live, at);
  if (value !== undefined) return leavesBelow(value, at);
  // Where the content has an object, and a list is now, or the other way around, all of it is replaced.
  const parent = fieldAt(live, at.slice(0, -1));
  const canHold = typeof at.at(-1) === 'string' ? isObject(parent) : namedItems(parent) !== undefined;
  return canHold || at.length === 1 ? new Map() : leavesBelow(parent, at.slice(0, -1));
}

/** What undoes an apply: the fields of the former and of the new content, as they are now. */
export function formerOf({ live, content }: AppliedObject, wanted: JsonObject): JsonObject {
  const concerned = new Map([...leavesOf(content), ...leavesOf(wanted)]);
  const found = [...concerned.values()].flatMap((leaf) => [...presentLeaves(live, leaf)]);
  return objectOf([...new Map(found).values()]);
}
