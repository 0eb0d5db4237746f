// Writes the fence of a new holder to objects, so that an earlier holder cannot change them any more.
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import { fenceOf } from '../acts/images.ts';
import { ApiError, asRefusal, isApiConflict } from '../api/apiError.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import type { Resource } from '../api/discovery.ts';
import { ANNOTATIONS, FENCE_MANAGER } from '../workloads/labels.ts';
import type { ObjectRules } from './compareObjects.ts';
import { nameOf } from './compareObjects.ts';
import { readObjects } from './present/presentObjects.ts';
import { withoutValues } from './problems.ts';
import { findKinds } from './present/wantedKinds.ts';

const MAX_TRIES = 5;

/** By a merge: an apply would create an object that was removed since it was read. */
async function stamp(
  { api }: ObjectRules,
  resource: Resource,
  object: ClusterObject,
  fence: number,
  signal?: AbortSignal,
): Promise<void> {
  const { name } = object.metadata;
  let current: ClusterObject | undefined = object;
  for (let tries = 1; current !== undefined && fenceOf(current, api) < fence; tries += 1) {
    const annotations = { [ANNOTATIONS.fence]: String(fence), [ANNOTATIONS.installation]: api.installation };
    const patch = { metadata: { annotations, resourceVersion: current.metadata.resourceVersion } };
    try {
      await api.patch(resource, name, patch, { manager: FENCE_MANAGER }, signal);
      return;
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404;
      if (!isGone && (!isApiConflict(error) || tries >= MAX_TRIES))
        throw asRefusal(withoutValues(error, resource.kind === 'Secret'), `the fence of ${resource.kind}/${name}`);
      current = await api.read(resource, name, signal);
    }
  }
}

/** Writes the fence to those of these objects that exist. */
export async function stampObjects(
  rules: ObjectRules,
  objects: readonly string[],
  fence: number,
  signal?: AbortSignal,
): Promise<void> {
  const kinds = await findKinds(
    rules,
    objects.map((object) => ({ object, content: undefined })),
    signal,
  );
  const places = objects.flatMap((object, n) => {
    const kind = kinds[n];
    return kind?.kind === 'served' ? [{ resource: kind.resource, name: nameOf(object) }] : [];
  });
  const present = await readObjects(rules.api, places, signal);
  await mapInParallel(places, async (place) => {
    const refusal = present.refusal(place.resource);
    if (refusal !== undefined) throw asRefusal(refusal, `the fence of ${place.resource.kind}/${place.name}`);
    const object = present.get(place);
    if (object !== undefined) await stamp(rules, place.resource, object, fence, signal);
  });
}
