import { afterEach } from 'vitest';
import type { ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { createClusterApi } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import { openConnection } from '../../../src/drivers/kubernetes/api/connection.ts';
import { readKubeConfig } from '../../../src/drivers/kubernetes/api/kubeConfig.ts';
import { createResources } from '../../../src/drivers/kubernetes/api/resources.ts';
import { newId } from '../../../src/foundation/ids.ts';
import { ADMIN_KUBECONFIG } from './cluster.ts';
import { kubectl, kubectlFile, objectsIn, servedVersion, withManagedFields } from './kubectl.ts';

/** A namespace of one test. Kinds are named as kubectl names them: `deployment`, `configmap`. */
export interface TestNamespace {
  readonly name: string;
  /** Runs kubectl in the namespace. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Creates or changes objects as `kubectl apply` does. */
  apply(...objects: readonly ClusterObject[]): Promise<void>;
  /** Applies fields as a field manager (server-side apply), against any other owner of them. */
  applyAs(manager: string, ...objects: readonly ClusterObject[]): Promise<void>;
  /** Creates objects as a field manager that writes them once. */
  createAs(manager: string, ...objects: readonly ClusterObject[]): Promise<void>;
  /** Reads an object; undefined if there is none. */
  read(kind: string, name: string): Promise<ClusterObject | undefined>;
  list(kind: string): Promise<readonly ClusterObject[]>;
  /** Changes an object by a strategic merge patch, which identifies containers by their names. */
  patch(kind: string, name: string, patch: object, manager?: string): Promise<void>;
  remove(kind: string, name: string): Promise<void>;
}

let opened: string[] = [];

async function removeNamespaces(): Promise<void> {
  const names = opened;
  opened = [];
  // The cluster ends the pods in the background; the next test has another namespace.
  if (names.length > 0) await kubectl('delete', 'namespace', '--wait=false', '--ignore-not-found', ...names);
}

async function listOf(objects: readonly ClusterObject[]): Promise<object> {
  return { apiVersion: 'v1', kind: 'List', items: await Promise.all(objects.map(withVersion)) };
}

/** Kinds of which older and newer clusters serve no common version. */
const MOVED_KINDS: Readonly<Record<string, readonly [group: string, plural: string]>> = {
  CronJob: ['batch', 'cronjobs'],
  PodDisruptionBudget: ['policy', 'poddisruptionbudgets'],
};

/** An object with the version of its kind that the cluster has, if that depends on the cluster. */
async function withVersion(object: ClusterObject): Promise<ClusterObject> {
  const [group, plural] = MOVED_KINDS[object.kind ?? ''] ?? [];
  return group === undefined || plural === undefined
    ? object
    : { ...object, apiVersion: await servedVersion(group, plural) };
}

/** Not with kubectl: newer versions also take over the fields that `kubectl apply` wrote, and remove those that are not given. */
async function applyFields(namespace: string, manager: string, objects: readonly ClusterObject[]): Promise<void> {
  const connection = openConnection(() => readKubeConfig(ADMIN_KUBECONFIG));
  const api = createClusterApi(connection, createResources(connection), { namespace, installation: 'test' });
  try {
    for (const object of objects) await api.apply(object, { manager, force: true });
  } finally {
    await connection.close();
  }
}

/** Creates a namespace. It is removed after the test, if `cleanUpAfterEachTest` was called in its suite. */
export async function openNamespace(): Promise<TestNamespace> {
  const name = `steward-test-${newId().toLowerCase()}`;
  await kubectl('create', 'namespace', name);
  opened.push(name);
  const here = ['--namespace', name];
  return {
    name,
    kubectl: (...args) => kubectl(...here, ...args),
    apply: async (...objects) => void (await kubectlFile(await listOf(objects), ...here, 'apply')),
    applyAs: (manager, ...objects) => applyFields(name, manager, objects),
    createAs: async (manager, ...objects) =>
      void (await kubectlFile(await listOf(objects), ...here, 'create', `--field-manager=${manager}`)),
    async read(kind, object) {
      const [found] = objectsIn(await kubectl(...here, 'get', kind, object, '--ignore-not-found', '-o', 'json'));
      return found?.metadata.namespace === undefined ? found : withManagedFields(found);
    },
    list: async (kind) => objectsIn(await kubectl(...here, 'get', kind, '-o', 'json')),
    patch: async (kind, object, patch, manager = 'kubectl-patch') =>
      void (await kubectl(...here, 'patch', kind, object, '-p', JSON.stringify(patch), `--field-manager=${manager}`)),
    remove: async (kind, object) =>
      void (await kubectl(...here, 'delete', kind, object, '--ignore-not-found', '--wait=false')),
  };
}

/**
 * Removes the namespaces of each test of a suite. Returns the function that registers what else is to be done after a test, the
 * last first, before that.
 */
export function cleanUpAfterEachTest(): (action: () => unknown) => void {
  const actions: (() => unknown)[] = [];
  afterEach(async () => {
    for (const action of actions.splice(0).toReversed()) await action();
    await removeNamespaces();
  });
  return (action) => void actions.push(action);
}
