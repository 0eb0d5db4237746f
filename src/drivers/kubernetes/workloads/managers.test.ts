import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { managersOf } from './managers.ts';

const NOBODY: ReadonlySet<string> = new Set();
const IMAGE_FIELDS = {
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { 'f:image': {} } } } } },
};

function managedBy(manager: string, more: object = {}): ClusterObject {
  const fields = { manager, operation: 'Update', fieldsV1: IMAGE_FIELDS, ...more };
  return { metadata: { name: 'web', managedFields: [fields] } };
}

describe('[UPG18] managers of the images of constructed objects', () => {
  test.each([
    'kubectl',
    'kubectl-client-side-apply',
    'kubectl-create',
    'kubectl-edit',
    'kubectl-set',
    'kubectl-rollout',
    'helm',
    'Helm',
    'terraform-provider-kubernetes',
    'pulumi-kubernetes',
    'ansible',
    'curl',
  ])('%s writes once', (manager) => {
    expect(managersOf(managedBy(manager), NOBODY)).toEqual([{ name: manager, reconciles: false }]);
  });

  test.each([
    'argocd-controller',
    'argocd-application-controller',
    'kustomize-controller',
    'helm-controller',
    'keel',
    'my-operator',
    'manager',
    'kubectl2',
  ])('%s, which is in no list, counts as one that reconciles', (manager) => {
    expect(managersOf(managedBy(manager), NOBODY)).toEqual([{ name: manager, reconciles: true }]);
  });

  test('a name in STEWARD_TAKE_OVER_FROM is taken over from', () => {
    const takeOverFrom = new Set(['my-installer']);
    expect(managersOf(managedBy('my-installer'), takeOverFrom)).toEqual([{ name: 'my-installer', reconciles: false }]);
  });

  test('a manager of other fields, of a subresource or of the cluster itself is not one of the image', () => {
    const other = { 'f:spec': { 'f:replicas': {} } };
    expect(managersOf(managedBy('hpa', { fieldsV1: other }), NOBODY)).toEqual([]);
    expect(managersOf(managedBy('anything', { subresource: 'status' }), NOBODY)).toEqual([]);
    for (const one of ['steward', 'kube-controller-manager', 'kubelet'])
      expect(managersOf(managedBy(one), NOBODY)).toEqual([]);
    expect(managersOf({ metadata: { name: 'web' } }, NOBODY)).toEqual([]);
  });

  test.each([
    ['argocd.argoproj.io/instance', 'Argo CD'],
    ['argocd.argoproj.io/tracking-id', 'Argo CD'],
    ['kustomize.toolkit.fluxcd.io/name', 'Flux kustomize-controller'],
    ['helm.toolkit.fluxcd.io/name', 'Flux helm-controller'],
    ['fleet.cattle.io/bundle-id', 'Fleet'],
    ['keel.sh/policy', 'Keel'],
    ['configmanagement.gke.io/managed', 'Config Sync'],
    ['kapp.k14s.io/app', 'kapp-controller'],
  ])('the mark %s names %s, as a label and as an annotation', (key, name) => {
    const marks = { [key]: 'x' };
    for (const metadata of [{ labels: marks }, { annotations: marks }])
      expect(managersOf({ metadata: { name: 'web', ...metadata } }, NOBODY)).toEqual([{ name, reconciles: true }]);
  });

  test('an owner that controls the object reconciles, and one that does not control it is ignored', () => {
    const owner = { kind: 'Shop', name: 'main', uid: '1' };
    const owned = (controller: boolean): ClusterObject => ({
      metadata: { name: 'web', ownerReferences: [{ ...owner, controller }] },
    });
    expect(managersOf(owned(true), NOBODY)).toEqual([{ name: 'Shop/main', reconciles: true }]);
    expect(managersOf(owned(false), NOBODY)).toEqual([]);
  });

  test('the label of Helm names Helm once, and several managers are all listed', () => {
    const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
    const object = managedBy('kubectl-edit');
    expect(managersOf({ metadata: { ...object.metadata, labels } }, NOBODY)).toEqual([
      { name: 'kubectl-edit', reconciles: false },
      { name: 'Helm', reconciles: false },
    ]);
    const helm = managedBy('helm');
    expect(managersOf({ metadata: { ...helm.metadata, labels } }, NOBODY)).toEqual([
      { name: 'helm', reconciles: false },
    ]);
  });
});
