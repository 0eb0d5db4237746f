// Definitions of kinds (CustomResourceDefinition), and kinds that belong to the whole cluster.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { kindName, kindOf } from './bundleObject.ts';

/** What a definition defines. */
export interface Definition {
  /** As `kindName`. */
  readonly kind: string;
  /** The API versions in which the cluster serves it. */
  readonly served: readonly string[];
  /** The API versions in which objects are stored, or, if the status tells, may be stored from before. */
  readonly stored: readonly string[];
}

const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  'APIService',
  'CSIDriver',
  'CSINode',
  'CertificateSigningRequest',
  'ClusterRole',
  'ClusterRoleBinding',
  'ClusterTrustBundle',
  'ComponentStatus',
  'CustomResourceDefinition',
  'DeviceClass',
  'FlowSchema',
  'GatewayClass',
  'IPAddress',
  'IngressClass',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PodSecurityPolicy',
  'PriorityClass',
  'PriorityLevelConfiguration',
  'ResourceSlice',
  'RuntimeClass',
  'SelfSubjectAccessReview',
  'SelfSubjectReview',
  'SelfSubjectRulesReview',
  'ServiceCIDR',
  'StorageClass',
  'StorageVersion',
  'SubjectAccessReview',
  'TokenReview',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
  'VolumeAttributesClass',
  'VolumeSnapshotClass',
  'VolumeSnapshotContent',
]);

interface DefinedVersion {
  readonly name: unknown;
  readonly isServed: boolean;
  readonly isStored: boolean;
}

function versionsOf(content: JsonObject): readonly DefinedVersion[] {
  const list = valueAt(content, 'spec', 'versions');
  if (Array.isArray(list) && list.length > 0)
    return list.map((one: unknown) => ({
      name: valueAt(one, 'name'),
      isServed: valueAt(one, 'served') === true,
      isStored: valueAt(one, 'storage') === true,
    }));
  // Only v1beta1 may name a single version.
  const name = valueAt(content, 'spec', 'version');
  return name === undefined ? [] : [{ name, isServed: true, isStored: true }];
}

/** Reads a definition; undefined if the object is none, or lacks what makes it one. */
export function definitionOf(content: JsonObject): Definition | undefined {
  if (kindOf(content) !== 'CustomResourceDefinition') return undefined;
  const [group, kind] = [valueAt(content, 'spec', 'group'), valueAt(content, 'spec', 'names', 'kind')];
  if (typeof group !== 'string' || typeof kind !== 'string') return undefined;
  const versions = versionsOf(content);
  const former = valueAt(content, 'status', 'storedVersions');
  const stored = [
    ...versions.filter(({ isStored }) => isStored).map(({ name }) => name),
    ...(Array.isArray(former) ? former : []),
  ];
  const apiVersions = (names: readonly unknown[]): readonly string[] => [
    ...new Set(names.filter((name) => typeof name === 'string').map((name) => `${group}/${name}`)),
  ];
  return {
    kind: kindName({ apiVersion: `${group}/v1`, kind }),
    served: apiVersions(versions.filter(({ isServed }) => isServed).map(({ name }) => name)),
    stored: apiVersions(stored),
  };
}

/** Whether an object is of a kind that is known to belong to the whole cluster. */
export function isClusterKind(content: JsonObject): boolean {
  return CLUSTER_KINDS.has(kindOf(content));
}
