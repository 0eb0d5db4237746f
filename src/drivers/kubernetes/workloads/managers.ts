// The other managers of the image fields of a workload, and whether each would revert a change. docs/kubernetes.md has both lists.
import { isObject } from '../../../foundation/schema/json.ts';
import type { Manager } from '../../../model/workload.ts';
import type { ClusterObject, ManagedFields } from '../api/clusterApi.ts';
import { FIELD_MANAGER, LABELS } from './labels.ts';

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

/** Controllers of the cluster itself. They write other fields of the same objects. */
const SYSTEM_MANAGERS: ReadonlySet<string> = new Set([FIELD_MANAGER, 'kube-controller-manager', 'kubelet']);

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

/** Lists the other managers of the image fields. A name that is in no list counts as one that reconciles. */
export function managersOf(object: ClusterObject, takeOverFrom: ReadonlySet<string>): readonly Manager[] {
  const reconciling = [...markedManagers(object), ...controllers(object)];
  const fields = imageOwners(object).map(({ manager }) => manager);
  const helm = object.metadata.labels?.[LABELS.managedBy] === 'Helm' ? ['Helm'] : [];
  const all = [
    ...reconciling.map((name) => ({ name, reconciles: true })),
    ...fields.map((name) => ({ name, reconciles: !writesOnce(name) })),
    ...helm.filter(() => !fields.some((name) => /^helm$/i.test(name))).map((name) => ({ name, reconciles: false })),
  ];
  const byName = new Map(all.map((one) => [one.name, one]));
  return [...byName.values()].map((one) => (takeOverFrom.has(one.name) ? { ...one, reconciles: false } : one));
}
