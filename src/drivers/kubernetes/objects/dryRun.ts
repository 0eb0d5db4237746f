// Whether an object is as an apply would make it, and what the server answers to a dry run of the apply.
import { createHash } from 'node:crypto';
import type { BoundedCache } from '../../../foundation/cache/boundedCache.ts';
import { createBoundedCache } from '../../../foundation/cache/boundedCache.ts';
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject } from '../../../foundation/schema/json.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { objectOf } from '../api/clusterApi.ts';
import type { Resource } from '../api/discovery.ts';
import { appliedEntry, appliedSet, wholeSet } from '../fields/fieldSet.ts';
import { needsOwnership } from '../fields/release.ts';
import { hasFields } from '../fields/sameFields.ts';
import { setOfBody, targetPatch } from '../fields/target.ts';
import { ANNOTATIONS, FENCE_MANAGER, FIELD_MANAGER } from '../workloads/labels.ts';
import { withFence } from './content/body.ts';
import { changesOf } from './content/change.ts';
import { withoutValues } from './problems.ts';

/** Whether a body changes nothing of an object, by a hash of both: only the server knows how it writes a value. */
export type SameCache = BoundedCache<string, boolean>;

const MAX_SAME = 10_000;

export function createSameCache(): SameCache {
  return createBoundedCache<string, boolean>(MAX_SAME);
}

export interface ApplyRun {
  readonly resource: Resource;
  readonly live: ClusterObject | undefined;
  readonly body: JsonObject;
}

/** The body with the fence that the object has: a plan does not change it. */
function withLiveFence(body: JsonObject, { metadata: { annotations } }: ClusterObject): JsonObject {
  const [fence, installation] = [annotations?.[ANNOTATIONS.fence], annotations?.[ANNOTATIONS.installation]];
  return fence === undefined || installation === undefined ? body : withFence(body, fence, installation);
}

/** Applies a body without a change. An error about a Secret has none of its values in its text. */
export async function dryRun(
  api: ClusterApi,
  { resource, live, body }: ApplyRun,
  signal?: AbortSignal,
): Promise<ClusterObject> {
  if (live !== undefined && needsOwnership(live, body)) return dryReplace(api, { resource, live, body }, signal);
  const sent = objectOf(live === undefined ? body : withLiveFence(body, live));
  try {
    return await api.apply(sent, { manager: FIELD_MANAGER, force: true, isDryRun: true, resource }, signal);
  } catch (error) {
    throw withoutValues(error, resource.kind === 'Secret');
  }
}

/** The dry run of an apply that removes only what the other managers have given up before: what the object would be then. */
async function dryReplace(
  api: ClusterApi,
  { resource, live, body }: ApplyRun & { readonly live: ClusterObject },
  signal?: AbortSignal,
): Promise<ClusterObject> {
  const options = { manager: FENCE_MANAGER, isDryRun: true };
  try {
    const result = await api.patch(resource, live.metadata.name, targetPatch(live, body), options, signal);
    const { apiVersion: _, kind: __, ...fields } = body;
    const fieldsV1 = setOfBody(fields, wholeSet(live));
    const entry = { manager: FIELD_MANAGER, operation: 'Apply', apiVersion: resource.apiVersion, fieldsV1 };
    const others = (live.metadata.managedFields ?? []).filter((one) => one !== appliedEntry(live));
    return { ...result, metadata: { ...result.metadata, managedFields: [...others, entry] } };
  } catch (error) {
    throw withoutValues(error, resource.kind === 'Secret');
  }
}

function keyOf(live: ClusterObject, body: JsonObject): string {
  const { status: _, metadata, ...rest } = live;
  const { managedFields: __, resourceVersion: ___, generation: ____, ...marks } = metadata;
  return createHash('sha256')
    .update(JSON.stringify([rest, marks, appliedSet(live), body]))
    .digest('hex');
}

function hasFieldsOf(live: ClusterObject, body: JsonObject): boolean {
  const { apiVersion: _, kind: __, metadata, ...fields } = body;
  const { name: ___, namespace: ____, ...marks } = isObject(metadata) ? metadata : {};
  return hasFields(appliedSet(live), live, { ...fields, metadata: marks });
}

/** Whether an apply would change nothing; undefined if only the server can tell. */
export function isKnownSame(same: SameCache, live: ClusterObject, body: JsonObject): boolean | undefined {
  return hasFieldsOf(live, body) ? true : same.get(keyOf(live, body));
}

export function rememberSame(same: SameCache, live: ClusterObject, body: JsonObject, isSame: boolean): boolean {
  return same.set(keyOf(live, body), isSame);
}

/** Whether an apply would change nothing. Asks the server only where it may write a value in another way, and once. */
export async function isAsWanted(
  { api, same }: { readonly api: ClusterApi; readonly same: SameCache },
  run: ApplyRun & { readonly live: ClusterObject },
  signal?: AbortSignal,
): Promise<boolean> {
  const { live, body } = run;
  const known = isKnownSame(same, live, body);
  if (known !== undefined) return known;
  return rememberSame(same, live, body, changesOf(live, await dryRun(api, run, signal)).length === 0);
}
