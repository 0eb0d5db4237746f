// Stands in for the nodes of a cluster: reports every pod of a namespace as running and ready, with the pinned digest of its
// images. The pods are bound to no node, so that the API server removes them as soon as they are deleted.
import type { ClusterObject } from '../../../../src/drivers/kubernetes/api/clusterApi.ts';
import { createClusterApi } from '../../../../src/drivers/kubernetes/api/clusterApi.ts';
import type { Connection } from '../../../../src/drivers/kubernetes/api/connection.ts';
import { listAt, textAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';
import { createResources } from '../../../../src/drivers/kubernetes/api/resources.ts';
import { readWatch } from '../../../../src/drivers/kubernetes/watch/watchLines.ts';

export interface TestKubelet {
  stop(): Promise<void>;
}

const WORKERS = 16;
const CONDITIONS = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];

function statusOf({ spec }: ClusterObject): object {
  const startedAt = new Date().toISOString();
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    startTime: startedAt,
    conditions: CONDITIONS.map((type) => ({ type, status: 'True', lastTransitionTime: startedAt })),
    containerStatuses: listAt(spec, 'containers').map((one) => {
      const image = textAt(one, 'image');
      return {
        name: textAt(one, 'name'),
        image,
        imageID: image.replace(/:[^:/@]+@/, '@'),
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt } },
      };
    }),
  };
}

export function startTestKubelet(connection: Connection, namespace: string): TestKubelet {
  const api = createClusterApi(connection, createResources(connection), { namespace, installation: 'test' });
  const stopped = new AbortController();
  const waiting = new Map<string, ClusterObject>();
  let working = 0;

  async function report(pod: ClusterObject): Promise<void> {
    const { body } = await connection.send({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${pod.metadata.name}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { status: statusOf(pod) },
      signal: stopped.signal,
    });
    await body.text();
  }

  async function work(): Promise<void> {
    for (;;) {
      const next = waiting.entries().next();
      if (next.done === true || stopped.signal.aborted) return;
      const [name, pod] = next.value;
      waiting.delete(name);
      // A pod that was not reported is seen again by the next list.
      await report(pod).catch(() => undefined);
    }
  }

  function accept(pod: ClusterObject): void {
    if (textAt(pod.status, 'phase') === 'Running' || pod.metadata.deletionTimestamp !== undefined) return;
    waiting.set(pod.metadata.name, pod);
    if (working >= WORKERS) return;
    working += 1;
    void work().finally(() => (working -= 1));
  }

  async function follow(): Promise<void> {
    const { items, version } = await api.list('Pod', undefined, stopped.signal);
    items.forEach(accept);
    const changes = await api.watch('Pod', undefined, version, stopped.signal);
    await readWatch(
      changes,
      ({ type, object }) => type !== 'DELETED' && accept(object),
      () => undefined,
    );
  }

  async function run(): Promise<void> {
    while (!stopped.signal.aborted) await follow().catch(() => undefined);
  }

  const running = run();
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
