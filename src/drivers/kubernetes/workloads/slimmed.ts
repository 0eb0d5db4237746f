import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { FIELD_MANAGER } from './labels.ts';

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

/** What an apply of images alone owns: the images, and the names of their containers. */
const OF_IMAGES: ReadonlySet<string> = new Set(['f:image', 'f:name', '.']);

/** Whether a set of fields has more than images. */
function hasMore(fields: unknown): boolean {
  if (!isObject(fields)) return false;
  return Object.entries(fields).some(([key, value]) =>
    isObject(value) && Object.keys(value).length > 0 ? hasMore(value) : !OF_IMAGES.has(key),
  );
}

/** Whether Steward has applied more than images to an object. */
function isAppliedWhole({ metadata }: ClusterObject): boolean {
  return (metadata.managedFields ?? []).some(
    ({ manager, operation, fieldsV1 }) => manager === FIELD_MANAGER && operation === 'Apply' && hasMore(fieldsV1),
  );
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
    ...(isAppliedWhole(object) && { isPartial: true as const }),
    ...(object.spec !== undefined && { spec: readFields(object.spec) }),
    metadata: { ...metadata, ...(owners && { managedFields: owners }), ...(annotations && { annotations: others }) },
  };
}
