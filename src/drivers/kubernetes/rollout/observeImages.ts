import type { Clock } from '../../../foundation/clock.ts';
import type { Image } from '../../../model/workload.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import type { ImageFinder } from '../registry/imageFinder.ts';
import { ANNOTATIONS } from '../workloads/labels.ts';
import { lastWriter } from '../workloads/managers.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { createExplainer } from './explainer.ts';
import type { ObservedRollout } from './observeRollout.ts';
import { observeRollout } from './observeRollout.ts';
import type { PodsByWorkload } from './pods.ts';

export interface ImagesAct {
  readonly workload: string;
  readonly images: readonly Image[];
  readonly receipt?: string | undefined;
}

/** The workloads and pods of the namespace at one time. */
export interface ClusterView {
  /** By `kind/name`. */
  readonly workloads: ReadonlyMap<string, FoundWorkload>;
  readonly pods: PodsByWorkload;
}

/** Other images are configured. If a job has touched the workload, the last writer of an image has reverted them. */
function reverted({ object }: FoundWorkload): Observation {
  const changedBy = object.metadata.annotations?.[ANNOTATIONS.fence] === undefined ? undefined : lastWriter(object);
  return { state: 'absent', ...(changedBy !== undefined && { changedBy }) };
}

/** Observes the rollout of images, and asks the registry, the events and the log where the objects do not tell enough. */
export function createImagesObserver(api: ClusterApi, images: ImageFinder, clock: Clock) {
  const explain = createExplainer(api, clock);

  return async (act: ImagesAct, { workloads, pods }: ClusterView, signal?: AbortSignal): Promise<Observation> => {
    const found = workloads.get(act.workload);
    if (found === undefined) return { state: 'absent' };
    const view = { ...found, pods: pods.get(act.workload) ?? [] };
    const generation = act.receipt === undefined ? undefined : Number(act.receipt);
    const observe = (): ObservedRollout =>
      observeRollout(view, act.images, { generation, isSame: images.isSame, now: clock.now() });
    const first = observe();
    if (first.observation.state === 'absent') return reverted(found);
    if (first.mismatch === undefined) return explain(first, signal);
    // Another digest may be the same image: a platform of the index that the manifest names.
    const isTold = await images.learn(first.mismatch, [found], signal);
    if (isTold) return explain(observe(), signal);
    return {
      state: 'running',
      detail: `the registry does not tell whether the running image is ${first.mismatch.image}`,
    };
  };
}
