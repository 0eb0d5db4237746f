import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { observeRollout } from './observeRollout.ts';
import { podOf } from './pods.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const CONFIGURATION = `sha256:${'cd'.repeat(32)}`;
const IMAGE = `r.example/web:2@${DIGEST}`;
const IMAGES = [{ container: 'app', image: IMAGE, checksum: DIGEST }];

function deployment(status: object = {}): ClusterObject {
  const full = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
  return {
    metadata: { name: 'web', generation: 2 },
    spec: { replicas: 1, template: { spec: { containers: [{ name: 'app', image: IMAGE }] } } },
    status: { ...full, ...status },
  };
}

function pod(imageID: string, image = IMAGE, isReady = true) {
  return podOf({
    metadata: { name: 'web-1' },
    spec: { containers: [{ name: 'app', image }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      containerStatuses: [{ name: 'app', ready: isReady, restartCount: 0, imageID }],
    },
  });
}

function observe(object: ClusterObject, pods: readonly ReturnType<typeof pod>[], proven: readonly string[] = []) {
  const isSame = (checksum: string, digest: string): boolean => checksum === digest || proven.includes(digest);
  return observeRollout({ kind: 'Deployment', object, pods }, IMAGES, { generation: 2, isSame, now: 0 });
}

describe('[UPG12] [DEC54] the rollout of a constructed Deployment', () => {
  test.each([`docker-pullable://r.example/web@${DIGEST}`, `r.example/web@${DIGEST}`, DIGEST])(
    'a complete rollout whose pod runs %s is done',
    (imageID) => {
      expect(observe(deployment(), [pod(imageID)]).observation).toEqual({ state: 'done', lines: [] });
    },
  );

  test('a configuration digest, as containerd reports it, is another image until it is proven to be the same', () => {
    const first = observe(deployment(), [pod(CONFIGURATION)]);
    expect([first.observation.state, first.mismatch]).toEqual(['failed', IMAGES[0]]);
    expect(observe(deployment(), [pod(CONFIGURATION)], [CONFIGURATION]).observation.state).toBe('done');
  });

  test('a pod without an imageID is not proven', () => {
    expect(observe(deployment(), [pod('')]).observation.state).toBe('running');
  });

  test('an old pod that still runs keeps the rollout from being done', () => {
    const pods = [pod(DIGEST), pod(CONFIGURATION, 'r.example/web:1')];
    expect(observe(deployment(), pods).observation).toMatchObject({
      state: 'running',
      detail: 'old pods that are ending: 1',
    });
  });

  test('a passed progress deadline is running and says that it is slow', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
    const { observation } = observe(deployment({ availableReplicas: 0, conditions }), [pod(DIGEST, IMAGE, false)]);
    expect(observation).toMatchObject({ state: 'running', detail: expect.stringContaining('progress deadline') });
  });

  test('an exceeded quota is part of the detail', () => {
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'exceeded quota: small',
    };
    const { observation } = observe(deployment({ updatedReplicas: 0, conditions: [failure] }), []);
    expect(observation).toMatchObject({ state: 'running', detail: expect.stringContaining('exceeded quota: small') });
  });

  test('the pod that a rollout waits for without a reason is named, so that its events can be read', () => {
    expect(observe(deployment({ availableReplicas: 0 }), [pod(DIGEST, IMAGE, false)]).waiting).toMatchObject({
      kind: 'Pod',
      name: 'web-1',
    });
    expect(observe(deployment({ updatedReplicas: 0 }), []).waiting).toMatchObject({ kind: 'Deployment', name: 'web' });
  });

  test('an object that is older than the change is unknown, and one with other images is absent', () => {
    const old = deployment();
    const stale = { ...old, metadata: { name: 'web', generation: 1 } };
    expect(observe(stale, []).observation.state).toBe('unknown');
    const other = { ...old, spec: { template: { spec: { containers: [{ name: 'app', image: 'other' }] } } } };
    expect(observe(other, []).observation).toEqual({ state: 'absent' });
  });
});
