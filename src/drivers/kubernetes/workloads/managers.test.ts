import { describe, expect, test } from 'vitest';
import type { ClusterObject } from '../api/clusterApi.ts';
import { fakeClusterApi } from '../../../../test/support/kubernetes/fakeClusterApi.ts';
import { managersOf } from './managers.ts';
import { pausedSources } from './pausedSources.ts';

const NOBODY: ReadonlySet<string> = new Set();
const IMAGE_FIELDS = {
  'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"app"}': { 'f:image': {} } } } } },
};

function managedBy(manager: string, more: object = {}): ClusterObject {
  const fields = { manager, operation: 'Update', fieldsV1: IMAGE_FIELDS, ...more };
  return { metadata: { name: 'web', managedFields: [fields] } };
}

describe('[K5] [UPG18] marks of constructed objects that a manager is paused', () => {
  const marked = (annotations: Readonly<Record<string, string>>): ClusterObject => ({
    metadata: { name: 'web', annotations },
  });

  test.each([
    [
      'Argo CD',
      { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web' },
      'argocd.argoproj.io/skip-reconcile',
      'true',
    ],
    [
      'Flux kustomize-controller',
      { 'kustomize.toolkit.fluxcd.io/name': 'shop' },
      'kustomize.toolkit.fluxcd.io/reconcile',
      'disabled',
    ],
    [
      'Flux helm-controller',
      { 'helm.toolkit.fluxcd.io/name': 'shop' },
      'helm.toolkit.fluxcd.io/driftDetection',
      'disabled',
    ],
    ['Keel', {}, 'keel.sh/policy', 'never'],
    ['Config Sync', { 'configsync.gke.io/x': 'y' }, 'configmanagement.gke.io/managed', 'disabled'],
  ])('%s does not reconcile while its mark says so', (name, marks, mark, value) => {
    expect(managersOf(marked({ ...marks, [mark]: value }), NOBODY)).toContainEqual({
      name,
      reconciles: false,
      restrained: 'paused',
    });
    expect(managersOf(marked({ ...marks, [mark]: 'other' }), NOBODY)).toContainEqual({ name, reconciles: true });
  });

  test('the field manager of a paused tool is paused, too, and another one is not', () => {
    const owned = managedBy('argocd-controller');
    const paused = { ...owned.metadata, annotations: { 'argocd.argoproj.io/skip-reconcile': 'true' } };
    expect(managersOf({ metadata: paused }, NOBODY)).toEqual([
      { name: 'argocd-controller', reconciles: false, restrained: 'paused' },
    ]);
    const other = { ...managedBy('my-operator').metadata, annotations: paused.annotations };
    expect(managersOf({ metadata: other }, NOBODY)).toEqual([{ name: 'my-operator', reconciles: true }]);
  });

  test.each(['Argo CD', 'argo cd'])('STEWARD_TAKE_OVER_FROM takes over by the shown name %j', (shown) => {
    const object = marked({ 'argocd.argoproj.io/instance': 'shop' });
    expect(managersOf(object, new Set([shown]))).toEqual([{ name: 'Argo CD', reconciles: false }]);
    expect(managersOf(managedBy('argocd-controller'), new Set([shown]))).toEqual([
      { name: 'argocd-controller', reconciles: false },
    ]);
  });

  const FLUX = { 'kustomize.toolkit.fluxcd.io/name': 'shop', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' };
  const ARGO = { 'argocd.argoproj.io/instance': 'shop' };

  test.each([
    [FLUX, { spec: { suspend: true } }, ['Flux kustomize-controller']],
    [FLUX, { spec: { suspend: false } }, []],
    [FLUX, undefined, []],
    [ARGO, { spec: { syncPolicy: { automated: {} } } }, []],
    [ARGO, { spec: { syncPolicy: { automated: { enabled: false } } } }, ['Argo CD']],
    [ARGO, { spec: {} }, ['Argo CD']],
    [ARGO, undefined, []],
  ])('the source of %j with %j pauses %j', async (marks, source, paused) => {
    const paths: string[] = [];
    const { api } = fakeClusterApi({
      get: (path) => {
        paths.push(path);
        if (path.split('/').length === 3) return { preferredVersion: { version: 'v1' } };
        if (source === undefined) throw new Error('forbidden');
        return source;
      },
    });
    expect(await pausedSources(api, marked(marks))).toEqual(paused);
    expect(paths[1]).toMatch(
      /^\/apis\/(?:kustomize.*\/flux-system\/kustomizations|argoproj.*\/argocd\/applications)\/shop$/,
    );
  });
});

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
