// The fence of a job's holder, as an annotation of every workload: a holder that was overtaken cannot change one after it.
import { mapInParallel } from '../../../foundation/flow/mapInParallel.ts';
import { asRefusal, isApiConflict } from '../api/apiError.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { ANNOTATIONS, FENCE_MANAGER } from '../workloads/labels.ts';
import { fenceOf } from './images.ts';

const MAX_TRIES = 5;

async function stamp(
  api: ClusterApi,
  kind: string,
  object: ClusterObject,
  fence: number,
  signal?: AbortSignal,
): Promise<void> {
  let current: ClusterObject | undefined = object;
  for (let tries = 1; current !== undefined && fenceOf(current, api) < fence; tries += 1) {
    const { name, resourceVersion } = current.metadata;
    const metadata = {
      name,
      annotations: { [ANNOTATIONS.fence]: String(fence), [ANNOTATIONS.installation]: api.installation },
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    try {
      await api.apply({ kind, metadata }, { manager: FENCE_MANAGER, force: true }, signal);
      return;
    } catch (error) {
      if (!isApiConflict(error) || tries >= MAX_TRIES) throw asRefusal(error, `the fence of ${kind}/${name}`);
      current = await api.read(kind, name, signal);
    }
  }
}

/**
 * Writes the fence to every workload. Each write changes the version of its object, so that a change by an earlier holder,
 * which names the version that it read, is refused by the server.
 */
export async function stampFence(
  api: ClusterApi,
  workloads: readonly { readonly kind: string; readonly object: ClusterObject }[],
  fence: number,
  signal?: AbortSignal,
): Promise<void> {
  await mapInParallel(workloads, ({ kind, object }) => stamp(api, kind, object, fence, signal));
}
