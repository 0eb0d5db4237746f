import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';

/** A copy of the whole object, as `kubectl apply` left it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields of a pod template that the driver does not read, and that are most of it. */
const UNREAD: ReadonlySet<string> = new Set(['env', 'envFrom', 'command', 'args', 'volumeMounts', 'volumes']);

/** A copy of a spec without those fields. */
function readFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readFields);
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key in value) if (!UNREAD.has(key)) copy[key] = readFields(value[key]);
  return copy;
}

/** The part of managed fields that leads to the images of containers; undefined if there is none. */
function imageFields(fields: unknown): JsonObject | undefined {
  if (!isObject(fields)) return undefined;
  let found: Record<string, unknown> | undefined;
  for (const key in fields) {
    const kept = key === 'f:image' ? fields[key] : imageFields(fields[key]);
    if (kept !== undefined) (found ??= {})[key] = kept;
  }
  return found;
}

/**
 * The workload without what the driver does not read and what is most of it: the environment of its containers, the managed
 * fields other than images, and the configuration that was applied last.
 */
export function slimmed(object: ClusterObject): ClusterObject {
  const { managedFields, annotations, ...metadata } = object.metadata;
  const owners = managedFields?.flatMap((one) => {
    const fieldsV1 = imageFields(one.fieldsV1);
    return fieldsV1 === undefined ? [] : [{ ...one, fieldsV1 }];
  });
  const { [LAST_APPLIED]: _, ...others } = annotations ?? {};
  return {
    ...object,
    ...(object.spec !== undefined && { spec: readFields(object.spec) }),
    metadata: { ...metadata, ...(owners && { managedFields: owners }), ...(annotations && { annotations: others }) },
  };
}
