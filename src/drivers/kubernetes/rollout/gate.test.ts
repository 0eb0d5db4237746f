import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { WORKLOAD_KINDS } from '../workloads/podTemplate.ts';
import { countRollout, shortageOf } from './gate.ts';

function object(status: object, spec: object = { replicas: 2 }, generation = 3): ClusterObject {
  return { metadata: { name: 'web', generation }, spec, status: { observedGeneration: generation, ...status } };
}

const FULL = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
const REVISION = { currentRevision: 'web-2', updateRevision: 'web-2' };

describe('[UPG12] the gate of a rollout, on constructed Deployments', () => {
  test.each([
    [{ updatedReplicas: 1 }, '1 of 2 replicas run the requested image'],
    [{ availableReplicas: 1 }, '1 of 2 replicas are available'],
    [{ replicas: 3 }, '1 of 3 replicas, old and new, are not available'],
    [{ replicas: 3, availableReplicas: 3 }, 'old replicas that are being removed: 1'],
    [{ terminatingReplicas: 1 }, 'old replicas that are ending: 1'],
    [{}, undefined],
    [{ terminatingReplicas: 0 }, undefined],
  ])('a status with %j is missing %j', (status, missing) => {
    expect(countRollout('Deployment', object({ ...FULL, ...status }), 3).missing).toBe(missing);
  });

  test('a Deployment without the field replicas has one', () => {
    const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    expect(countRollout('Deployment', object(status, {}), 3)).toEqual({ done: 1, total: 1, missing: undefined });
  });

  test('a Deployment that is scaled to zero is complete', () => {
    expect(countRollout('Deployment', object({}, { replicas: 0 }), 3).missing).toBeUndefined();
  });

  test('conditions of newer servers do not change the verdict', () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }, { type: 'New' }];
    expect(countRollout('Deployment', object({ ...FULL, conditions }), 3).missing).toBeUndefined();
  });
});

describe('[UPG12] the gate of a rollout, on constructed StatefulSets', () => {
  const status = { ...FULL, ...REVISION };

  test('a server before 1.22, without availableReplicas, counts ready replicas', () => {
    const { availableReplicas: _, ...old } = status;
    expect(countRollout('StatefulSet', object(old), 3).missing).toBeUndefined();
    expect(countRollout('StatefulSet', object({ ...old, readyReplicas: 1 }), 3).missing).toBe(
      '1 of 2 replicas are ready',
    );
  });

  test('with minReadySeconds a ready replica that is not available yet is missing', () => {
    const waits = object({ ...status, availableReplicas: 1 }, { replicas: 2, minReadySeconds: 30 });
    expect(countRollout('StatefulSet', waits, 3).missing).toBe('1 of 2 replicas are available');
  });

  test('a revision that is not complete is missing, also if all replicas are ready', () => {
    const old = { ...status, currentRevision: 'web-1' };
    expect(countRollout('StatefulSet', object({ ...old, updatedReplicas: 1 }), 3)).toMatchObject({
      done: 1,
      missing: '1 of 2 replicas run the requested image',
    });
    expect(countRollout('StatefulSet', object(old), 3).missing).toBe(
      'the controller has not confirmed the new revision yet',
    );
  });
});

describe('[UPG12] the gate of a rollout, on constructed DaemonSets and CronJobs', () => {
  const full = { desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 };

  test.each([
    [{ updatedNumberScheduled: 2 }, '2 of 3 nodes run the requested image'],
    [{ numberAvailable: 1 }, '1 of 3 nodes are available'],
    [{}, undefined],
  ])('a DaemonSet with %j is missing %j', (status, missing) => {
    expect(countRollout('DaemonSet', object({ ...full, ...status }), 3).missing).toBe(missing);
  });

  test('a DaemonSet that no node needs is complete', () => {
    expect(countRollout('DaemonSet', object({ desiredNumberScheduled: 0 }), 3).missing).toBeUndefined();
  });

  test('a CronJob has nothing to wait for, not even a status', () => {
    const cronJob = { metadata: { name: 'nightly', generation: 7 } };
    expect(countRollout('CronJob', cronJob, 7)).toEqual({ done: 1, total: 1, missing: undefined });
  });
});

describe('[UPG12] the generation of a rollout, on constructed objects', () => {
  const unseen = 'the controller has not seen the change yet';

  test.each(['Deployment', 'StatefulSet', 'DaemonSet'] as const)(
    'a %s whose controller has not seen the change is not complete, whatever its counters say',
    (kind) => {
      const status = { ...FULL, ...REVISION, observedGeneration: 2 };
      expect(countRollout(kind, object(status), 3)).toMatchObject({ done: 0, missing: unseen });
      expect(countRollout(kind, object(status), undefined).missing).toBe(unseen);
      expect(shortageOf(kind, object(status))).toBeUndefined();
    },
  );

  test('a rollout that is complete is done in full', () => {
    const count = fc.integer({ min: 0, max: 5 });
    const counters = fc.record({
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
      desiredNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: count,
    });
    fc.assert(
      fc.property(fc.constantFrom(...WORKLOAD_KINDS), counters, count, (kind, status, replicas) => {
        const { done, total, missing } = countRollout(kind, object({ ...status, ...REVISION }, { replicas }), 3);
        expect(done).toBeGreaterThanOrEqual(0);
        expect(missing !== undefined || done >= total).toBe(true);
      }),
    );
  });
});
