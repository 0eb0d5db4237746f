// Builds workloads that run on the cluster of the tests: it has no pod network and no service account tokens in pods.
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { LABELS } from '../../../src/drivers/kubernetes/workloads/labels.ts';
import type { WorkloadKind } from '../../../src/drivers/kubernetes/workloads/podTemplate.ts';

export interface TestContainer {
  readonly name: string;
  readonly image: string;
  /** Arguments of busybox, such as `['sh', '-c', …]`; by default a container sleeps, and an init container ends. */
  readonly command?: readonly string[];
  /** By default the container is ready as soon as it runs. */
  readonly readinessCommand?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

export interface TestWorkload {
  readonly kind: WorkloadKind;
  readonly name: string;
  readonly containers: readonly TestContainer[];
  readonly initContainers?: readonly TestContainer[];
  readonly replicas?: number;
  readonly wave?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** A folder of this machine that the containers see as `/switch`. */
  readonly switchFolder?: string;
  /** More fields of the pod, and of the spec. */
  readonly podSpec?: object;
  readonly spec?: object;
}

const SLEEP = ['sleep', '2000000'];
const VOLUME = 'switch';
// Each probe starts a program in the container: twelve pods that are probed every second keep two cores busy, and are then late.
const PROBE_TIMES = { periodSeconds: 4, timeoutSeconds: 20 };

function containerOf(
  { name, image, command, readinessCommand, env }: TestContainer,
  isInit: boolean,
  isSwitched: boolean,
): object {
  return {
    name,
    image,
    command: ['/bin/busybox', ...(command ?? (isInit ? ['true'] : SLEEP))],
    ...(env && { env }),
    ...(readinessCommand && {
      readinessProbe: { exec: { command: ['/bin/busybox', ...readinessCommand] }, ...PROBE_TIMES },
    }),
    ...(isSwitched && { volumeMounts: [{ name: VOLUME, mountPath: '/switch' }] }),
  };
}

function podSpecOf({ containers, initContainers = [], switchFolder, podSpec }: TestWorkload): object {
  const isSwitched = switchFolder !== undefined;
  return {
    hostNetwork: true,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: containers.map((one) => containerOf(one, false, isSwitched)),
    ...(initContainers.length > 0 && {
      initContainers: initContainers.map((one) => containerOf(one, true, isSwitched)),
    }),
    ...(isSwitched && { volumes: [{ name: VOLUME, hostPath: { path: switchFolder } }] }),
    ...podSpec,
  };
}

const DATELESS_SCHEDULE = '0 0 1 1 *';

/** Builds a workload that Steward upgrades. A CronJob runs once a year. */
export function workloadObject(workload: TestWorkload): ClusterObject {
  const { kind, name, replicas = 1, wave, labels, annotations, spec } = workload;
  const metadata = {
    name,
    labels: { 'steward/upgrade': 'true', ...(wave !== undefined && { [LABELS.wave]: String(wave) }), ...labels },
    ...(annotations && { annotations }),
  };
  const template = { metadata: { labels: { app: name } }, spec: podSpecOf(workload) };
  if (kind === 'CronJob') {
    const jobTemplate = { spec: { backoffLimit: 0, template: restartedNever(template) } };
    return { kind, metadata, spec: { schedule: DATELESS_SCHEDULE, jobTemplate, ...spec } };
  }
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata,
    spec: {
      selector: { matchLabels: { app: name } },
      template,
      ...(kind === 'StatefulSet' && { serviceName: name }),
      ...(kind !== 'DaemonSet' && { replicas }),
      ...spec,
    },
  };
}

function restartedNever(template: { readonly metadata: object; readonly spec: object }): object {
  return { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
}

/** Builds the template of a hook: a suspended CronJob with its label. */
export function hookObject(hook: string, container: TestContainer, more: Partial<TestWorkload> = {}): ClusterObject {
  return workloadObject({
    kind: 'CronJob',
    name: hook.toLowerCase(),
    containers: [container],
    ...more,
    labels: { [LABELS.hook]: hook, ...more.labels },
    spec: { suspend: true, ...more.spec },
  });
}
