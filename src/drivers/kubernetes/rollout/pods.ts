import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { conditionOf, listAt, numberAt, textAt } from '../api/objectFields.ts';
import { digestOfImageId } from '../registry/imageReference.ts';
import type { TemplateContainer } from '../workloads/podTemplate.ts';

/** A container of a pod, with what its status tells. Its image is the one that the pod was specified with. */
export interface PodContainer extends Omit<TemplateContainer, 'hasReadinessProbe'> {
  /** Of the image that runs; undefined until it was pulled. */
  readonly digest: string | undefined;
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly restarts: number;
  /** Why it waits, such as ImagePullBackOff. */
  readonly waiting: { readonly reason: string; readonly message: string } | undefined;
  /** How it ended the last time. */
  readonly ended: { readonly reason: string; readonly exitCode: number } | undefined;
}

export interface Pod {
  readonly name: string;
  readonly uid: string | undefined;
  readonly createdAt: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: { readonly kind: string; readonly name: string } | undefined;
  readonly isTerminating: boolean;
  /** When a pod that ends is gone at the latest, unless its node is lost. */
  readonly endsAt: number | undefined;
  readonly phase: string;
  readonly isReady: boolean;
  /** Why no node takes it. */
  readonly unschedulable: string | undefined;
  readonly containers: readonly PodContainer[];
}

function containerOf(spec: unknown, status: unknown, isInit: boolean): PodContainer {
  const waiting = valueAt(status, 'state', 'waiting');
  const ended = valueAt(status, 'state', 'terminated') ?? valueAt(status, 'lastState', 'terminated');
  return {
    name: textAt(spec, 'name'),
    image: textAt(spec, 'image'),
    digest: digestOfImageId(textAt(status, 'imageID')),
    isInit,
    isReady: valueAt(status, 'ready') === true,
    isRunning: isObject(valueAt(status, 'state', 'running')),
    restarts: numberAt(status, 'restartCount') ?? 0,
    waiting: isObject(waiting) ? { reason: textAt(waiting, 'reason'), message: textAt(waiting, 'message') } : undefined,
    ended: isObject(ended)
      ? { reason: textAt(ended, 'reason'), exitCode: numberAt(ended, 'exitCode') ?? 0 }
      : undefined,
  };
}

/** Reads a pod. */
export function podOf(object: ClusterObject): Pod {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const containers = (['initContainers', 'containers'] as const).flatMap((list) =>
    listAt(object.spec, list).map((spec) => {
      const status = statuses.find((one) => valueAt(one, 'name') === valueAt(spec, 'name'));
      return containerOf(spec, status, list === 'initContainers');
    }),
  );
  const scheduled = conditionOf(object, 'PodScheduled');
  const isUnschedulable = textAt(scheduled, 'status') === 'False' && textAt(scheduled, 'reason') === 'Unschedulable';
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller);
  const deletion = object.metadata.deletionTimestamp;
  return {
    name: object.metadata.name,
    uid: object.metadata.uid,
    createdAt: Date.parse(object.metadata.creationTimestamp ?? '') || 0,
    labels: object.metadata.labels ?? {},
    owner: owner && { kind: owner.kind, name: owner.name },
    isTerminating: deletion !== undefined,
    endsAt: deletion === undefined ? undefined : Date.parse(deletion),
    phase: textAt(object.status, 'phase'),
    isReady: textAt(conditionOf(object, 'Ready'), 'status') === 'True',
    unschedulable: isUnschedulable ? textAt(scheduled, 'message') : undefined,
    containers,
  };
}

/** The workload of a pod. A ReplicaSet is named after its Deployment and the hash of its template, a Job of a CronJob after its time. */
function workloadNameOf({ owner }: Pod): string | undefined {
  if (owner === undefined) return undefined;
  if (owner.kind === 'ReplicaSet') return `Deployment/${owner.name.replace(/-[a-z\d]+$/, '')}`;
  if (owner.kind === 'Job') return `CronJob/${owner.name.replace(/-\d+$/, '')}`;
  return `${owner.kind}/${owner.name}`;
}

/** The pods of each workload, by `kind/name`. */
export type PodsByWorkload = ReadonlyMap<string, readonly Pod[]>;

export function groupPods(pods: readonly Pod[]): PodsByWorkload {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = workloadNameOf(pod);
    if (name === undefined) continue;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [pod]);
    else group.push(pod);
  }
  return groups;
}
