// An application of nearly every kind, as the bundles of three versions. What changes from one to the next is in one place.
import type { AppImages, ImageEntry } from '../appVersions.ts';
import type { JsonFields } from './clusterFacts.ts';

/** 1.0 is applied with kubectl. 2.0 adds, removes and changes; 3.0 does so again. */
export type Edition = 1 | 2 | 3;

export interface ApplicationOptions {
  /** The definition and the storage class have this name, because they belong to the whole cluster. */
  readonly namespace: string;
  /** The value of the Secret in each edition is this text with the number. */
  readonly secret: string;
  /** By the number of the edition. */
  readonly images: Readonly<Record<Edition, ImageEntry>>;
}

const BUSYBOX = '/bin/busybox';
const SLEEP = ['sleep', '2000000'];

function object(apiVersion: string, kind: string, name: string, more: object = {}): JsonFields {
  const { metadata = {}, ...rest } = more as { readonly metadata?: JsonFields };
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
}

interface WorkloadSpec {
  readonly wave: number;
  readonly image: string;
  readonly container?: object;
  readonly pod?: object;
  readonly spec?: object;
}

function workload(kind: string, name: string, { wave, image, container, pod, spec }: WorkloadSpec): JsonFields {
  const app = { name: 'app', image, command: [BUSYBOX, ...SLEEP], ...container };
  const podSpec = {
    hostNetwork: true,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 1,
    containers: [app],
    ...pod,
  };
  return object('apps/v1', kind, name, {
    metadata: { labels: { 'steward/upgrade': 'true', 'steward/wave': String(wave) } },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: podSpec },
      ...spec,
    },
  });
}

const PROBE = { exec: { command: [BUSYBOX, 'true'] }, periodSeconds: 4, timeoutSeconds: 20 };
const READS = { envFrom: [{ configMapRef: { name: 'settings' } }] };

function web(edition: Edition, image: string): JsonFields {
  const key = { name: 'KEY', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } };
  const env = [
    key,
    { name: 'EDITION', value: String(edition) },
    edition === 1 ? { name: 'OLD_ONLY', value: 'yes' } : { name: 'NEW_ONLY', value: 'yes' },
    ...(edition === 3 ? [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }] : []),
  ];
  const limits = { memory: edition === 3 ? '96Mi' : '0.0625Gi' };
  const resources = {
    requests: { cpu: edition === 1 ? '0.01' : '12m', memory: '16Mi' },
    ...(edition > 1 && { limits }),
  };
  return workload('Deployment', 'web', {
    wave: 20,
    image,
    container: { ...READS, env, resources },
    spec: { replicas: 2 },
  });
}

function store(edition: Edition, image: string): JsonFields {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  return workload('StatefulSet', 'store', {
    wave: 10,
    image,
    container: { volumeMounts, ...(edition > 1 && { readinessProbe: PROBE }) },
    pod: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    spec: { serviceName: 'store', replicas: 1 },
  });
}

/** Has the same image in all editions: 2.0 changes its resources, and 3.0 the configuration that it reads. */
function agent(edition: Edition, image: string): JsonFields {
  const resources = { requests: { memory: edition === 1 ? '8Mi' : '12Mi' } };
  return workload('DaemonSet', 'agent', { wave: 30, image, container: { ...READS, resources } });
}

function workloads({ images }: ApplicationOptions, edition: Edition): readonly JsonFields[] {
  const { tagged: image } = images[edition];
  const extra = workload('Deployment', edition === 1 ? 'legacy' : 'reports', { wave: 20, image });
  return [
    store(edition, image),
    web(edition, image),
    agent(edition, images[1].tagged),
    ...(edition === 3 ? [] : [extra]),
  ];
}

/** The kind that the application defines. */
function widgets(namespace: string) {
  const group = `${namespace}.test`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    group,
    definition: (edition: Edition): JsonFields =>
      object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `widgets.${group}`, {
        spec: {
          group,
          scope: 'Namespaced',
          names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
          versions: [
            { name: 'v1', served: true, storage: true, schema },
            ...(edition === 1 ? [] : [{ name: 'v2', served: true, storage: false, schema }]),
          ],
        },
      }),
  };
}

function rights(edition: Edition): readonly JsonFields[] {
  const RBAC = 'rbac.authorization.k8s.io';
  const resources = ['configmaps', ...(edition === 3 ? ['secrets'] : [])];
  return [
    object('v1', 'ServiceAccount', 'app'),
    object(`${RBAC}/v1`, 'Role', 'app', { rules: [{ apiGroups: [''], resources, verbs: ['get', 'list'] }] }),
    object(`${RBAC}/v1`, 'RoleBinding', 'app', {
      subjects: [{ kind: 'ServiceAccount', name: 'app' }],
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'app' },
    }),
  ];
}

function configuration({ secret }: ApplicationOptions, edition: Edition): readonly JsonFields[] {
  const data = { MODE: ['a', 'b', 'c'][edition - 1], ...(edition === 1 ? { LEVEL: 'low' } : { SPEED: 'high' }) };
  return [
    object('v1', 'ConfigMap', 'settings', { data }),
    ...(edition === 3 ? [] : [object('v1', 'ConfigMap', edition === 1 ? 'old' : 'extra', { data: { on: 'yes' } })]),
    object('v1', 'Secret', 'keys', { stringData: { token: `${secret}${edition}` } }),
  ];
}

function network(edition: Edition): readonly JsonFields[] {
  const ports = [{ name: 'http', port: edition === 3 ? 8080 : 80, targetPort: 8080 }];
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const selector = { matchLabels: { app: 'web' } };
  return [
    object('v1', 'Service', 'web', { spec: { selector: { app: 'web' }, ports } }),
    object('autoscaling/v1', 'HorizontalPodAutoscaler', 'web', {
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: edition + 3 },
    }),
    object('policy/v1beta1', 'PodDisruptionBudget', 'web', { spec: { maxUnavailable: edition, selector } }),
  ];
}

function claim({ namespace }: ApplicationOptions): JsonFields {
  return object('v1', 'PersistentVolumeClaim', 'data', {
    spec: {
      storageClassName: namespace,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  });
}

/** The volume for the claim: it is there before the application. */
export function preparedVolume(namespace: string): JsonFields {
  return object('v1', 'PersistentVolume', namespace, {
    spec: {
      storageClassName: namespace,
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      hostPath: { path: '/tmp' },
    },
  });
}

/** All objects of an edition, those that others need first. */
export function applicationObjects(options: ApplicationOptions, edition: Edition): readonly JsonFields[] {
  const { definition, group } = widgets(options.namespace);
  return [
    definition(edition),
    ...rights(edition),
    ...configuration(options, edition),
    claim(options),
    object(`${group}/v1`, 'Widget', 'main', { spec: { size: edition, ...(edition === 1 && { colour: 'red' }) } }),
    ...workloads(options, edition),
    ...network(edition),
  ];
}

/** The images of an edition, as its manifest names them. */
export function applicationImages(objects: readonly JsonFields[], { images }: ApplicationOptions): AppImages {
  const entries = Object.values(images);
  return Object.fromEntries(
    objects.flatMap((one) => {
      const { kind, metadata, spec } = one as unknown as {
        readonly kind: string;
        readonly metadata: { readonly name: string };
        readonly spec?: {
          readonly template?: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
        };
      };
      const image = spec?.template?.spec.containers[0]?.image;
      const entry = entries.find(({ tagged }) => tagged === image);
      return entry === undefined ? [] : [[`${kind}/${metadata.name}/app`, entry]];
    }),
  );
}
