import { valueAt } from '../../../foundation/schema/json.ts';
import type { Image } from '../../../model/workload.ts';
import type { ClusterObject } from '../api/clusterApi.ts';
import { listAt, textAt } from '../api/objectFields.ts';

export const WORKLOAD_KINDS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** An object that is a workload. */
export interface FoundWorkload {
  readonly kind: WorkloadKind;
  readonly object: ClusterObject;
}

/** Where a pod template is in an object of each kind. */
const TEMPLATE_PATH: Readonly<Record<WorkloadKind, readonly string[]>> = {
  Deployment: ['template'],
  StatefulSet: ['template'],
  DaemonSet: ['template'],
  CronJob: ['jobTemplate', 'spec', 'template'],
};

export interface TemplateContainer {
  readonly name: string;
  readonly image: string;
  readonly isInit: boolean;
  readonly hasReadinessProbe: boolean;
}

export function isWorkloadKind(kind: string | undefined): kind is WorkloadKind {
  return WORKLOAD_KINDS.some((one) => one === kind);
}

function containersIn(spec: unknown, list: 'containers' | 'initContainers'): readonly TemplateContainer[] {
  return listAt(spec, list).map((one) => ({
    name: textAt(one, 'name'),
    image: textAt(one, 'image'),
    isInit: list === 'initContainers',
    hasReadinessProbe: valueAt(one, 'readinessProbe') !== undefined,
  }));
}

export function podSpecOf(kind: WorkloadKind, { spec }: ClusterObject): unknown {
  return valueAt(spec, ...TEMPLATE_PATH[kind], 'spec');
}

/** The init containers and containers of a workload. */
export function templateContainers(kind: WorkloadKind, object: ClusterObject): readonly TemplateContainer[] {
  const spec = podSpecOf(kind, object);
  return [...containersIn(spec, 'initContainers'), ...containersIn(spec, 'containers')];
}

/** Whether a workload is configured with these images. */
export function isConfigured({ kind, object }: FoundWorkload, images: readonly Image[]): boolean {
  const present = new Map(templateContainers(kind, object).map(({ name, image }) => [name, image]));
  return images.every(({ container, image }) => present.get(container) === image);
}

/** The smallest spec that sets these images: what server-side apply owns afterwards, and nothing else. */
export function imagesPatch(
  kind: WorkloadKind,
  present: readonly TemplateContainer[],
  images: readonly { readonly container: string; readonly image: string }[],
): object {
  const named = (isInit: boolean) =>
    present
      .filter((one) => one.isInit === isInit)
      .flatMap(({ name }) =>
        images.filter(({ container }) => container === name).map(({ image }) => ({ name, image })),
      );
  const [initContainers, containers] = [named(true), named(false)];
  const podSpec = {
    ...(initContainers.length > 0 && { initContainers }),
    ...(containers.length > 0 && { containers }),
  };
  return TEMPLATE_PATH[kind].toReversed().reduce<object>((inner, key) => ({ [key]: inner }), { spec: podSpec });
}
