// Why the pods of a rollout are not ready: what can never succeed, and what takes long.
import type { ClusterObject } from '../api/clusterApi.ts';
import { conditionOf, textAt } from '../api/objectFields.ts';
import type { Pod, PodContainer } from './pods.ts';

/** A trouble of one pod. A permanent one fails the rollout at once; any other is reported while it lasts. */
export interface PodTrouble {
  readonly pod: string;
  readonly container: string | undefined;
  readonly isPermanent: boolean;
  readonly text: string;
  readonly advice: string;
  /** Whether the log of the container explains it: that before its restart, if it has ended. */
  readonly hasLog: boolean;
}

const MAX_RESTARTS = 3;

const NEVER: ReadonlySet<string> = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const PULL: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ImageInspectError',
  'RegistryUnavailable',
]);
/** What a registry answers if an image does not exist: another try gives the same answer. */
const ABSENT = /not found|manifest unknown|does not exist|repository .* denied|name unknown/i;

function imageTrouble({
  image,
  waiting,
}: PodContainer): Pick<PodTrouble, 'isPermanent' | 'text' | 'advice'> | undefined {
  const { reason = '', message = '' } = waiting ?? {};
  if (NEVER.has(reason))
    return {
      isPermanent: true,
      text: `the image ${image} cannot be used (${reason}): ${message}`,
      advice: 'Correct the image in the manifest, and import it again.',
    };
  if (!PULL.has(reason)) return undefined;
  return {
    isPermanent: ABSENT.test(message),
    text: `the image ${image} cannot be pulled (${reason}): ${message}`,
    advice: remedyOf(message) ?? 'Push the image to the registry, or correct its pull secret.',
  };
}

const CAUSES_OF_END: Readonly<Record<string, string>> = {
  OOMKilled: 'The container used more memory than its limit. Raise its memory limit, or correct what uses the memory.',
};

/** A container that runs and is not ready: its readiness or startup probe has not succeeded. */
function probeTrouble(pod: Pod, { name, isRunning, isReady, isInit }: PodContainer): PodTrouble | undefined {
  if (!isRunning || isReady || isInit) return undefined;
  return {
    pod: pod.name,
    container: name,
    isPermanent: false,
    text: `the container ${name} of the pod ${pod.name} runs and is not ready`,
    advice: 'Read the last log lines of the container. Correct what keeps it from being ready, or its readiness probe.',
    hasLog: true,
  };
}

function containerTrouble(pod: Pod, container: PodContainer): PodTrouble | undefined {
  const common = { pod: pod.name, container: container.name };
  const image = imageTrouble(container);
  if (image !== undefined) return { ...common, ...image, hasLog: false };
  const { waiting, ended, restarts, name } = container;
  const reason = waiting?.reason ?? '';
  if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError' || reason === 'RunContainerError')
    return {
      ...common,
      isPermanent: false,
      text: `the container ${name} cannot be started (${reason}): ${waiting?.message}`,
      advice:
        remedyOf(waiting?.message ?? '') ??
        'Correct what the message names: a ConfigMap, a Secret, a command or a port.',
      hasLog: false,
    };
  if (restarts === 0 && reason !== 'CrashLoopBackOff') return probeTrouble(pod, container);
  const how = ended === undefined ? '' : `, the last time with the exit code ${ended.exitCode} (${ended.reason})`;
  return {
    ...common,
    isPermanent: restarts >= MAX_RESTARTS,
    text: `the container ${name} has ended ${restarts === 1 ? 'once' : `${restarts} times`}${how}`,
    advice: CAUSES_OF_END[ended?.reason ?? ''] ?? 'Read the last log lines of the container, and correct what ends it.',
    hasLog: true,
  };
}

/** What helps against troubles that the cluster only describes. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /Multi-Attach|volume is already (?:exclusively )?attached/i,
    'Let the old pod end first (strategy Recreate): its volume can be attached to one node at a time.',
  ],
  [
    /unauthorized|authentication required|no basic auth|pull access denied/i,
    'Correct the pull secret that the workload or its service account names (imagePullSecrets): the registry refuses its credentials.',
  ],
  [/were unschedulable|node\.kubernetes\.io\/unschedulable/, 'Let the node take pods again: kubectl uncordon NODE.'],
  [
    /unbound immediate PersistentVolumeClaims|persistentvolumeclaim "[^"]*" (?:not found|is being deleted)/i,
    'Look at the claim (kubectl describe pvc), and give it a storage class or a volume that exists.',
  ],
  [
    /(?:configmap|secret) "[^"]*" not found|couldn't find key/i,
    'Create what is missing, or correct the reference to it.',
  ],
  [
    /liveness probe failed/i,
    'Correct what the liveness probe finds, or the probe itself: Kubernetes ends the container.',
  ],
  [/startup probe failed/i, 'Correct what the startup probe finds, or give the container more time.'],
  [/admission webhook|calling webhook/i, 'Change what the admission webhook refuses, or repair or remove the webhook.'],
  [/failed quota/i, 'Set the requests and limits that the quota demands.'],
  [/exceeded quota/i, 'Raise the quota, or let the workload replace a pod before it adds one (maxSurge 0).'],
  [/free ports/i, 'Let the old pod end first (maxSurge 0 or strategy Recreate): it still uses the host port.'],
  [/Insufficient |too many pods/i, 'Make room on a node, or lower the requests of the workload.'],
];

/** What to do about a trouble that the cluster describes; undefined if that is not known. */
export function remedyOf(text: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(text))?.[1];
}

/** A description by the cluster, with the remedy if it is known. */
export function explained(text: string): string {
  const remedy = remedyOf(text);
  return remedy === undefined ? text : `${text.replace(/\.?$/, '.')} ${remedy}`.replace(/\.$/, '');
}

/** What the controller of a workload says about its rollout: pods that it may not create, or that it is slow. */
export function controllerTrouble(object: ClusterObject): string | undefined {
  const failure = conditionOf(object, 'ReplicaFailure');
  if (textAt(failure, 'status') === 'True')
    return `pods cannot be created (${textAt(failure, 'reason')}): ${textAt(failure, 'message')}`;
  // A passed deadline is not final: the controller goes on, and the rollout may still complete.
  return textAt(conditionOf(object, 'Progressing'), 'reason') === 'ProgressDeadlineExceeded'
    ? 'it is slower than the progress deadline of the Deployment'
    : undefined;
}

/** The troubles of a pod, the one that explains most first. */
export function troublesOf(pod: Pod): readonly PodTrouble[] {
  if (pod.unschedulable !== undefined)
    return [
      {
        pod: pod.name,
        container: undefined,
        isPermanent: false,
        text: `no node takes the pod ${pod.name}: ${pod.unschedulable}`,
        advice: remedyOf(pod.unschedulable) ?? 'Make room on a node, or lower the requests of the workload.',
        hasLog: false,
      },
    ];
  return pod.containers.flatMap((one) => containerTrouble(pod, one) ?? []);
}
