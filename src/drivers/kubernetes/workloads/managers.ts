// The other managers of the image fields of a workload, and whether each would revert a change. docs/kubernetes.md has both lists.
import { isObject } from '../../../foundation/schema/json.ts';
import type { Manager } from '../../../model/workload.ts';
import type { ClusterObject, ManagedFields } from '../api/clusterApi.ts';
import { FENCE_MANAGER, FIELD_MANAGER, LABELS } from './labels.ts';

/** Tools that write when a person or a pipeline runs them, and not again by themselves. */
const WRITES_ONCE: readonly RegExp[] = [
  /^kubectl(?:-[a-z-]+)?$/,
  /^helm$/i,
  /^terraform/i,
  /^hashicorp$/i,
  /^pulumi/i,
  /^ansible/i,
  /^openapi-generator$/i,
  /^node-fetch$/,
  /^okhttp/i,
  /^python-requests/i,
  /^curl$/,
];

/** Labels and annotations by which a controller marks the objects that it reconciles. */
export const RECONCILED_MARKS: readonly (readonly [RegExp, string])[] = [
  [/^argocd\.argoproj\.io\/(?:instance|tracking-id)$/, 'Argo CD'],
  [/^kustomize\.toolkit\.fluxcd\.io\/name$/, 'Flux kustomize-controller'],
  [/^helm\.toolkit\.fluxcd\.io\/name$/, 'Flux helm-controller'],
  [/^(?:fleet\.cattle\.io|objectset\.rio\.cattle\.io)\//, 'Fleet'],
  [/^keel\.sh\/policy$/, 'Keel'],
  [/^configsync\.gke\.io\/|^configmanagement\.gke\.io\//, 'Config Sync'],
  [/^kapp\.k14s\.io\/app$/, 'kapp-controller'],
];

/** Labels and annotations with this value by which a person has paused a manager for an object. docs/kubernetes.md lists them. */
export const PAUSED_MARKS: readonly (readonly [string, RegExp, string])[] = [
  ['argocd.argoproj.io/skip-reconcile', /^true$/i, 'Argo CD'],
  ['kustomize.toolkit.fluxcd.io/reconcile', /^disabled$/i, 'Flux kustomize-controller'],
  ['helm.toolkit.fluxcd.io/driftDetection', /^disabled$/i, 'Flux helm-controller'],
  ['keel.sh/policy', /^never$/i, 'Keel'],
  ['configmanagement.gke.io/managed', /^disabled$/i, 'Config Sync'],
];

/** The field managers that write on behalf of a manager that is known by its marks. */
const FIELD_MANAGERS: Readonly<Record<string, RegExp>> = {
  'Argo CD': /^argocd-/,
  'Flux kustomize-controller': /^kustomize-controller$/,
  'Flux helm-controller': /^helm-controller$/,
  Keel: /^keel$/,
};

/** The names that the plan shows, by which STEWARD_TAKE_OVER_FROM may name a manager. */
export const SHOWN_NAMES: readonly string[] = RECONCILED_MARKS.map(([, name]) => name);

/** Controllers of the cluster itself. They write other fields of the same objects. */
const SYSTEM_MANAGERS: ReadonlySet<string> = new Set([
  FIELD_MANAGER,
  FENCE_MANAGER,
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
]);

export function isSystemManager(name: string): boolean {
  return SYSTEM_MANAGERS.has(name);
}

/** Whether a set of managed fields has the image of a container somewhere. */
function ownsImage(fields: unknown): boolean {
  if (!isObject(fields)) return false;
  return Object.entries(fields).some(([key, value]) => key === 'f:image' || ownsImage(value));
}

function imageOwners({ metadata }: ClusterObject): readonly ManagedFields[] {
  return (metadata.managedFields ?? []).filter(
    ({ subresource, manager, fieldsV1 }) => !subresource && !SYSTEM_MANAGERS.has(manager) && ownsImage(fieldsV1),
  );
}

/** When an image was set last, by anyone; 0 if that is not known. */
export function lastImageChange({ metadata }: ClusterObject): number {
  const times = (metadata.managedFields ?? []).filter(
    ({ subresource, fieldsV1 }) => !subresource && ownsImage(fieldsV1),
  );
  return Math.max(0, ...times.map(({ time = '' }) => Date.parse(time) || 0));
}

/** The manager that wrote an image last, if it was not Steward. */
export function lastWriter(object: ClusterObject): string | undefined {
  const newest = imageOwners(object).toSorted((one, other) => (other.time ?? '').localeCompare(one.time ?? ''));
  return newest[0]?.manager;
}

function markedManagers({ metadata: { labels, annotations } }: ClusterObject): readonly string[] {
  const keys = [...Object.keys(labels ?? {}), ...Object.keys(annotations ?? {})];
  return RECONCILED_MARKS.flatMap(([mark, name]) => (keys.some((key) => mark.test(key)) ? [name] : []));
}

function controllers({ metadata }: ClusterObject): readonly string[] {
  return (metadata.ownerReferences ?? [])
    .filter(({ controller }) => controller)
    .map(({ kind, name }) => `${kind}/${name}`);
}

function writesOnce(name: string): boolean {
  return WRITES_ONCE.some((pattern) => pattern.test(name));
}

/** The managers that are paused for an object, by its own labels and annotations. */
function pausedManagers({ metadata: { labels, annotations } }: ClusterObject): readonly string[] {
  return PAUSED_MARKS.flatMap(([mark, value, name]) =>
    value.test(annotations?.[mark] ?? labels?.[mark] ?? 'no mark') ? [name] : [],
  );
}

/** Whether a name is that of a manager that is known by its marks, or of its field manager. */
function isOf(name: string, known: string): boolean {
  return name === known || FIELD_MANAGERS[known]?.test(name) === true;
}

/**
 * Lists the other managers of the image fields. A name that is in no list counts as one that reconciles. `pausedSources` are managers
 * whose source of the object is paused.
 */
export function managersOf(
  object: ClusterObject,
  takeOverFrom: ReadonlySet<string>,
  pausedSources: readonly string[] = [],
): readonly Manager[] {
  const fields = imageOwners(object).map(({ manager }) => manager);
  return fieldManagersOf(object, fields, takeOverFrom, pausedSources);
}

/** Lists the managers of an object and of those of its fields that would change. `fields` are the owners of these. */
export function fieldManagersOf(
  object: ClusterObject,
  fields: readonly string[],
  takeOverFrom: ReadonlySet<string>,
  pausedSources: readonly string[] = [],
): readonly Manager[] {
  const reconciling = [...markedManagers(object), ...controllers(object)];
  const helm = object.metadata.labels?.[LABELS.managedBy] === 'Helm' ? ['Helm'] : [];
  const all = [
    ...reconciling.map((name) => ({ name, reconciles: true })),
    ...fields.map((name) => ({ name, reconciles: !writesOnce(name) })),
    ...helm.filter(() => !fields.some((name) => /^helm$/i.test(name))).map((name) => ({ name, reconciles: false })),
  ];
  const byName = new Map(all.map((one) => [one.name, one]));
  const taken = new Set([...takeOverFrom].map((name) => name.toLowerCase()));
  const paused = [...pausedManagers(object), ...pausedSources];
  return [...byName.values()].map((one): Manager => {
    const { name, reconciles } = one;
    const isTaken = SHOWN_NAMES.some((known) => taken.has(known.toLowerCase()) && isOf(name, known));
    if (isTaken || takeOverFrom.has(name)) return { name, reconciles: false };
    return reconciles && paused.some((known) => isOf(name, known))
      ? { name, reconciles: false, restrained: 'paused' }
      : one;
  });
}
