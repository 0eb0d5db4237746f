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
function viewOf(containerStatus: object) {
  const object = {
    metadata: { name: 'web', generation: 2 },
    spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', image: IMAGE }] } } },
    status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 0 },
  };
  const pod = podOf({
    metadata: { name: 'web-1' },
    spec: { containers: [{ name: 'app', image: IMAGE }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'app', ready: false, ...containerStatus }] },
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
