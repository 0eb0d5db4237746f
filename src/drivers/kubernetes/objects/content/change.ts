// What an apply of a body would change of an object, by the answer of the server to a dry run.
import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { isObject } from '../../../../foundation/schema/json.ts';
import type { FieldChange } from '../../../../upgrades/ports/objects.ts';
import type { ClusterApi, ClusterObject } from '../../api/clusterApi.ts';
import type { Resource } from '../../api/discovery.ts';
import type { FieldDifference } from '../../fields/difference.ts';
import { differences, fieldName } from '../../fields/difference.ts';
import { extract } from '../../fields/extract.ts';
import { appliedEntry, appliedSet, leavesOf, unionOf, wholeSet, withWhole } from '../../fields/fieldSet.ts';
import { ownersOf } from '../../fields/owners.ts';
import { releasedFields } from '../../fields/release.ts';

/** The fields that differ after an apply. `result` is the answer to its dry run. */
export function changesOf(live: ClusterObject, result: ClusterObject): readonly FieldDifference[] {
  return differences(live, result, unionOf(wholeSet(live), wholeSet(result)));
}

const MAX_FIELDS = 50;

/** The changes as a person reads them, with the other managers of each. */
export function fieldChanges(live: ClusterObject, changes: readonly FieldDifference[]): readonly FieldChange[] {
  return changes.map(({ path, before, after }) => ({
    field: fieldName(path),
    before,
    after,
    managers: ownersOf(live, path),
  }));
}

/** The first of these changes, and how many there are beyond them. */
export function shownChanges(changes: readonly FieldChange[]): readonly FieldChange[] {
  const more = changes.slice(MAX_FIELDS);
  if (more.length === 0) return changes;
  const managers = [...new Set(more.flatMap((one) => one.managers))];
  return [
    ...changes.slice(0, MAX_FIELDS),
    { field: `… and ${more.length} more`, before: undefined, after: undefined, managers },
  ];
}

/** What undoes an apply: the fields that Steward owns before or after it, as they are now. */
export async function formerOf(
  api: ClusterApi,
  resource: Resource,
  { live, result, body }: { readonly live: ClusterObject; readonly result: ClusterObject; readonly body: JsonObject },
  signal?: AbortSignal,
): Promise<JsonObject> {
  const released = releasedFields(live, body) ?? {};
  const set = withWhole(unionOf(appliedSet(live), appliedSet(result)), released);
  // Fields that were applied in another version of the kind may have other names there.
  const apiVersion = appliedEntry(live)?.apiVersion ?? resource.apiVersion;
  const read =
    apiVersion === resource.apiVersion
      ? live
      : await api.read({ ...resource, apiVersion }, live.metadata.name, signal).catch(() => undefined);
  const { metadata, ...fields } = extract(read ?? live, set);
  return {
    apiVersion: read === undefined ? resource.apiVersion : apiVersion,
    kind: resource.kind,
    metadata: { name: live.metadata.name, ...(isObject(metadata) && metadata) },
    ...fields,
  };
}

/** The fields that would change, as far as that can be seen without the server. */
export function staticChanges(live: ClusterObject, body: JsonObject): readonly FieldDifference[] {
  const released = leavesOf(releasedFields(live, body) ?? {}).filter((path) => path.length > 0);
  const gone = released.map((path): FieldDifference => ({ path, before: undefined, after: undefined }));
  const given = differences(live, body, wholeSet(live)).filter(({ after }) => after !== undefined);
  return [...given, ...gone];
}
