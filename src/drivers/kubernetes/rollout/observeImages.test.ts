import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import type { ClusterApi } from '../api/clusterApi.ts';
import { createImagesObserver } from './observeImages.ts';
import { podOf } from './pods.ts';

const IMAGE = 'r.example/web:2';
const ACT = {
  kind: 'images',
  workload: 'Deployment/web',
  images: [{ container: 'app', image: IMAGE, checksum: undefined }],
  receipt: '2',
} as const;

/** A Deployment whose pod is as the given status says. */
function viewOf(containerStatus: object, conditions: readonly object[] = []) {
  const object = {
    metadata: { name: 'web', generation: 2 },
    spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', image: IMAGE }] } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 0 },
  };
  const pod = podOf({
    metadata: { name: 'web-1' },
    spec: { containers: [{ name: 'app', image: IMAGE }] },
    status: { phase: 'Running', conditions, containerStatuses: [{ name: 'app', ready: false, ...containerStatus }] },
  });
  return {
    workloads: new Map([['Deployment/web', { kind: 'Deployment' as const, object }]]),
    pods: new Map([['Deployment/web', [pod]]]),
  };
}

const CRASHING = {
  restartCount: 5,
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 1m' } },
  lastState: { terminated: { reason: 'Error', exitCode: 3 } },
};

function observer(more: Partial<ClusterApi>) {
  const clock = manualClock();
  const images = { find: async () => [], isSame: () => true, learn: async () => true };
  return { clock, observe: createImagesObserver({ ...fakeClusterApi().api, ...more }, images, clock) };
}

const NOT_READY = { state: { running: {} } };

describe('[K1] what keeps a constructed rollout from being complete', () => {
  const warning = (message: string, more: object = {}) => ({ type: 'Warning', reason: 'Unhealthy', message, ...more });

  test('a readiness probe that fails is shown with its event and the log lines of the pod, read before the time limit', async () => {
    const { observe, clock } = observer({
      get: async () => ({ items: [warning('Readiness probe failed: HTTP probe failed with statuscode: 503')] }),
      log: async (_pod, _container, _lines, isPrevious) => (isPrevious ? ['an old line'] : ['waiting for the cache']),
    });
    const view = viewOf(NOT_READY);
    await observe(ACT, view);
    clock.advance(15_000);
    expect(await observe(ACT, view)).toMatchObject({
      state: 'running',
      trouble: {
        reason:
          '0 of 1 replicas are available; the container app of the pod web-1 runs and is not ready; Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503.',
        lines: ['waiting for the cache'],
        advice: expect.stringContaining('readiness probe'),
      },
    });
  });

  test('a pod on a cordoned node has no log to read: the node is named, with what ends the cordon', async () => {
    const { observe, clock } = observer({
      list: async (kind) => ({
        items: kind === 'Node' ? [{ metadata: { name: 'node7' }, spec: { unschedulable: true } }] : [],
        version: '1',
      }),
      log: async () => ['of another pod'],
    });
    const view = viewOf({ state: {} }, [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/1 nodes are available: 1 node(s) were unschedulable.',
      },
    ]);
    await observe(ACT, view);
    clock.advance(15_000);
    const seen = await observe(ACT, view);
    expect(seen).toMatchObject({
      trouble: { lines: [], advice: 'Let the node take pods again: kubectl uncordon NODE.' },
    });
    expect(JSON.stringify(seen)).toContain('cordoned: node7');
    expect(JSON.stringify(seen)).not.toContain('..');
  });

  test('a quota that is exceeded is looked up, with what is used and what is allowed', async () => {
    const quota = { metadata: { name: 'small' }, status: { hard: { pods: '2' }, used: { pods: '2' } } };
    const { observe, clock } = observer({
      get: async () => ({ items: [warning('create Pod web-0 failed: exceeded quota: small, requested: pods=1')] }),
      list: async (kind) => ({ items: kind === 'ResourceQuota' ? [quota] : [], version: '1' }),
    });
    const { workloads } = viewOf({});
    const view = { workloads, pods: new Map() };
    await observe(ACT, view);
    clock.advance(15_000);
    await observe(ACT, view);
    clock.advance(15_000);
    expect(await observe(ACT, view)).toMatchObject({
      trouble: {
        reason: expect.stringContaining('the quota small has pods used 2, hard 2.'),
        advice: expect.stringContaining('Raise the quota'),
      },
    });
  });

  test('a container that its liveness probe ends is reported with that probe', async () => {
    const { observe } = observer({
      log: async () => ['serving'],
      get: async () => ({ items: [warning('Liveness probe failed: connection refused')] }),
    });
    expect(await observe(ACT, viewOf(CRASHING))).toMatchObject({
      state: 'failed',
      failure: {
        reason: expect.stringContaining('Liveness probe failed: connection refused.'),
        lines: ['serving'],
        advice: expect.stringContaining('liveness probe'),
      },
    });
  });

  test('a right to read logs, nodes or quotas that is missing leaves the trouble as it is', async () => {
    const fail = async (): Promise<never> => {
      throw new Error('forbidden');
    };
    const { observe, clock } = observer({ get: fail, log: fail, list: fail });
    const view = viewOf(NOT_READY);
    await observe(ACT, view);
    clock.advance(15_000);
    expect(await observe(ACT, view)).toMatchObject({ state: 'running', trouble: { lines: [] } });
  });
});

describe('[UPG12] a constructed rollout that fails or waits', () => {
  test('a container that ends again and again is reported with the last lines of its former run', async () => {
    const asked: boolean[] = [];
    const log: ClusterApi['log'] = async (_pod, _container, _lines, isPrevious) => {
      asked.push(isPrevious);
      return isPrevious ? ['no configuration'] : ['starting'];
    };
    const { observe } = observer({ log });
    expect(await observe(ACT, viewOf(CRASHING))).toMatchObject({
      state: 'failed',
      failure: { lines: ['no configuration'] },
    });
    expect(asked).toEqual([true]);
  });

  test('right after a restart, when neither run has a log, it looks again', async () => {
    const logs = [[], [], [], ['no configuration']];
    const { observe, clock } = observer({ log: async () => logs.shift() ?? [] });
    const observation = observe(ACT, viewOf(CRASHING));
    await expect.poll(() => logs.length).toBe(2);
    clock.advance(500);
    expect(await observation).toMatchObject({ state: 'failed', failure: { lines: ['no configuration'] } });
  });

  test('a pod that waits without a reason is explained by the newest warning among its events, after 15 s', async () => {
    const event = (reason: string, lastTimestamp: string) => ({
      type: 'Warning',
      reason,
      message: 'm ',
      lastTimestamp,
    });
    const items = [event('FailedMount', '2026-01-01T00:00:02Z'), event('Old', '2026-01-01T00:00:01Z')];
    const paths: string[] = [];
    const { observe, clock } = observer({ get: async (path) => (paths.push(path), { items }) });
    const view = viewOf({ state: {} });
    expect(await observe(ACT, view)).toMatchObject({ detail: '0 of 1 replicas are available' });
    clock.advance(15_000);
    expect(await observe(ACT, view)).toMatchObject({ detail: expect.stringMatching(/; .*FailedMount.*m$/) });
    expect(paths).toEqual([expect.stringContaining('involvedObject.name%3Dweb-1%2Ctype%3DWarning')]);
  });
});
