import { describe, expect, test } from 'vitest';
import type { Workload } from '../workload.ts';
import { addressedContainers, containerFinder, repositoryPath } from './containerAddress.ts';

const CHECKSUM = `sha256:${'ab'.repeat(32)}`;
const entry = (name: string) => ({
  name,
  checksum: CHECKSUM,
  image: `registry.example/${name.replaceAll('/', '-').toLowerCase()}:1`,
});
const workload = (kind: string | undefined, name: string, ...containers: readonly string[]): Workload => ({
  name: kind === undefined ? name : `${kind}/${name}`,
  component: name,
  module: name,
  wave: 1,
  images: containers.map((container) => ({ container, image: `x/${name}:1`, checksum: undefined })),
  trouble: undefined,
  blocked: undefined,
  managers: [],
  isSteward: false,
  expectedMs: undefined,
});

describe('[UPG3] the address of a container', () => {
  test('the most specific address takes precedence, and a kind is compared without regard to case', () => {
    const find = containerFinder(['app', 'web/app', 'deployment/api/app', 'StatefulSet/api/app'].map(entry));
    const found = (kind: string | undefined, name: string): string | undefined =>
      find(workload(kind, name), 'app')?.name;
    expect(found('Deployment', 'other')).toBe('app');
    expect(found('Deployment', 'web')).toBe('web/app');
    expect(found('Deployment', 'api')).toBe('deployment/api/app');
    expect(found('StatefulSet', 'api')).toBe('StatefulSet/api/app');
    expect(found(undefined, 'api')).toBe('app');
    expect(find({ name: 'web' }, 'side')).toBeUndefined();
  });

  test('each entry gets the containers that it addresses', () => {
    const workloads = [workload('Deployment', 'web', 'app', 'side'), workload('CronJob', 'clean', 'app')];
    const entries = [entry('web/app'), entry('app'), entry('none')];
    const matches = [...addressedContainers(entries, workloads)].map(([{ name }, found]) => [
      name,
      found.map((one) => `${one.workload.name}/${one.image.container}`),
    ]);
    expect(matches).toEqual([
      ['web/app', ['Deployment/web/app']],
      ['app', ['CronJob/clean/app']],
      ['none', []],
    ]);
  });

  test.each([
    ['registry.example:5000/acme/web:11.0@sha256:00', 'acme/web'],
    ['localhost/web', 'web'],
    ['acme/web:1', 'acme/web'],
    ['web', 'web'],
  ])('the repository of %s is %s', (image, path) => {
    expect(repositoryPath(image)).toBe(path);
  });
});
