// The application of the tests of faults: a Deployment in each of two waves. A fault breaks the second.
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { LABELS } from '../../../src/drivers/kubernetes/workloads/labels.ts';
import { CONFIG, SECRET } from './faultCases.ts';
import type { Scenario } from './scenario.ts';

const SERVE = [
  'read v </version',
  'echo "starting $v"',
  'if [ -e "/switch/crash $v" ]; then echo "fatal: the index of $v is damaged"; exit 3; fi',
  'exec /bin/busybox sleep 2000000',
].join('\n');
const PROBE_TIMES = { periodSeconds: 4, timeoutSeconds: 20 };

function probe(files: readonly string[], more: object = {}): object {
  const command = [
    '/bin/busybox',
    'sh',
    '-c',
    `read v </version; for f in ${files.join(' ')}; do ! [ -e "/switch/$f $v" ] || exit 1; done`,
  ];
  return { exec: { command }, ...PROBE_TIMES, ...more };
}

interface Parts {
  readonly container?: object;
  readonly volumes?: readonly object[];
}

function deployment(name: string, wave: number, image: string, switches: string, parts: Parts = {}): ClusterObject {
  const app = {
    name: 'app',
    image,
    command: ['/bin/busybox', 'sh', '-c', SERVE],
    readinessProbe: probe(['hold', 'dead']),
    volumeMounts: [{ name: 'switch', mountPath: '/switch' }],
    ...parts.container,
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { 'steward/upgrade': 'true', [LABELS.wave]: String(wave) } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          hostNetwork: true,
          automountServiceAccountToken: false,
          terminationGracePeriodSeconds: 1,
          containers: [app],
          volumes: [{ name: 'switch', hostPath: { path: switches } }, ...(parts.volumes ?? [])],
        },
      },
    },
  };
}

function claim(name: string): readonly object[] {
  const claimed = { storageClassName: name, accessModes: ['ReadWriteOnce'] };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { ...claimed, capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { ...claimed, resources: { requests: { storage: '1Gi' } } },
    },
  ];
}

const ENV = [
  { name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } },
  { name: 'KEY', valueFrom: { secretKeyRef: { name: 'shop-key', key: 'key' } } },
];
const SECOND: Readonly<Record<string, Parts>> = {
  web: { container: { env: ENV, livenessProbe: probe(['dead'], { failureThreshold: 1 }) } },
  ports: { container: { ports: [{ containerPort: 28_080 }] } },
  disk: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
};

/** The objects of the application, with these images. */
export function faultObjects(
  { name, switchFolder }: Pick<Scenario, 'name' | 'switchFolder'>,
  images: Readonly<Record<string, string>>,
): readonly ClusterObject[] {
  const deployments = Object.entries(images).map(([workload, image]) =>
    deployment(workload, workload === 'first' ? 10 : 20, image, switchFolder, SECOND[workload]),
  );
  return [CONFIG, SECRET, ...('disk' in images ? claim(name) : []), ...deployments] as readonly ClusterObject[];
}
