import { valueAt } from '../../foundation/schema/json.ts';
import type { Workload } from '../../model/workload.ts';
import type { ClusterObject } from './api/clusterApi.ts';
import type { IsSameImage } from './registry/imageFinder.ts';
import { parseReference } from './registry/imageReference.ts';
import { runningRollout, shortageOf } from './rollout/gate.ts';
import type { Pod } from './rollout/pods.ts';
import { DEFAULT_WAVE, LABELS } from './workloads/labels.ts';
import { managersOf } from './workloads/managers.ts';
import type { TemplateContainer, WorkloadKind } from './workloads/podTemplate.ts';
import { isWorkloadKind, templateContainers } from './workloads/podTemplate.ts';

/** Reads a label; an annotation of the same name takes precedence, because it may have any value. */
function marked({ metadata: { labels, annotations } }: ClusterObject, name: string): string | undefined {
  return annotations?.[name] ?? labels?.[name];
}

function waveOf(object: ClusterObject): number {
  const wave = marked(object, LABELS.wave);
  return wave !== undefined && /^\d{1,9}$/.test(wave) ? Number(wave) : DEFAULT_WAVE;
}

/** Why a new image would not run. */
export function obstacleOf({ spec }: ClusterObject): string | undefined {
  if (valueAt(spec, 'paused') === true) return 'its rollout is paused; resume it with kubectl rollout resume';
  if (valueAt(spec, 'updateStrategy', 'type') === 'OnDelete')
    return 'its update strategy is OnDelete, so that a new image would not run; set RollingUpdate';
  const partition = valueAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  if (typeof partition === 'number' && partition > 0)
    return `the partition ${partition} of its rolling update keeps replicas from the new image; set it to 0`;
  return undefined;
}

/** The digests of a container in the pods that run. */
function runningDigests({ name }: TemplateContainer, pods: readonly Pod[]): readonly string[] {
  const digests = pods
    .filter(({ isTerminating, phase }) => !isTerminating && phase === 'Running')
    .flatMap(({ containers }) => containers.filter((one) => one.name === name).flatMap(({ digest }) => digest ?? []));
  return [...new Set(digests)];
}

/**
 * The digest of the image that runs. Where no pod runs, it is the one that the reference names; if the pods run different
 * images, it is unknown.
 */
function checksumOf(container: TemplateContainer, pods: readonly Pod[], isSame: IsSameImage): string | undefined {
  const named = parseReference(container.image).digest;
  const running = runningDigests(container, pods);
  if (named !== undefined && running.every((digest) => isSame(named, digest))) return named;
  return running.length === 1 ? running[0] : undefined;
}

/** `Deployment/web` as kind and name. */
export function splitName(workload: string): { readonly kind: WorkloadKind; readonly name: string } | undefined {
  const [kind, name] = workload.split('/');
  return isWorkloadKind(kind) && name !== undefined ? { kind, name } : undefined;
}

/** What the description of a workload depends on besides the cluster. */
export interface WorkloadRules {
  /** Managers whose fields are taken over although they are in no list. */
  readonly takeOverFrom: ReadonlySet<string>;
  readonly isSame: IsSameImage;
  /** Managers whose source of the workload is paused. */
  readonly pausedSources?: readonly string[] | undefined;
}

/** Whether a pod of a workload that should have some runs. */
function isRunning(kind: WorkloadKind, { spec }: ClusterObject, pods: readonly Pod[]): boolean | undefined {
  const isNoneWanted = kind === 'CronJob' || valueAt(spec, 'replicas') === 0;
  // A DaemonSet may have no node.
  if (isNoneWanted || (kind === 'DaemonSet' && pods.length === 0)) return undefined;
  return pods.some(({ isTerminating, phase }) => !isTerminating && phase === 'Running');
}

/** Where a workload belongs, by its labels and annotations. */
export function placeOf(object: ClusterObject): Pick<Workload, 'component' | 'module' | 'wave' | 'isSteward'> {
  const component = marked(object, LABELS.component) ?? object.metadata.name;
  return {
    component,
    module: marked(object, LABELS.module) ?? component,
    wave: waveOf(object),
    isSteward: marked(object, LABELS.self) === 'true',
  };
}

/** Describes an object of the cluster as a workload. */
export function workloadOf(
  kind: WorkloadKind,
  object: ClusterObject,
  pods: readonly Pod[],
  { takeOverFrom, isSame, pausedSources }: WorkloadRules,
): Workload {
  return {
    name: `${kind}/${object.metadata.name}`,
    ...placeOf(object),
    images: templateContainers(kind, object).map((container) => ({
      container: container.name,
      image: container.image,
      checksum: checksumOf(container, pods, isSame),
    })),
    rollout: runningRollout(kind, object),
    isRunning: isRunning(kind, object, pods),
    trouble: shortageOf(kind, object),
    blocked: obstacleOf(object),
    managers: managersOf(object, takeOverFrom, pausedSources),
    expectedMs: undefined,
  };
}
