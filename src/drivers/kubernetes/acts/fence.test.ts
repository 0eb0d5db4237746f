import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { ANNOTATIONS } from '../workloads/labels.ts';
import { stampFence } from './fence.ts';
import { beginImages, fenceOf } from './images.ts';

function deployment(fence?: string, installation = 'ours'): ClusterObject {
  const annotations: Readonly<Record<string, string>> =
    fence === undefined ? {} : { [ANNOTATIONS.fence]: fence, [ANNOTATIONS.installation]: installation };
  const template = { spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  return { kind: 'Deployment', metadata: { name: 'web', annotations }, spec: { template } };
}

const CHANGE = { workload: 'Deployment/web', images: [{ container: 'app', image: 'app:2', checksum: undefined }] };

function found(cluster: ReturnType<typeof fakeClusterApi>) {
  const object = cluster.object('Deployment', 'web');
  if (object === undefined) throw new Error('the Deployment is not there');
  return { kind: 'Deployment', object };
}

describe('[UPG11] the fence of constructed workloads', () => {
  test.each([
    [undefined, 0],
    ['7', 7],
    ['-', 0],
    ['1e99', 0],
  ])('the annotation %j is the fence %j', (annotation, fence) => {
    expect(fenceOf(deployment(annotation), { installation: 'ours' })).toBe(fence);
  });

  test('the fence of another installation does not count, and a takeover replaces it', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('200', 'another')] });
    expect(fenceOf(found(cluster).object, cluster.api)).toBe(0);
    await stampFence(cluster.api, [found(cluster)], 1);
    expect(fenceOf(found(cluster).object, cluster.api)).toBe(1);
  });

  test('a takeover writes a higher fence and leaves a higher one alone', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('4')] });
    await stampFence(cluster.api, [found(cluster)], 5);
    expect(fenceOf(found(cluster).object, cluster.api)).toBe(5);
    await stampFence(cluster.api, [found(cluster)], 3);
    expect([fenceOf(found(cluster).object, cluster.api), cluster.applied.length]).toEqual([5, 1]);
  });

  test('a takeover that conflicts with another writer reads again', async () => {
    let conflicts = 2;
    const cluster = fakeClusterApi({
      objects: [deployment()],
      beforeApply: () => {
        if (conflicts > 0) cluster.put(deployment());
        conflicts -= 1;
      },
    });
    await stampFence(cluster.api, [found(cluster)], 5);
    expect(fenceOf(found(cluster).object, cluster.api)).toBe(5);
  });

  test('a takeover that always conflicts ends with the conflict', async () => {
    const cluster = fakeClusterApi({ objects: [deployment()], beforeApply: () => void cluster.put(deployment()) });
    await expect(stampFence(cluster.api, [found(cluster)], 5)).rejects.toMatchObject({ status: 409 });
  });

  test('a holder that was overtaken changes nothing', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('9')] });
    const begun = await beginImages({ api: cluster.api, takeOverFrom: new Set() }, CHANGE, 8, undefined);
    expect([begun, cluster.applied]).toEqual([{ kind: 'overtaken' }, []]);
  });

  test('a holder that is overtaken between its read and its change changes nothing', async () => {
    const cluster = fakeClusterApi({
      objects: [deployment('8')],
      beforeApply: () => void cluster.put(deployment('9')),
    });
    const begun = await beginImages({ api: cluster.api, takeOverFrom: new Set() }, CHANGE, 8, undefined);
    expect([begun, cluster.applied]).toEqual([{ kind: 'overtaken' }, []]);
  });

  test('a change of a workload that is known needs no read', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('5')] });
    const { object: known } = found(cluster);
    const reads: string[] = [];
    const api: ClusterApi = {
      ...cluster.api,
      read: async (_kind, name) => (reads.push(name), cluster.object('Deployment', name)),
    };
    const begun = await beginImages({ api, takeOverFrom: new Set() }, { ...CHANGE, known }, 5, undefined);
    expect([begun.kind, cluster.applied.length, reads]).toEqual(['begun', 1, []]);
  });

  test('a change of a workload that was changed since reads it again', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('8')] });
    const { object: known } = found(cluster);
    cluster.put(deployment('9'));
    const begun = await beginImages({ api: cluster.api, takeOverFrom: new Set() }, { ...CHANGE, known }, 8, undefined);
    expect([begun, cluster.applied]).toEqual([{ kind: 'overtaken' }, []]);
  });

  test('an obstacle that was known counts only if it is still there', async () => {
    const cluster = fakeClusterApi({ objects: [deployment('8')] });
    const ownerReferences = [{ kind: 'Shop', name: 'main', uid: '1', controller: true }];
    const owned: ClusterObject = { ...deployment('8'), metadata: { ...deployment('8').metadata, ownerReferences } };
    const begin = () =>
      beginImages({ api: cluster.api, takeOverFrom: new Set() }, { ...CHANGE, known: owned }, 8, undefined);
    cluster.put(owned);
    expect((await begin()).kind).toBe('refused');
    cluster.put(deployment('8'));
    expect((await begin()).kind).toBe('begun');
  });
});
