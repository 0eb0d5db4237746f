import { expect, test } from 'vitest';
import { managersOf } from './managers.ts';
import { slimmed } from './slimmed.ts';

const image = { 'k:{"name":"app"}': { 'f:image': {} } };
const container = { name: 'app', image: 'app:1', readinessProbe: { exec: {} } };
const owner = { manager: 'kubectl-edit', operation: 'Update', time: '2026-01-01T00:00:00Z' };

test('a slim workload keeps the owners of its images and all fields that the driver reads, but not its environment or the configuration that was applied last', () => {
  const object = {
    kind: 'Deployment',
    metadata: {
      name: 'web',
      labels: { app: 'web' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', note: 'kept' },
      managedFields: [
        { ...owner, fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:containers': { '.': {}, ...image } } } },
        { ...owner, manager: 'hpa', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
        { ...owner, manager: 'old' },
      ],
    },
    spec: { replicas: 1, template: { spec: { containers: [{ ...container, env: [{ name: 'A', value: 'b' }] }] } } },
    status: { replicas: 1 },
  };
  const slim = slimmed(object);
  expect(slim).toEqual({
    ...object,
    spec: { replicas: 1, template: { spec: { containers: [container] } } },
    metadata: {
      name: 'web',
      labels: { app: 'web' },
      annotations: { note: 'kept' },
      managedFields: [{ ...owner, fieldsV1: { 'f:spec': { 'f:containers': image } } }],
    },
  });
  expect(managersOf(slim, new Set())).toEqual(managersOf(object, new Set()));
  expect(slimmed({ metadata: { name: 'bare' } })).toEqual({ metadata: { name: 'bare' } });
});
