// An application in a namespace of the test cluster, what it really runs, and Steward processes beside it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { listAt, textAt } from '../../../src/drivers/kubernetes/api/objectFields.ts';
import { valueAt } from '../../../src/foundation/schema/json.ts';
import { temporaryFolder } from '../run/runFolder.ts';
import { until } from '../run/until.ts';
import type { Fields } from '../server/client.ts';
import { networkTransport } from '../server/client.ts';
import type { StewardProcess } from '../server/stewardProcess.ts';
import { startSteward } from '../server/stewardProcess.ts';
import { ADMIN_KUBECONFIG } from './cluster.ts';
import { kubectl } from './kubectl.ts';
import type { TestNamespace } from './testNamespace.ts';
import { openNamespace } from './testNamespace.ts';
import type { UpgradeCalls } from './upgradeCalls.ts';
import { upgradeCalls } from './upgradeCalls.ts';
import type { TestWorkload } from './workloadObjects.ts';
import { workloadObject } from './workloadObjects.ts';

const SERVE = [
  'read v </version',
  'echo "starting $v"',
  'if [ -e "/switch/crash $v" ]; then echo "fatal: the index of $v is damaged"; exit 3; fi',
  'exec /bin/busybox sleep 2000000',
].join('\n');
const IS_READY = 'read v </version; ! [ -e "/switch/hold $v" ]';

/** A workload of the application: images by the names of their containers. */
export interface AppWorkload extends Omit<TestWorkload, 'containers' | 'initContainers'> {
  readonly containers: Readonly<Record<string, string>>;
  readonly initContainers?: Readonly<Record<string, string>>;
}

export interface RunningPod {
  readonly name: string;
  readonly isReady: boolean;
  /** The digests of its images, by `workload/container`. */
  readonly digests: Readonly<Record<string, string>>;
}

export type ClusterSteward = UpgradeCalls & Pick<StewardProcess, 'end' | 'log'>;

export interface Scenario extends TestNamespace {
  /** The folder of this machine that the containers see as `/switch`. */
  readonly switchFolder: string;
  /** Keeps the containers with an image ("NAME TAG") from becoming ready, until `release`. */
  hold(version: string): void;
  release(version: string): void;
  /** Makes the containers with an image end as soon as they start, with a log line that says so. */
  crash(version: string): void;
  /** Applies workloads as `kubectl apply` does, and waits until their pods are ready. */
  install(workloads: readonly AppWorkload[]): Promise<void>;
  /** Applies a file of YAML. */
  applyText(text: string): Promise<void>;
  /** The configured images, by `kind/workload/container`. */
  configured(): Promise<Readonly<Record<string, string>>>;
  /** The pods of the workloads that are not ending. */
  pods(): Promise<readonly RunningPod[]>;
  /** The mode that the workloads can read. */
  mode(): Promise<unknown>;
  /** The reasons of the events that Steward has recorded, oldest first. */
  events(): Promise<readonly string[]>;
  /** Starts Steward, on a data folder of this name. */
  steward(env?: Fields, data?: string): Promise<ClusterSteward>;
  /** Kills all Stewards of the scenario. */
  endServers(): Promise<void>;
  close(): Promise<void>;
}

function appObject(workload: AppWorkload, switchFolder: string): ClusterObject {
  const { containers, initContainers = {}, ...rest } = workload;
  return workloadObject({
    ...rest,
    switchFolder,
    containers: Object.entries(containers).map(([name, image]) => ({
      name,
      image,
      command: ['sh', '-c', SERVE],
      readinessCommand: ['sh', '-c', IS_READY],
    })),
    initContainers: Object.entries(initContainers).map(([name, image]) => ({ name, image })),
  });
}

function podOf({ metadata, status }: ClusterObject): RunningPod {
  const statuses = [...listAt(status, 'initContainerStatuses'), ...listAt(status, 'containerStatuses')];
  const digests = statuses.map((one): [string, string] => [
    `${metadata.labels?.['app']}/${textAt(one, 'name')}`,
    /sha256:[\da-f]{64}/.exec(textAt(one, 'imageID'))?.[0] ?? '',
  ]);
  const ready = listAt(status, 'conditions').find((one) => valueAt(one, 'type') === 'Ready');
  return { name: metadata.name, isReady: textAt(ready, 'status') === 'True', digests: Object.fromEntries(digests) };
}

function imagesIn({ kind, metadata, spec }: ClusterObject): readonly (readonly [string, string])[] {
  const pod = valueAt(spec, 'template', 'spec') ?? valueAt(spec, 'jobTemplate', 'spec', 'template', 'spec');
  return [...listAt(pod, 'initContainers'), ...listAt(pod, 'containers')].map((one) => [
    `${kind}/${metadata.name}/${textAt(one, 'name')}`,
    textAt(one, 'image'),
  ]);
}

function isEnding({ metadata }: ClusterObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isHook({ metadata }: ClusterObject): boolean {
  return metadata.labels?.['steward/hook'] !== undefined;
}

/** Says what the objects of a namespace show. */
function views(namespace: TestNamespace): Pick<Scenario, 'configured' | 'pods' | 'mode' | 'events'> {
  return {
    configured: async () => {
      const all = await namespace.list('deployments,statefulsets,daemonsets,cronjobs');
      return Object.fromEntries(all.filter((one) => !isHook(one)).flatMap(imagesIn));
    },
    pods: async () =>
      (await namespace.list('pods'))
        .filter((one) => !isEnding(one) && one.metadata.labels?.['job-name'] === undefined)
        .map(podOf),
    mode: async () => valueAt(await namespace.read('configmap', 'steward-mode'), 'data'),
    events: async () =>
      (await namespace.list('events'))
        .filter((one) => textAt(one, 'source', 'component') === 'steward')
        .toSorted((one, other) => textAt(one, 'firstTimestamp').localeCompare(textAt(other, 'firstTimestamp')))
        .map((one) => textAt(one, 'reason')),
  };
}

/** Makes a namespace with an empty application. Close it after the test. */
export async function openScenario(): Promise<Scenario> {
  const folder = temporaryFolder();
  const namespace = await openNamespace();
  const switches = join(folder.path, 'switch');
  mkdirSync(switches);
  const servers: StewardProcess[] = [];
  const seen = views(namespace);
  const endServers = async (): Promise<void> => {
    await Promise.all(servers.map((one) => one.end('SIGKILL')));
  };

  return {
    ...namespace,
    ...seen,
    switchFolder: switches,
    hold: (version) => writeFileSync(join(switches, `hold ${version}`), ''),
    release: (version) => rmSync(join(switches, `hold ${version}`), { force: true }),
    crash: (version) => writeFileSync(join(switches, `crash ${version}`), ''),
    async install(workloads) {
      await namespace.apply(...workloads.map((one) => appObject(one, switches)));
      const expected = workloads.filter(({ kind }) => kind !== 'CronJob').length;
      await until('all pods are ready', async () => {
        const ready = (await seen.pods()).filter(({ isReady }) => isReady);
        return ready.length >= expected;
      });
    },
    async applyText(text) {
      const file = join(folder.path, 'applied.yaml');
      writeFileSync(file, text);
      await namespace.kubectl('apply', '-f', file);
    },
    async steward(env = {}, data = 'data') {
      const settings = {
        STEWARD_DEPLOYMENT: 'kubernetes',
        STEWARD_NAMESPACE: namespace.name,
        STEWARD_KUBECONFIG: ADMIN_KUBECONFIG,
      };
      const server = await startSteward({ data: join(folder.path, data), env: { ...settings, ...env } });
      servers.push(server);
      return { ...server, ...(await upgradeCalls(networkTransport(server.url))) };
    },
    endServers,
    async close() {
      await endServers();
      await kubectl('delete', 'namespace', '--wait=false', '--ignore-not-found', namespace.name);
      folder.remove();
    },
  };
}
