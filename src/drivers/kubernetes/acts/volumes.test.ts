import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { ApiError } from '../api/apiError.ts';
import { beginVolumes, bytesOf, observeVolumes, rehearseVolumes, volumeOf } from './volumes.ts';

function claim(requested: string, capacity: string | undefined, phase = 'Bound'): ClusterObject {
  return {
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data' },
    spec: { storageClassName: 'fast', resources: { requests: { storage: requested } } },
    status: { phase, ...(capacity !== undefined && { capacity: { storage: capacity } }) },
  };
}

describe('[UPG8] sizes of volumes', () => {
  test.each([
    ['1', 1],
    ['1.5k', 1500],
    ['1Ki', 1024],
    ['20Gi', 20 * 1024 ** 3],
    ['20G', 20e9],
    ['2Pi', 2 * 1024 ** 5],
  ])('%s is %d bytes', (size, bytes) => {
    expect(bytesOf(size)).toBe(bytes);
  });

  test.each(['', 'Gi', '1Xi', '-1Gi'])('%j is not above any size', (size) => {
    expect(bytesOf(size) >= 1).toBe(false);
  });

  test('the size of a claim is its capacity, and what it requests before it is bound', () => {
    expect(volumeOf(claim('20Gi', '10Gi'))).toEqual({ name: 'data', size: '10Gi', storageClass: 'fast' });
    expect(volumeOf(claim('20Gi', undefined, 'Pending')).size).toBe('20Gi');
  });

  test.each([
    [claim('10Gi', '10Gi'), 'absent'],
    [claim('20Gi', '10Gi'), 'running'],
    [claim('20Gi', '20Gi'), 'done'],
    [claim('20480Mi', '20480Mi'), 'done'],
    [claim('20Gi', undefined, 'Pending'), 'done'],
  ])('a constructed claim is observed: case %#', async (object, state) => {
    const { api } = fakeClusterApi({ objects: [object] });
    expect(await observeVolumes(api, { data: { size: '20Gi' } })).toMatchObject({ state });
  });

  test('a change that the cluster refuses is a refusal of the rehearsal, and one that fails for now is not', async () => {
    const refusing = (status: number) =>
      fakeClusterApi({
        objects: [claim('10Gi', '10Gi')],
        beforeApply: () => {
          throw new ApiError(status, 'Invalid', 'only dynamically provisioned pvc can be resized');
        },
      }).api;
    expect(await rehearseVolumes(refusing(422), { data: { size: '20Gi' } })).toMatchObject({
      reason: 'The cluster refused the change of the volume data: only dynamically provisioned pvc can be resized.',
    });
    await expect(rehearseVolumes(refusing(500), { data: { size: '20Gi' } })).rejects.toThrow(ApiError);
  });

  test('a claim that is large enough is left alone, another is expanded, and an absent one is created', async () => {
    const cluster = fakeClusterApi({ objects: [claim('20Gi', '20Gi')] });
    expect(await rehearseVolumes(cluster.api, { data: { size: '10Gi' } })).toBeUndefined();
    expect(cluster.applied).toEqual([]);
    await beginVolumes(cluster.api, { data: { size: '30Gi' }, logs: { size: '1Gi', storageClass: 'fast' } });
    expect(cluster.applied.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['data', { resources: { requests: { storage: '30Gi' } } }],
      [
        'logs',
        { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
      ],
    ]);
  });
});
