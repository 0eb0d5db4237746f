import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { WORKLOAD_KINDS, imagesPatch, isWorkloadKind, templateContainers } from './podTemplate.ts';

const POD_SPEC = {
  initContainers: [{ name: 'init', image: 'init:1' }],
  containers: [
    { name: 'app', image: 'app:1', readinessProbe: {} },
    { name: 'side', image: 'side:1' },
  ],
};
const template = { spec: POD_SPEC };

function objectOf(kind: string): ClusterObject {
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { template };
  return { kind, metadata: { name: 'web' }, spec };
}

describe('[UPG3] the containers of constructed workloads', () => {
  test.each(WORKLOAD_KINDS)('a %s has its init containers and containers', (kind) => {
    expect(templateContainers(kind, objectOf(kind))).toEqual([
      { name: 'init', image: 'init:1', isInit: true, hasReadinessProbe: false },
      { name: 'app', image: 'app:1', isInit: false, hasReadinessProbe: true },
      { name: 'side', image: 'side:1', isInit: false, hasReadinessProbe: false },
    ]);
  });

  test.each(WORKLOAD_KINDS)('the patch of a %s has only the images that change, init containers apart', (kind) => {
    const present = templateContainers(kind, objectOf(kind));
    const images = [
      { container: 'init', image: 'init:2' },
      { container: 'app', image: 'app:2' },
    ];
    const podSpec = {
      spec: { initContainers: [{ name: 'init', image: 'init:2' }], containers: [{ name: 'app', image: 'app:2' }] },
    };
    const expected = kind === 'CronJob' ? { jobTemplate: { spec: { template: podSpec } } } : { template: podSpec };
    expect(imagesPatch(kind, present, images)).toEqual(expected);
  });

  test('a list without a change is left out, so that server-side apply does not own it', () => {
    const present = templateContainers('Deployment', objectOf('Deployment'));
    expect(imagesPatch('Deployment', present, [{ container: 'app', image: 'app:2' }])).toEqual({
      template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } },
    });
  });

  test('an object without a template has no containers, and a Job is not a workload', () => {
    expect(templateContainers('Deployment', { metadata: { name: 'web' } })).toEqual([]);
    expect(['Deployment', 'Job', undefined].map(isWorkloadKind)).toEqual([true, false, false]);
  });
});
