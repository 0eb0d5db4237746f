// Objects of a Kubernetes cluster, as `kubectl get -o json` prints them or as a manifest in YAML has them.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';

/** The objects of a document: the items of a list, or the document itself. */
export function clusterObjects(document: unknown): readonly unknown[] {
  const items = valueAt(document, 'items');
  return Array.isArray(items) ? items : [document];
}

/** Whether a document looks like an object, or a list of objects, of a cluster. */
export function isClusterDocument(document: unknown): boolean {
  return isObject(document) && (Array.isArray(document['items']) || typeof document['kind'] === 'string');
}

/** Finds the pod spec of a CronJob, of another workload, or of a pod. */
export function podSpecOf(object: unknown): unknown {
  return (
    valueAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec') ??
    valueAt(object, 'spec', 'template', 'spec') ??
    valueAt(object, 'spec')
  );
}

/** The init containers and the containers of a pod spec. */
export function containersOf(spec: unknown): readonly JsonObject[] {
  return ['initContainers', 'containers'].flatMap((kind) => {
    const list = valueAt(spec, kind);
    return Array.isArray(list) ? list.filter(isObject) : [];
  });
}

/** A ReplicaSet is named after its Deployment, with a hash. */
const REPLICA_SET = /^(.+)-[a-z\d]+$/;

export interface WorkloadName {
  readonly kind: string;
  readonly name: string;
}

function workloadName(kind: unknown, name: unknown): WorkloadName | undefined {
  const isKind = typeof kind === 'string' && /^[A-Za-z]{1,63}$/.test(kind);
  const isName = typeof name === 'string' && /^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/.test(name);
  return isKind && isName ? { kind, name } : undefined;
}

/** The workload that an object is, or that a pod belongs to; undefined if the object does not tell. */
export function workloadNameOf(object: unknown): WorkloadName | undefined {
  const own = workloadName(valueAt(object, 'kind'), valueAt(object, 'metadata', 'name'));
  if (own?.kind !== 'Pod') return own;
  const owners = valueAt(object, 'metadata', 'ownerReferences');
  const [first]: readonly unknown[] = Array.isArray(owners) ? owners : [];
  const owner = workloadName(valueAt(first, 'kind'), valueAt(first, 'name'));
  if (owner?.kind !== 'ReplicaSet') return owner;
  return { kind: 'Deployment', name: REPLICA_SET.exec(owner.name)?.[1] ?? owner.name };
}
