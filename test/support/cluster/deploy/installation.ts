// Steward installed in the cluster of the tests by a file of deploy/, and a client that reaches its pods as a Service would.
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch } from 'undici';
import type { ClusterObject } from '../../../../src/drivers/kubernetes/api/clusterApi.ts';
import { conditionOf, listAt, numberAt, textAt } from '../../../../src/drivers/kubernetes/api/objectFields.ts';
import { valueAt } from '../../../../src/foundation/schema/json.ts';
import { PROJECT } from '../../run/project.ts';
import { runCommand, temporaryFolder } from '../../run/runFolder.ts';
import { until } from '../../run/until.ts';
import type { Transport } from '../../server/client.ts';
import { ADMIN_PASSWORD } from '../../server/stewardProcess.ts';
import { freePort } from '../../store/postgres.ts';
import { ADMIN_KUBECONFIG } from '../cluster.ts';
import { serverAddress } from '../serviceAccount.ts';
import { openNamespace } from '../testNamespace.ts';
import type { TestNamespace } from '../testNamespace.ts';
import type { UpgradeCalls } from '../upgradeCalls.ts';
import { upgradeCalls } from '../upgradeCalls.ts';
import { deployVariant } from './variant.ts';

export interface Replica {
  readonly pod: string;
  readonly url: string;
  readonly checksum: string;
  /** Sends a request to this replica only. */
  readonly send: Transport;
}

export interface Installation extends TestNamespace {
  /** The replicas that are ready and do not end. */
  replicas(): Promise<readonly Replica[]>;
  /** Makes calls as the administrator, through any replica unless one is given. */
  signIn(replica?: Replica): Promise<UpgradeCalls>;
  log(pod: string): Promise<string>;
  close(): Promise<void>;
}

export interface InstallationOptions {
  readonly file: 'steward.yaml' | 'steward-postgres.yaml';
  /** The image of Steward. */
  readonly image: string;
  /** The image of PostgreSQL, if the file has it. */
  readonly postgresImage?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of this machine that the pods of Steward see under the same path. */
  readonly sharedFolder?: string;
}

const USER = 65_532;
const LOOK_EVERY_MS = 500;
const LOST_CONNECTION: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether a request failed because the connection was refused, or closed before an answer began. */
export function isLostConnection(error: unknown): boolean {
  return LOST_CONNECTION.has(valueAt(error instanceof Error ? error.cause : undefined, 'code'));
}

/** The commands at the head of a file that create its secrets, for another namespace and password. */
function secretCommands(text: string, namespace: string): string {
  const head = text
    .slice(0, text.indexOf('\napiVersion'))
    .replaceAll(/^# ?/gm, '')
    .replaceAll(/\\\n */g, '');
  const commands = head.split('\n').filter((line) => /^ +kubectl .* create secret /.test(line));
  if (commands.length === 0) throw new Error('the head of the file creates no secret');
  return commands.join('\n').replaceAll('-n shop', `-n ${namespace}`).replaceAll('choose-a-long-one', ADMIN_PASSWORD);
}

async function runShell(command: string, cwd: string): Promise<void> {
  const env = { ...process.env, KUBECONFIG: ADMIN_KUBECONFIG };
  const { status, stderr } = await runCommand('bash', ['-e', '-c', command], { cwd, env });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
}

const SELF_SIGNED =
  'openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=steward -addext subjectAltName=IP:127.0.0.1 -keyout tls.key -out tls.crt';

function isReady(pod: ClusterObject): boolean {
  return pod.metadata.deletionTimestamp === undefined && textAt(conditionOf(pod, 'Ready'), 'status') === 'True';
}

function sender(url: string, agent: Agent): Transport {
  return async ({ method, path, headers, payload }) => {
    const body = payload === undefined ? {} : { body: payload };
    const response = await fetch(url + path, { method, headers, ...body, dispatcher: agent });
    const pairs = [...response.headers].map(([name, value]): [string, string] => [name, value]);
    return { status: response.status, headers: new Headers(pairs), text: await response.text() };
  };
}

/** Finds the replicas. The start-up block in the log of a pod has its address. */
function replicaFinder(namespace: TestNamespace, agent: Agent): () => Promise<readonly Replica[]> {
  const urls = new Map<string, string>();
  /** Undefined if the block is not written yet, or the pod is gone. */
  async function urlOf(pod: ClusterObject, restarts: number): Promise<string | undefined> {
    const key = `${pod.metadata.name} ${restarts}`;
    if (urls.has(key)) return urls.get(key);
    const log = await namespace.kubectl('logs', pod.metadata.name).catch(() => '');
    const url = /Catalog +(\S+)\/services/.exec(log)?.[1];
    if (url !== undefined) urls.set(key, url);
    return url;
  }
  async function replicaIn(pod: ClusterObject): Promise<Replica | undefined> {
    const [status] = listAt(pod.status, 'containerStatuses');
    const url = await urlOf(pod, numberAt(status, 'restartCount') ?? 0);
    const checksum = /sha256:[\da-f]{64}/.exec(textAt(status, 'imageID'))?.[0] ?? '';
    return url === undefined ? undefined : { pod: pod.metadata.name, url, checksum, send: sender(url, agent) };
  }
  return async () => {
    let found: readonly (Replica | undefined)[] = [];
    const find = async (): Promise<boolean> => {
      const pods = await namespace.list('pods');
      const ready = pods.filter((one) => isReady(one) && one.metadata.labels?.['app.kubernetes.io/name'] === 'steward');
      found = await Promise.all(ready.map(replicaIn));
      return !found.includes(undefined);
    };
    await until('every pod that is ready has written its address', find, LOOK_EVERY_MS);
    return found.filter((one) => one !== undefined);
  };
}

/** Sends each request to any replica, and to another one if the connection is lost. */
function anyReplica(find: () => Promise<readonly Replica[]>): Transport {
  let known: readonly Replica[] = [];
  return async (request) => {
    let answer: Awaited<ReturnType<Transport>> | undefined;
    const attempt = async (): Promise<boolean> => {
      const replica = known[Math.floor(Math.random() * known.length)];
      try {
        answer = await replica?.send(request);
      } catch (error) {
        if (!isLostConnection(error)) throw error;
      }
      if (answer === undefined) known = await find();
      return answer !== undefined;
    };
    await until(`${request.path} is answered`, attempt, LOOK_EVERY_MS);
    if (answer === undefined) throw new Error(`${request.path} was not answered`);
    return answer;
  };
}

/** Installs Steward in a new namespace as the file says, and waits until it is ready. */
export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { file, image, postgresImage, sharedFolder, env = {} } = options;
  const text = readFileSync(join(PROJECT, 'deploy', file), 'utf8');
  const folder = temporaryFolder();
  const namespace = await openNamespace();
  await runShell(`${SELF_SIGNED}\n${secretCommands(text, namespace.name)}`, folder.path);
  const dataFolder = join(folder.path, 'data');
  mkdirSync(dataFolder, { mode: 0o700 });
  chownSync(dataFolder, USER, USER);
  const store =
    postgresImage === undefined ? { dataFolder } : { postgres: { image: postgresImage, port: await freePort() } };
  const apiServer = await serverAddress();
  const variant = deployVariant(text, { namespace: namespace.name, apiServer, image, env, sharedFolder, ...store });
  await namespace.apply(...variant);
  await namespace.kubectl('rollout', 'status', 'deployment/steward', '--timeout=5m');
  const agent = new Agent({ connect: { ca: readFileSync(join(folder.path, 'tls.crt'), 'utf8') } });
  const replicas = replicaFinder(namespace, agent);
  return {
    ...namespace,
    replicas,
    signIn: (replica) => upgradeCalls(replica?.send ?? anyReplica(replicas)),
    log: (pod) => namespace.kubectl('logs', pod),
    async close() {
      await agent.close();
      await namespace.kubectl('delete', 'namespace', '--wait=false', '--ignore-not-found', namespace.name);
      folder.remove();
    },
  };
}
