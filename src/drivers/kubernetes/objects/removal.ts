// What the removal of an object means: whether Steward may remove it, whether that can be undone, and what undoes it.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import { counted } from '../../../foundation/text/counted.ts';
import { kindOf } from '../../../model/objects/bundleObject.ts';
import { definitionOf } from '../../../model/objects/definitions.ts';
import type { ClusterApi, ClusterObject } from '../api/clusterApi.ts';
import { listAt, textAt } from '../api/objectFields.ts';
import { appliedEntry } from '../fields/fieldSet.ts';
import { withValue } from '../fields/places.ts';
import { ANNOTATIONS, LABELS } from '../workloads/labels.ts';

/** Why Steward must not remove an object; undefined if it may. */
export async function keptReason(
  api: ClusterApi,
  object: ClusterObject,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (object.metadata.labels?.[LABELS.installation] !== api.installation)
    return `it has no label ${LABELS.installation} of this installation; remove it by hand if nothing else needs it`;
  const definition = isObject(object) ? definitionOf(object) : undefined;
  const [apiVersion] = definition?.served ?? [];
  if (definition === undefined || apiVersion === undefined) return undefined;
  const [kind = ''] = definition.kind.split('.');
  const found = await api.find(apiVersion, kind, signal);
  const instances = found.kind === 'served' ? await api.count(found.resource, signal) : 0;
  return instances === 0
    ? undefined
    : `it defines a kind of which there ${instances === 1 ? 'is' : 'are'} ${counted(instances, 'object')}`;
}

/** Why the removal of an object cannot be undone; undefined if it can. */
export function finalRemoval(object: ClusterObject): string | undefined {
  const finalizers = listAt(object, 'metadata', 'finalizers').map(String);
  if (finalizers.length > 0) return `finalizers run at its removal: ${finalizers.join(', ')}`;
  const isBalanced = object.kind === 'Service' && textAt(object.spec, 'type') === 'LoadBalancer';
  const addresses = listAt(object.status, 'loadBalancer', 'ingress');
  const [address] = addresses.map((one) => textAt(one, 'ip') || textAt(one, 'hostname'));
  if (isBalanced && address !== undefined) return `its address ${address} is given back`;
  return object.kind === 'PersistentVolumeClaim' ? 'the data of its volume may be removed' : undefined;
}

/** Why a change of an object cannot be undone; undefined if it can. */
export function finalChange(content: JsonObject, live: ClusterObject): string | undefined {
  if (definitionOf(content) === undefined) return undefined;
  const names = new Set(listAt(content, 'spec', 'versions').map((one) => textAt(one, 'name')));
  const dropped = listAt(live.status, 'storedVersions').filter((one) => !names.has(String(one)));
  return dropped.length === 0 ? undefined : `it drops ${dropped.map(String).join(', ')}, in which objects are stored`;
}

const OF_SERVER = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'namespace',
];

const OF_CONTROLLERS = [
  ANNOTATIONS.fence,
  ANNOTATIONS.installation,
  'deployment.kubernetes.io/revision',
  'deprecated.daemonset.template.generation',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];

/** What the server or a controller gives an object of a kind, and would refuse or misread in a new one. */
const GIVEN: Readonly<Record<string, readonly string[]>> = {
  PersistentVolumeClaim: ['spec', 'volumeName'],
  ServiceAccount: ['secrets'],
};

/** The whole object, as it is created again, with what Steward owns of it. */
export function formerOfRemoved(object: ClusterObject): JsonObject {
  const applied = appliedEntry(object);
  const metadata = { ...object.metadata, managedFields: applied && [applied] };
  const { status: _, isPartial: __, ...rest } = isObject(object) ? { ...object, metadata } : {};
  const given = GIVEN[kindOf(rest)];
  const places = [
    ...OF_SERVER.map((name) => ['metadata', name]),
    ...OF_CONTROLLERS.map((name) => ['metadata', 'annotations', name]),
    ...(given === undefined ? [] : [given]),
  ];
  return places.reduce<JsonObject>(
    (copy, path) => (valueAt(copy, ...path) === undefined ? copy : withValue(copy, path, undefined)),
    rest,
  );
}
