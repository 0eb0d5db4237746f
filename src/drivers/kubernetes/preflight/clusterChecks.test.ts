import { describe, expect, test } from 'vitest';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { ApiError } from '../api/apiError.ts';
import type { FoundWorkload } from '../workloads/podTemplate.ts';
import { checkHookTemplates, checkNodes, checkProbes, checkQuota, checkReplicas } from './clusterChecks.ts';

function deployment(name: string, spec: object = {}): FoundWorkload {
  return { kind: 'Deployment', object: { metadata: { name }, spec } };
}

function withContainers(...containers: readonly object[]): object {
  return { template: { spec: { containers } } };
}

function cronJob(name: string, suspend?: boolean): FoundWorkload {
  return { kind: 'CronJob', object: { metadata: { name }, spec: { suspend } } };
}

function node(name: string, status: string, unschedulable = false): ClusterObject {
  return {
    kind: 'Node',
    metadata: { name },
    spec: { unschedulable },
    status: { conditions: [{ type: 'Ready', status }] },
  };
}

function quota(hard: object, used: object): ClusterObject {
  return { kind: 'ResourceQuota', metadata: { name: 'limits' }, status: { hard, used } };
}

describe('[UPG6] warnings about constructed objects', () => {
  test('workloads that are scaled to zero are named', () => {
    const check = checkReplicas([
      deployment('web', { replicas: 0 }),
      deployment('api', { replicas: 2 }),
      deployment('x'),
    ]);
    expect(check).toMatchObject({ verdict: 'warn', text: expect.stringContaining('to zero: Deployment/web. ') });
    expect(checkReplicas([deployment('api', { replicas: 1 })]).verdict).toBe('pass');
  });

  test('templates of hooks that are not suspended are named', () => {
    const check = checkHookTemplates([cronJob('before', true), cronJob('after', false), cronJob('other')]);
    expect(check).toMatchObject({ verdict: 'warn', text: expect.stringMatching(/schedule: after, other\.$/) });
    expect(checkHookTemplates([cronJob('before', true)]).verdict).toBe('pass');
  });

  test('containers without a readiness probe are named, the first eight of many', () => {
    const probe = { readinessProbe: {} };
    const bare = deployment('web', withContainers({ name: 'app' }, { name: 'side', ...probe }));
    expect(checkProbes([bare])).toMatchObject({
      verdict: 'warn',
      text: expect.stringMatching(/: Deployment\/web\/app\.$/),
    });
    expect(checkProbes([deployment('web', withContainers({ name: 'app', ...probe })), cronJob('job')]).verdict).toBe(
      'pass',
    );
    const many = Array.from({ length: 10 }, (_, n) => deployment(`web-${n}`, withContainers({ name: 'app' })));
    expect(checkProbes(many).text).toMatch(/Deployment\/web-7\/app and 2 more\.$/);
  });

  test('nodes that are not ready, or take no pods, are named', async () => {
    const { api } = fakeClusterApi({ objects: [node('a', 'True'), node('b', 'Unknown'), node('c', 'True', true)] });
    expect(await checkNodes(api)).toMatchObject({ verdict: 'warn', text: '2 of 3 nodes are not ready: b, c.' });
    expect(await checkNodes(fakeClusterApi({ objects: [node('a', 'True')] }).api)).toMatchObject({ verdict: 'pass' });
  });

  test.each([
    [{ pods: '10', 'requests.cpu': '2' }, { pods: '10', 'requests.cpu': '500m' }, 'pods of limits (10 of 10)'],
    [{ 'requests.memory': '1Gi' }, { 'requests.memory': '1024Mi' }, 'requests.memory of limits (1024Mi of 1Gi)'],
  ])('a quota %j with %j in use is full', async (hard, used, full) => {
    const check = await checkQuota(fakeClusterApi({ objects: [quota(hard, used)] }).api);
    expect(check).toMatchObject({ verdict: 'warn', text: expect.stringContaining(`used up: ${full}. `) });
  });

  test('a quota with room passes', async () => {
    const { api } = fakeClusterApi({ objects: [quota({ 'requests.cpu': '2' }, { 'requests.cpu': '1999m' })] });
    expect((await checkQuota(api)).verdict).toBe('pass');
  });

  test('[C5] a check whose optional right is missing is unknown, and names the right and its rule', async () => {
    const list = async (): Promise<never> => {
      throw new ApiError(403, 'Forbidden', 'no');
    };
    const api = { ...fakeClusterApi().api, list };
    for (const [check, resource] of [
      [await checkNodes(api), 'nodes'],
      [await checkQuota(api), 'resourcequotas'],
    ] as const)
      expect(check).toMatchObject({
        verdict: 'unknown',
        text: expect.stringMatching(new RegExp(`^Not checked: .* lacks the right list ${resource},`)),
        todo: expect.stringContaining(`resources: ["${resource}"]\n  verbs: ["list"]`),
      });
  });
});
