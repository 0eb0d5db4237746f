import { describe, expect, test } from 'vitest';
import { definitionOf, isClusterKind } from './definitions.ts';
import { isHook, isKept, restarts } from './objectMarks.ts';
import { withDataEncoded } from './secrets.ts';

const claim = (metadata: object) => ({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata });

test('[OBJ7] an object is kept by a label or an annotation, and the annotation wins', () => {
  expect(isKept(claim({ labels: { 'steward/keep': 'true' } }))).toBe(true);
  expect(isKept(claim({ annotations: { 'steward/keep': 'true' } }))).toBe(true);
  expect(isKept(claim({ annotations: { 'steward/keep': 'false' }, labels: { 'steward/keep': 'true' } }))).toBe(false);
  expect(isKept(claim({}))).toBe(false);
});

test('[OBJ5] a workload restarts unless steward/restart is false', () => {
  expect(restarts(claim({}))).toBe(true);
  expect(restarts(claim({ annotations: { 'steward/restart': 'false' } }))).toBe(false);
});

test('[OBJ2] only a CronJob is a hook', () => {
  const metadata = { labels: { 'steward/hook': 'backup' } };
  expect(isHook({ apiVersion: 'batch/v1', kind: 'CronJob', metadata })).toBe(true);
  expect(isHook({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })).toBe(false);
});

describe('a definition', () => {
  const definition = (version: string, spec: object, others: object = {}) => ({
    apiVersion: `apiextensions.k8s.io/${version}`,
    kind: 'CustomResourceDefinition',
    spec: { group: 'example.com', names: { kind: 'Widget' }, ...spec },
    ...others,
  });
  const versions = [
    { name: 'v1', served: true, storage: true },
    { name: 'v1beta1', served: true, storage: false },
    { name: 'v1alpha1', served: false, storage: false },
  ];

  test('[OBJ7] has served and stored versions', () => {
    expect(definitionOf(definition('v1', { versions }))).toEqual({
      kind: 'Widget.example.com',
      served: ['example.com/v1', 'example.com/v1beta1'],
      stored: ['example.com/v1'],
    });
  });

  test('[OBJ7] also stores what its status names', () => {
    const status = { storedVersions: ['v1', 'v1alpha1'] };
    expect(definitionOf(definition('v1', { versions }, { status }))?.stored).toEqual([
      'example.com/v1',
      'example.com/v1alpha1',
    ]);
  });

  test('[OBJ7] of v1beta1 may name a single version', () => {
    const found = definitionOf(definition('v1beta1', { version: 'v1' }));
    expect(found).toEqual({ kind: 'Widget.example.com', served: ['example.com/v1'], stored: ['example.com/v1'] });
  });

  test('[OBJ7] is no other object', () => {
    expect(definitionOf(claim({}))).toBeUndefined();
    expect(definitionOf({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' })).toBeUndefined();
  });
});

test('[OBJ2] knows kinds of the whole cluster by their group', () => {
  expect(isClusterKind({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' })).toBe(true);
  expect(isClusterKind({ apiVersion: 'example.com/v1', kind: 'ClusterRole' })).toBe(false);
  expect(isClusterKind({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' })).toBe(false);
});

test('[OBJ6] stringData of a Secret becomes data, and wins', () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', data: { a: 'YQ==', b: 'Yg==' }, stringData: { b: 'ü', c: 'c' } };
  expect(withDataEncoded(secret)).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    data: { a: 'YQ==', b: 'w7w=', c: 'Yw==' },
  });
  const map = { ...secret, kind: 'ConfigMap' };
  expect(withDataEncoded(map)).toBe(map);
});
