import type { Clock } from '../../../foundation/clock.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { podOf } from '../rollout/pods.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { WORKLOAD_KINDS } from '../workloads/podTemplate.ts';
import { slimmed } from '../workloads/slimmed.ts';
import { splitName } from '../workload.ts';
import { createKindCache } from './kindCache.ts';

/** Watches the workloads and the pods of the namespace for as long as someone asks for them. */
export function createClusterWatch(api: ClusterApi, selector: string, clock: Clock) {
  const workloads = WORKLOAD_KINDS.map((kind) => {
    const read = (object: ClusterObject): FoundWorkload => ({ kind, object: slimmed(object) });
    return createKindCache({ api, kind, selector, read, clock });
  });
  const pods = createKindCache({ api, kind: 'Pod', selector: undefined, read: podOf, clock });
  return {
    async workloads(signal?: AbortSignal): Promise<readonly FoundWorkload[]> {
      const lists = await Promise.all(workloads.map((cache) => cache.objects(signal)));
      return lists.flat();
    },
    /** A workload as it was a moment ago, if it is watched at this time. */
    known(workload: string): ClusterObject | undefined {
      const split = splitName(workload);
      return split && workloads[WORKLOAD_KINDS.indexOf(split.kind)]?.known(split.name)?.object;
    },
    pods: (signal?: AbortSignal) => pods.objects(signal),
    stop(): void {
      for (const cache of workloads) cache.stop();
      pods.stop();
    },
  };
}

export type ClusterWatch = ReturnType<typeof createClusterWatch>;
