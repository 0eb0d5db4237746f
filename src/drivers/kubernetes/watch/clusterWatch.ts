import type { Clock } from '../../../foundation/clock.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { WORKLOAD_KINDS } from '../workloads/podTemplate.ts';
import { createKindCache } from './kindCache.ts';

/** Watches the workloads and the pods of the namespace for as long as someone asks for them. */
export function createClusterWatch(api: ClusterApi, selector: string, clock: Clock) {
  const kinds = WORKLOAD_KINDS.map((kind) => ({ kind, cache: createKindCache({ api, kind, selector, clock }) }));
  const pods = createKindCache({ api, kind: 'Pod', selector: undefined, clock });
  return {
    async workloads(signal?: AbortSignal): Promise<readonly FoundWorkload[]> {
      const lists = await Promise.all(
        kinds.map(async ({ kind, cache }) => (await cache.objects(signal)).map((object) => ({ kind, object }))),
      );
      return lists.flat();
    },
    pods: (signal?: AbortSignal) => pods.objects(signal),
    stop(): void {
      for (const { cache } of kinds) cache.stop();
      pods.stop();
    },
  };
}

export type ClusterWatch = ReturnType<typeof createClusterWatch>;
