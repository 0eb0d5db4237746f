import type { Clock } from '../../../foundation/clock.ts';
import type { Image } from '../../../model/workload.ts';
import type { Observation } from '../../../upgrades/ports/deployment.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import type { ImageFinder } from '../registry/imageFinder.ts';
import { ANNOTATIONS } from '../workloads/labels.ts';
import { lastWriter } from '../workloads/managers.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import type { ObservedRollout } from './observeRollout.ts';
import { observeRollout } from './observeRollout.ts';
import type { PodsByWorkload } from './pods.ts';
import { explained } from './trouble.ts';
import { createWarnings } from './objectEvents.ts';

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

const MAX_LOG_LINES = 20;
const MAX_LOG_LOOKS = 4;
const LOG_LOOK_MS = 500;

/** Other images are configured. If a job has touched the workload, the last writer of an image has reverted them. */
function reverted({ object }: FoundWorkload): Observation {
  const changedBy = object.metadata.annotations?.[ANNOTATIONS.fence] === undefined ? undefined : lastWriter(object);
  return { state: 'absent', ...(changedBy !== undefined && { changedBy }) };
}

/** Observes the rollout of images, and asks the registry, the events and the log where the objects do not tell enough. */
export function createImagesObserver(api: ClusterApi, images: ImageFinder, clock: Clock) {
  const warningOf = createWarnings(api, clock);

  async function withMore(observed: ObservedRollout, signal?: AbortSignal): Promise<Observation> {
    const { observation, trouble, waiting } = observed;
    if (observation.state === 'running' && waiting !== undefined) {
      const warning = await warningOf(waiting, signal);
      return warning === undefined
        ? observation
        : { ...observation, detail: `${observation.detail}; ${explained(warning)}` };
    }
    if (observation.state !== 'failed' || trouble?.hasLog !== true || trouble.container === undefined)
      return observation;
    const lines = await lastLines(trouble.pod, trouble.container, signal);
    return { ...observation, failure: { ...observation.failure, lines } };
  }

  /**
   * The last lines of a container that ends again and again. Right after a restart the log of the former run may be removed
   * and the new run may have written nothing yet, so it looks a few times.
   */
  async function lastLines(pod: string, container: string, signal?: AbortSignal): Promise<readonly string[]> {
    for (let looks = 1; looks <= MAX_LOG_LOOKS; looks += 1) {
      for (const isPrevious of [true, false]) {
        const lines = await api.log(pod, container, MAX_LOG_LINES, isPrevious, signal);
        if (lines.length > 0) return lines;
      }
      await clock.sleep(LOG_LOOK_MS, signal);
    }
    return [];
  }

  return async (act: ImagesAct, { workloads, pods }: ClusterView, signal?: AbortSignal): Promise<Observation> => {
    const found = workloads.get(act.workload);
    if (found === undefined) return { state: 'absent' };
    const view = { ...found, pods: pods.get(act.workload) ?? [] };
    const generation = act.receipt === undefined ? undefined : Number(act.receipt);
    const observe = (): ObservedRollout =>
      observeRollout(view, act.images, { generation, isSame: images.isSame, now: clock.now() });
    const first = observe();
    if (first.observation.state === 'absent') return reverted(found);
    if (first.mismatch === undefined) return withMore(first, signal);
    // Another digest may be the same image: a platform of the index that the manifest names.
    const isTold = await images.learn(first.mismatch, [found], signal);
    if (isTold) return withMore(observe(), signal);
    return {
      state: 'running',
      detail: `the registry does not tell whether the running image is ${first.mismatch.image}`,
    };
  };
}
