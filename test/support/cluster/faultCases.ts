// Sixteen faults of a cluster in the middle of an upgrade, and what the last messages of the job must tell about each.
import { RIGHTS } from '../../../src/drivers/kubernetes/preflight/rights.ts';
import { pushedChecksum, removeImage, signalPart } from './cluster.ts';
import { kubectl } from './kubectl.ts';
import { until } from '../run/until.ts';
import type { AppImages } from './appVersions.ts';
import type { Scenario } from './scenario.ts';
import type { ServiceAccount } from './serviceAccount.ts';
import { hookObject } from './workloadObjects.ts';

export const FIRST = 'faults-first';
export const NAME = 'faults-app';
export const MISSING = 'faults-missing';
const NODE = 'node1';

/** What one case breaks: each has its own application. */
export interface FaultWorld {
  readonly scenario: Scenario;
  readonly account: ServiceAccount;
  /** The images before the upgrade. */
  readonly before: AppImages;
}

export interface FaultCase {
  readonly title: string;
  /** Whether it is among the few that every run of the gate has. */
  readonly isInGate?: true;
  /** The Deployment of the second wave; by default `web`. */
  readonly workload?: 'ports' | 'disk';
  /** Where its new image is, if not in the registry of the cluster. */
  readonly image?: 'missing' | 'private';
  /** What is installed, if not the patch. */
  readonly version?: typeof RELEASE;
  /** What the containers with the new image of the second wave do. */
  readonly switch?: 'crash' | 'hold' | 'dead';
  /** Provokes the fault before the job begins, or while its first wave is held. */
  readonly before?: (world: FaultWorld) => Promise<void> | void;
  readonly inTheMiddle?: (world: FaultWorld) => Promise<void> | void;
  /** Provokes it after the first wave is complete, while the second is held. */
  readonly atLast?: (world: FaultWorld) => Promise<void> | void;
  /** Removes it, when the job has ended. */
  readonly repair?: (world: FaultWorld) => Promise<void> | void;
  readonly ends?: 'failed';
  /** What the last messages say: the cause, and what to do. */
  readonly cause: RegExp;
  readonly advice: RegExp;
}

export const PATCH = 'pat_1.0.101';
export const RELEASE = 'rel_2.0.200';

const QUOTA = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'small' } };
export const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'fast' } };
export const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shop-key' }, stringData: { key: 'k' } };

function webhook(namespace: string) {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: namespace },
    webhooks: [
      {
        name: 'pods.faults.test',
        // Nothing listens there.
        clientConfig: { url: 'https://127.0.0.1:1/' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { faults: namespace } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
}

/** Puts the image of before back, as a tool does that reconciles. */
async function revert({ scenario, before }: FaultWorld): Promise<void> {
  const spec = { template: { spec: { containers: [{ name: 'app', image: before['Deployment/first/app']?.tagged }] } } };
  await scenario.applyAs('shop-operator', {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'first' },
    spec,
  });
}

export const FAULTS: readonly FaultCase[] = [
  {
    title: 'an image that is missing in the registry',
    image: 'missing',
    inTheMiddle: async () => removeImage(MISSING, (await pushedChecksum(MISSING, '2.0')) ?? ''),
    cause: /Deployment\/web: the image \S+faults-missing\S+ cannot be pulled \(\w+\): .*(?:manifest unknown|not found)/,
    advice: /Push the image to the registry/,
  },
  {
    title: 'a container that ends again and again',
    switch: 'crash',
    cause:
      /the container app has ended (?:once|\d+ times), .*exit code 3[^]*fatal: the index of faults-app 2\.0 is damaged/,
    advice: /Read the last log lines of the container/,
  },
  {
    title: 'a readiness probe that never succeeds',
    switch: 'hold',
    cause:
      /`Deployment\/web` was not done within \d+ s.*the container app of the pod web-\S+ runs and is not ready; Unhealthy: Readiness probe failed[^]*starting faults-app 2\.0/,
    advice: /Correct what keeps it from being ready, or its readiness probe/,
  },
  {
    title: 'a node that is cordoned',
    inTheMiddle: async () => void (await kubectl('cordon', NODE)),
    repair: async () => void (await kubectl('uncordon', NODE)),
    ends: 'failed',
    cause: /no node takes the pod web-\S+: 0\/1 nodes are available: .*unschedulable/,
    advice: /Let the node take pods again: kubectl uncordon/,
  },
  {
    title: 'a quota that is exceeded',
    inTheMiddle: ({ scenario }) => scenario.apply({ ...QUOTA, spec: { hard: { pods: '1' } } }),
    repair: ({ scenario }) => scenario.remove('resourcequota', 'small'),
    ends: 'failed',
    cause: /exceeded quota: small, .*the quota small has pods used \d, hard 1/,
    advice: /Raise the quota/,
  },
  {
    title: 'a right that is taken away',
    isInGate: true,
    inTheMiddle: ({ account }) =>
      account.grant(RIGHTS.map((one) => ({ ...one, verbs: one.verbs.filter((verb) => verb !== 'patch') }))),
    repair: ({ account }) => account.grant(RIGHTS),
    ends: 'failed',
    cause:
      /lacks the permission to patch deployments in the namespace steward-test-\S+: [^]*The system stays in read-only mode/,
    advice: /Add this rule to its Role: \{apiGroups: \["apps"\], resources: \["deployments"\], verbs: \["patch"\]\}/,
  },
  {
    title: 'an API server that does not answer until the time limit',
    inTheMiddle: () => signalPart('apiserver', 'SIGSTOP'),
    repair: () => signalPart('apiserver', 'SIGCONT'),
    ends: 'failed',
    cause: /The deployment did not answer for \d+ s/,
    advice: /Check that the API of the deployment is up/,
  },
  {
    title: 'a registry that refuses the credentials',
    image: 'private',
    cause: /the image 127\.0\.0\.1:\d+\/shop\S* cannot be pulled \(\w+\): .*(?:unauthorized|no basic auth credentials)/,
    advice: /Correct the pull secret/,
  },
  {
    title: 'a ConfigMap that is missing',
    isInGate: true,
    inTheMiddle: ({ scenario }) => scenario.remove('configmap', 'settings'),
    repair: ({ scenario }) => scenario.apply(CONFIG),
    cause: /the container app cannot be started \(CreateContainerConfigError\): configmap "settings" not found/,
    advice: /Create what is missing/,
  },
  {
    title: 'a Secret that is missing',
    inTheMiddle: ({ scenario }) => scenario.remove('secret', 'shop-key'),
    repair: ({ scenario }) => scenario.apply(SECRET),
    cause: /the container app cannot be started \(CreateContainerConfigError\): secret "shop-key" not found/,
    advice: /Create what is missing/,
  },
  {
    title: 'a liveness probe that ends the container',
    switch: 'dead',
    cause: /Liveness probe failed/,
    advice: /Correct what the liveness probe finds/,
  },
  {
    title: 'a host port that the former pod keeps',
    workload: 'ports',
    cause: /no node takes the pod ports-\S+: 0\/1 nodes are available: .*free ports/,
    advice: /Let the old pod end first \(maxSurge 0 or strategy Recreate\)/,
  },
  {
    title: 'an admission webhook that does not answer',
    inTheMiddle: async ({ scenario }) => {
      await kubectl('label', 'namespace', scenario.name, `faults=${scenario.name}`);
      await scenario.apply(webhook(scenario.name));
    },
    repair: ({ scenario }) => scenario.remove('validatingwebhookconfiguration', scenario.name),
    ends: 'failed',
    cause: /pods cannot be created \(FailedCreate\): .*failed calling webhook "pods\.faults\.test"/,
    advice: /repair or remove the webhook/,
  },
  {
    title: 'a hook that fails',
    version: RELEASE,
    before: async ({ scenario, before }) => {
      const image = before['Deployment/web/app']?.tagged ?? '';
      const command = ['sh', '-c', 'echo "fatal: the disk is full"; exit 4'];
      await scenario.apply(hookObject('backup', { name: 'copy', image, command }));
    },
    repair: ({ scenario }) => scenario.remove('cronjob', 'backup'),
    cause: /The Job steward-backup-\S+ of the hook backup has failed: [^]*fatal: the disk is full/,
    advice: /Correct what the log lines name/,
  },
  {
    title: 'a claim that is gone',
    workload: 'disk',
    inTheMiddle: async ({ scenario }) => {
      await scenario.remove('pvc', 'data');
      // The pod of before still uses the claim, which therefore stays until nothing holds it.
      await scenario.patch('pvc', 'data', { metadata: { finalizers: null } });
      await until('the claim is gone', async () => (await scenario.read('pvc', 'data')) === undefined);
    },
    cause: /no node takes the pod disk-\S+: .*persistentvolumeclaim "data" not found/,
    advice: /Look at the claim \(kubectl describe pvc\)/,
  },
  {
    title: 'another controller that reverts an image',
    atLast: revert,
    cause: /The image of `Deployment\/first` was changed by `shop-operator` during the job/,
    advice: /Stop what writes as `shop-operator`/,
  },
];
