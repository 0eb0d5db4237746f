import { expect, test } from 'vitest';
import { imageProblems } from './imageProblems.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const OTHER = `sha256:${'cd'.repeat(32)}`;
const CONTAINERS = [
  { name: 'web', checksum: DIGEST, image: `registry.example/web:1@${DIGEST}` },
  { name: 'Deployment/api/web', checksum: DIGEST, image: 'registry.example/api:1' },
];

function found(workload: string, image: string | undefined, metadata: object = {}): readonly string[] {
  const [kind, name] = workload.split('/');
  const spec = { template: { spec: { containers: [{ name: 'web', image }] } } };
  const apiVersion = kind === 'CronJob' ? 'batch/v1' : 'apps/v1';
  const content = {
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    spec: kind === 'CronJob' ? { jobTemplate: { spec } } : spec,
  };
  return imageProblems([{ name: workload, content }], CONTAINERS);
}

test.each([
  ['Deployment/web', 'registry.example/web:1'],
  ['Deployment/web', `registry.example/web:1@${DIGEST}`],
  ['Deployment/web', `registry.example/web@${DIGEST}`],
  ['StatefulSet/other', 'registry.example/web:1'],
  ['Deployment/api', 'registry.example/api:1'],
  ['Deployment/api', `registry.example/api:2@${DIGEST}`],
])('[OBJ6] %s may have the image %s', (workload, image) => {
  expect(found(workload, image)).toEqual([]);
});

test.each([
  ['Deployment/web', 'registry.example/web:2'],
  ['Deployment/web', 'registry.example/web'],
  ['Deployment/web', 'other.example/web:1'],
  ['Deployment/web', `registry.example/web:1@${OTHER}`],
  ['CronJob/web', 'registry.example/web:2'],
])('[OBJ6] %s may not have the image %s', (workload, image) => {
  expect(found(workload, image)).toEqual([
    `${workload}: the container web has the image ${image}, and the version has registry.example/web:1@${DIGEST}`,
  ]);
});

test('[OBJ6] a container without an entry or an image is a problem, also of a hook', () => {
  expect(imageProblems([], CONTAINERS)).toEqual([]);
  expect(found('Deployment/web', undefined)).toEqual([
    expect.stringContaining('has the image "", and the version has'),
  ]);
  expect(found('CronJob/web', 'backup:1', { labels: { 'steward/hook': 'backup' } })).toHaveLength(1);
  const content = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { template: { spec: { containers: [{ name: 'x' }] } } },
  };
  expect(imageProblems([{ name: 'Deployment/web', content }], [])).toEqual([
    'Deployment/web: the container x has the image "", and the version has no entry for it',
  ]);
});
