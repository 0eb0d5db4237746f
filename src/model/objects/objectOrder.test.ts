import { expect, test } from 'vitest';
import { partOf, rankOf } from './objectOrder.ts';

const object = (apiVersion: string, kind: string, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: 'web', ...metadata },
});
const workload = (metadata: object = {}) => object('apps/v1', 'Deployment', metadata);

test.each([
  ['definitions', object('apiextensions.k8s.io/v1', 'CustomResourceDefinition')],
  ['before', object('v1', 'ServiceAccount')],
  ['before', object('v1', 'Service')],
  ['before', object('example.com/v1', 'Deployment')],
  ['before', object('batch/v1', 'CronJob', { labels: { 'steward/hook': 'backup' } })],
  ['workloads', workload()],
  ['workloads', object('apps/v1', 'StatefulSet')],
  ['workloads', object('apps/v1', 'DaemonSet')],
  ['workloads', object('batch/v1beta1', 'CronJob')],
  ['after', object('autoscaling/v2', 'HorizontalPodAutoscaler')],
  ['after', object('networking.k8s.io/v1', 'Ingress')],
  ['after', object('policy/v1', 'PodDisruptionBudget')],
  ['after', object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration')],
] as const)('[OBJ5] the part %s contains %j', (part, content) => {
  expect(partOf(content)).toBe(part);
});

test('[OBJ5] accounts come before rights, configuration, claims, services and instances', () => {
  const kinds = [
    object('example.com/v1', 'Widget'),
    object('v1', 'Service'),
    object('v1', 'PersistentVolumeClaim'),
    object('v1', 'ConfigMap'),
    object('rbac.authorization.k8s.io/v1', 'RoleBinding'),
    object('rbac.authorization.k8s.io/v1', 'Role'),
    object('v1', 'ServiceAccount'),
  ];
  const sorted = kinds.toSorted((one, other) => rankOf(one) - rankOf(other));
  expect(sorted.map(({ kind }) => kind)).toEqual(kinds.toReversed().map(({ kind }) => kind));
});

test.each([
  [50, {}],
  [7, { labels: { 'steward/wave': '7' } }],
  [8, { labels: { 'steward/wave': '7' }, annotations: { 'steward/wave': '8' } }],
  [999_999_999, { annotations: { 'steward/wave': '999999999' } }],
  [50, { annotations: { 'steward/wave': '1000000000' } }],
  [50, { annotations: { 'steward/wave': '-1' } }],
] as const)('[OBJ5] the rank is %i with %j', (rank, metadata) => {
  expect(rankOf(workload(metadata))).toBe(rank);
});
