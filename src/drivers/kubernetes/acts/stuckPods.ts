// Pods that a controller does not replace by itself, or only after a long time. The controller of a StatefulSet waits for a broken
// pod before it replaces it, also if the new template would repair it.
import type { Image } from '../../../model/workload.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { numberAt } from '../api/objectFields.ts';
import type { Pod } from '../rollout/pods.ts';
import { groupPods, podOf } from '../rollout/pods.ts';
import { troublesOf } from '../rollout/trouble.ts';

const POLL_MS = 200;
const MAX_POLLS = 20;

/** Waits until the controller has seen the change: before that it would create the same broken pod again. */
async function isSeen(api: ClusterApi, name: string, generation: number, signal?: AbortSignal): Promise<boolean> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const set = await api.read('StatefulSet', name, signal);
    if ((numberAt(set, 'status', 'observedGeneration') ?? 0) >= generation) return true;
    signal?.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** The labels by which a controller finds its pods. */
function podSelectorOf({ spec }: ClusterObject): string | undefined {
  const labels = valueAt(spec, 'selector', 'matchLabels');
  const pairs = isObject(labels) ? Object.entries(labels).map(([key, value]) => `${key}=${String(value)}`) : [];
  return pairs.length === 0 ? undefined : pairs.join(',');
}

/** Lists the pods of a workload that are not ready and do not end, each with its object. */
async function brokenPods(api: ClusterApi, kind: string, object: ClusterObject, signal?: AbortSignal) {
  const { items } = await api.list('Pod', podSelectorOf(object), signal);
  const pods = groupPods(items.map(podOf)).get(`${kind}/${object.metadata.name}`) ?? [];
  return pods
    .filter(({ isReady, isTerminating }) => !isReady && !isTerminating)
    .map((pod) => ({ pod, uid: items.find(({ metadata }) => metadata.name === pod.name)?.metadata.uid }));
}

function hasImages({ containers }: Pod, images: readonly Image[]): boolean {
  return images.every(({ container, image }) =>
    containers.every((one) => one.name !== container || one.image === image),
  );
}

/** Deletes the pods of a StatefulSet that are not ready and have other images than these. */
export async function deleteStuckPods(
  api: ClusterApi,
  object: ClusterObject,
  images: readonly Image[],
  signal?: AbortSignal,
): Promise<void> {
  const { name, generation = 0 } = object.metadata;
  const stuck = (await brokenPods(api, 'StatefulSet', object, signal)).filter(({ pod }) => !hasImages(pod, images));
  if (stuck.length === 0 || !(await isSeen(api, name, generation, signal))) return;
  for (const { pod, uid } of stuck) await api.remove('Pod', pod.name, uid, signal);
}

/**
 * Deletes the pods with these images that have failed for good. Their controller then tries again at once: the node would wait
 * for up to five minutes before it starts a container again that has ended several times.
 */
export async function deleteFailedPods(
  api: ClusterApi,
  kind: string,
  object: ClusterObject,
  images: readonly Image[],
  signal?: AbortSignal,
): Promise<void> {
  const failed = (await brokenPods(api, kind, object, signal)).filter(
    ({ pod }) => hasImages(pod, images) && troublesOf(pod).some(({ isPermanent }) => isPermanent),
  );
  for (const { pod, uid } of failed) await api.remove('Pod', pod.name, uid, signal);
}
