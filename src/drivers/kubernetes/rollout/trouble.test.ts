import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { manualClock } from '../../../../test/support/clock/manualClock.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { podOf } from './pods.ts';
import { controllerTrouble, explained, troublesOf } from './trouble.ts';
import { createWarnings, newestWarning } from './objectEvents.ts';

const IMAGE = 'r.example/web:1';

function pod(status: object): ClusterObject {
  return { metadata: { name: 'web-1' }, spec: { containers: [{ name: 'app', image: IMAGE }] }, status };
}

function waiting(reason: string, message: string, more: object = {}): ClusterObject {
  return pod({ containerStatuses: [{ name: 'app', state: { waiting: { reason, message } }, ...more }] });
}

function unschedulable(message: string): ClusterObject {
  return pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] });
}

function first(object: ClusterObject) {
  return troublesOf(podOf(object))[0];
}

describe('[UPG12] troubles of constructed pods that can never succeed', () => {
  test.each([
    ['InvalidImageName', 'couldn\'t parse image reference "r.example/WEB:1"'],
    ['ErrImageNeverPull', 'Container image "web" is not present with pull policy of Never'],
    ['ErrImagePull', 'rpc error: code = Unknown desc = Error response from daemon: manifest for web:1 not found'],
    ['ImagePullBackOff', 'failed to resolve reference "r.example/web@sha256:12": r.example/web@sha256:12: not found'],
    ['ErrImagePull', 'manifest unknown: manifest unknown'],
  ])('%s with %j fails at once', (reason, message) => {
    expect(first(waiting(reason, message))).toMatchObject({
      pod: 'web-1',
      container: 'app',
      isPermanent: true,
      text: expect.stringContaining(message),
    });
  });

  test('a container that has ended three times fails, and its log is read', () => {
    const ended = { restartCount: 3, lastState: { terminated: { reason: 'Error', exitCode: 7 } } };
    expect(first(waiting('CrashLoopBackOff', 'back-off 40s', ended))).toMatchObject({
      isPermanent: true,
      hasLog: true,
      text: 'the container app has ended 3 times, the last time with the exit code 7 (Error)',
    });
  });
});

describe('[UPG13] troubles of constructed pods that may pass', () => {
  test.each([
    ['ErrImagePull', 'dial tcp 10.0.0.7:5000: connect: connection refused'],
    ['ImagePullBackOff', 'Back-off pulling image "r.example/web:1"'],
    ['CreateContainerConfigError', 'configmap "settings" not found'],
  ])('%s with %j is reported and waited for', (reason, message) => {
    expect(first(waiting(reason, message))).toMatchObject({
      isPermanent: false,
      text: expect.stringContaining(message),
    });
  });

  test.each([
    ['0/3 nodes are available: 3 Insufficient memory.', 'Make room on a node'],
    ["0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.", 'host port'],
    ['0/3 nodes are available: 3 node(s) had taint {maintenance: }.', 'Make room on a node'],
  ])('a pod that no node takes is explained: %s', (message, remedy) => {
    const trouble = first(unschedulable(message));
    expect(trouble).toMatchObject({ isPermanent: false, text: expect.stringContaining('no node takes the pod web-1') });
    expect(trouble?.text).toContain(message.replace(/\.$/, ''));
    expect(trouble?.advice).toContain(remedy);
  });

  test.each([
    ['0/1 nodes are available: 1 node(s) were unschedulable.', 'kubectl uncordon'],
    ['pod has unbound immediate PersistentVolumeClaims', 'storage class'],
  ])('[K1] a pod that no node takes has an advice that fits: %s', (message, remedy) => {
    const trouble = first(unschedulable(message));
    expect(trouble).toMatchObject({ hasLog: false, advice: expect.stringContaining(remedy) });
  });

  test.each([
    [waiting('ErrImagePull', 'unauthorized: authentication required'), 'pull secret'],
    [waiting('CreateContainerConfigError', 'secret "shop-key" not found'), 'Create what is missing'],
    [
      waiting('CrashLoopBackOff', 'back-off', {
        restartCount: 1,
        lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
      }),
      'memory limit',
    ],
    [pod({ containerStatuses: [{ name: 'app', ready: false, state: { running: {} } }] }), 'readiness probe'],
  ])('[K1] a container that does not become ready has an advice that fits', (object, advice) => {
    expect(first(object)).toMatchObject({ isPermanent: false, advice: expect.stringContaining(advice) });
  });

  test('a pod whose container runs has no trouble', () => {
    expect(troublesOf(podOf(pod({ containerStatuses: [{ name: 'app', ready: true, restartCount: 0 }] })))).toEqual([]);
  });
});

describe('[UPG13] troubles that the controller of a constructed Deployment reports', () => {
  const withCondition = (condition: object): ClusterObject => ({
    metadata: { name: 'web' },
    status: { conditions: [{ type: 'Available', status: 'True' }, condition] },
  });

  test('an exceeded quota is explained with its remedy', () => {
    const message =
      'pods "web-5d" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4';
    const condition = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message };
    const text = explained(controllerTrouble(withCondition(condition)) ?? '');
    expect(text).toContain(`pods cannot be created (FailedCreate): ${message}`);
    expect(text).toContain('Raise the quota');
  });

  test('a failure that is over is not reported', () => {
    expect(controllerTrouble(withCondition({ type: 'ReplicaFailure', status: 'False' }))).toBeUndefined();
  });

  test('a passed progress deadline is slow, not final', () => {
    const condition = { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' };
    expect(controllerTrouble(withCondition(condition))).toContain('slower than the progress deadline');
  });
});

describe('[UPG13] [K6] warnings in constructed events', () => {
  const SUBJECT = { kind: 'Pod', name: 'web-1', uid: 'u-1', since: 0 };
  const event = (reason: string, message: string, time: object, type = 'Warning') => ({
    type,
    reason,
    message,
    ...time,
  });
  const attach = 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) web-0';

  test('the newest warning counts, by whichever of its times is there', () => {
    const items = [
      event('FailedMount', 'old', { lastTimestamp: '2026-01-01T00:00:00Z' }),
      event('FailedAttachVolume', attach, { lastTimestamp: null, eventTime: '2026-01-01T00:00:09.000000Z' }),
      event('Scheduled', 'newest', { lastTimestamp: '2026-01-02T00:00:00Z' }, 'Normal'),
    ];
    expect(newestWarning({ items })).toBe(`FailedAttachVolume: ${attach}`);
    expect(newestWarning({})).toBeUndefined();
  });

  test('[K6] a warning from before the rollout explains nothing, and one that only repeats another yields to it', () => {
    const items = [
      event('Failed', 'Failed to pull image "web": unauthorized', { lastTimestamp: '2026-01-01T00:00:10Z' }),
      event('Failed', 'Error: ImagePullBackOff', { lastTimestamp: '2026-01-01T00:00:20Z' }),
    ];
    expect(newestWarning({ items }, Date.parse('2026-01-01T00:00:10.700Z'))).toContain('unauthorized');
    expect(newestWarning({ items }, Date.parse('2026-01-01T00:00:11Z'))).toBe('Failed: Error: ImagePullBackOff');
    expect(newestWarning({ items }, Date.parse('2026-01-01T00:00:21Z'))).toBeUndefined();
  });

  test('[K1] the probe that ends a container explains more than the readiness probe that fails after it', () => {
    const at = (second: number) => ({ lastTimestamp: `2026-01-01T00:00:${second}Z` });
    const ended = event('Unhealthy', 'Liveness probe failed: refused', at(10));
    const isNotReady = event('Unhealthy', 'Readiness probe errored: container not running', at(20));
    const repeated = event('BackOff', 'Back-off restarting failed container', at(30));
    expect(newestWarning({ items: [ended, isNotReady, repeated] })).toBe('Unhealthy: Liveness probe failed: refused');
    expect(newestWarning({ items: [isNotReady, repeated] })).toContain('Readiness probe errored');
    const later = event('FailedMount', 'a volume is missing', at(40));
    expect(newestWarning({ items: [ended, isNotReady, later] })).toBe('FailedMount: a volume is missing');
  });

  test('events are not asked for before an object has waited, and then only every 15 seconds', async () => {
    const clock = manualClock();
    const paths: string[] = [];
    const answer = { items: [event('FailedAttachVolume', attach, { lastTimestamp: '2026-01-01T00:00:00Z' })] };
    const { api } = fakeClusterApi({ get: (path) => (paths.push(path), answer) });
    const warningOf = createWarnings(api, clock);
    expect(await warningOf(SUBJECT)).toBeUndefined();
    expect(paths).toEqual([]);
    clock.advance(15_000);
    for (let n = 0; n < 3; n += 1) expect(await warningOf(SUBJECT)).toContain('Multi-Attach');
    expect(paths).toEqual([
      '/api/v1/namespaces/shop/events?fieldSelector=involvedObject.kind%3DPod%2CinvolvedObject.name%3Dweb-1%2CinvolvedObject.uid%3Du-1%2Ctype%3DWarning',
    ]);
  });

  test('an answer that cannot be read explains nothing and fails nothing', async () => {
    const clock = manualClock();
    const { api } = fakeClusterApi({
      get: () => {
        throw new Error('forbidden');
      },
    });
    const warningOf = createWarnings(api, clock);
    await warningOf(SUBJECT);
    clock.advance(15_000);
    expect(await warningOf(SUBJECT)).toBeUndefined();
  });
});
