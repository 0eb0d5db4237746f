import { expect, test } from 'vitest';
import { configurationOf } from './configuration.ts';
import { containersOf, withImages } from './podTemplate.ts';

const SPEC = {
  imagePullSecrets: [{ name: 'registry' }],
  initContainers: [{ name: 'init', image: 'tools:1', envFrom: [{ secretRef: { name: 'setup' } }] }],
  containers: [
    {
      name: 'web',
      image: 'web:1',
      env: [
        { name: 'MODE', value: 'a' },
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } },
        { name: 'URL', valueFrom: { configMapKeyRef: { name: 'urls', key: 'a' } } },
        { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      ],
      envFrom: [{ configMapRef: { name: 'urls' } }],
    },
  ],
  volumes: [
    { name: 'a', configMap: { name: 'files' } },
    { name: 'b', secret: { secretName: 'tls' } },
    { name: 'c', projected: { sources: [{ configMap: { name: 'roots' } }, { secret: { name: 'token' } }] } },
    { name: 'd', emptyDir: {} },
  ],
};
const deployment = (spec: unknown) => ({ apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: { spec } } });
const cronJob = (spec: unknown) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  spec: { schedule: '@daily', jobTemplate: { spec: { template: { spec } } } },
});

test.each([deployment(SPEC), cronJob(SPEC)])('[OBJ6] lists the containers of a $kind', (content) => {
  expect(containersOf(content)).toEqual([
    { container: 'init', image: 'tools:1' },
    { container: 'web', image: 'web:1' },
  ]);
});

test.each([
  { apiVersion: 'v1', kind: 'ConfigMap', spec: { template: { spec: SPEC } } },
  { apiVersion: 'example.com/v1', kind: 'Deployment', spec: { template: { spec: SPEC } } },
  deployment(7),
  deployment({ containers: 'none' }),
  deployment({ containers: [null, { image: 'x' }] }),
])('[OBJ6] finds neither containers nor configuration in $apiVersion $kind $spec', (content) => {
  expect(containersOf(content)).toEqual([]);
  expect(configurationOf(content)).toEqual([]);
  expect(withImages(content, () => 'other:1')).toEqual(content);
});

test.each([deployment(SPEC), cronJob(SPEC)])('[OBJ6] replaces images in a copy of a $kind', (content) => {
  const before = structuredClone(content);
  const changed = withImages(content, (container) => (container === 'web' ? 'web:2' : undefined));
  expect(containersOf(changed).map(({ image }) => image)).toEqual(['tools:1', 'web:2']);
  expect(content).toEqual(before);
  expect(JSON.stringify(changed)).toBe(JSON.stringify(before).replace('web:1', 'web:2'));
});

test('[OBJ5] names the configuration that pods read, and no pull secrets', () => {
  const expected = [
    'ConfigMap/files',
    'ConfigMap/roots',
    'ConfigMap/urls',
    'Secret/keys',
    'Secret/setup',
    'Secret/tls',
    'Secret/token',
  ];
  expect(configurationOf(deployment(SPEC))).toEqual(expected);
});
