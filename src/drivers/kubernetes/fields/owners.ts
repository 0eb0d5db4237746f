// The other managers of fields.
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { isSystemManager } from '../workloads/managers.ts';
import { owns } from './fieldSet.ts';

/** The managers that own a place or a part of it, without Steward and the controllers of the cluster. */
export function ownersOf({ metadata }: ClusterObject, path: readonly string[]): readonly string[] {
  const owners = (metadata.managedFields ?? []).filter(
    ({ manager, subresource, fieldsV1 }) =>
      !subresource && !isSystemManager(manager) && isObject(fieldsV1) && owns(fieldsV1, path),
  );
  return [...new Set(owners.map(({ manager }) => manager))];
}
