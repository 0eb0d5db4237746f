// Objects of a version that another tool has installed. Steward has not applied them, and yet must remove the fields that the next version
// no longer has. So the fields of the installed version count as applied.
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { FIELD_MANAGER, LABELS } from '../workloads/labels.ts';
import type { FieldSet } from './fieldSet.ts';
import { appliedEntry, appliedSet, childOf, elementsOf, owns, unionOf, wholeSet } from './fieldSet.ts';
import { setOfBody } from './target.ts';

/** Every apply of a whole object writes this label. */
const LABEL = ['f:metadata', 'f:labels', `f:${LABELS.installation}`];

/** The labels and annotations of an object, without those that are empty: an empty tree would be the whole map. */
function marksOf(metadata: unknown): object {
  const marks = isObject(metadata) ? metadata : {};
  const given = ['labels', 'annotations'].flatMap((name) => {
    const map = marks[name];
    return isObject(map) && Object.keys(map).length > 0 ? [[name, map] as const] : [];
  });
  return given.length === 0 ? {} : { metadata: Object.fromEntries(given) };
}

/** A set in which each item of a list is itself owned, as in those of the server: otherwise an item without fields would be left. */
function withItems(set: FieldSet): FieldSet {
  const inner = elementsOf(set).map((element) => {
    const child = withItems(childOf(set, element) ?? {});
    return [element, element.startsWith('k:') ? { '.': {}, ...child } : child] as const;
  });
  return Object.fromEntries(inner);
}

/**
 * The object as if Steward had applied the fields that the installed version has, unless it has applied the whole object before. Fields of
 * another version of the kind may have other names.
 */
export function withInstalled(live: ClusterObject, installed: unknown, apiVersion: string): ClusterObject {
  if (!isObject(installed) || installed['apiVersion'] !== apiVersion || owns(appliedSet(live), LABEL)) return live;
  const { apiVersion: _, kind: __, metadata, status: ___, ...fields } = installed;
  const given = withItems(setOfBody({ ...fields, ...marksOf(metadata) }, wholeSet(live)));
  const present = appliedEntry(live);
  const fieldsV1 = isObject(present?.fieldsV1) ? unionOf(present.fieldsV1, given) : given;
  const entry = { manager: FIELD_MANAGER, operation: 'Apply', apiVersion, fieldsV1, isAssumed: true as const };
  const all = live.metadata.managedFields ?? [];
  const managedFields = present === undefined ? [...all, entry] : all.map((one) => (one === present ? entry : one));
  return { ...live, metadata: { ...live.metadata, managedFields } };
}
