import { parseJson } from '../../../foundation/schema/json.ts';
import { ApiError, errorOf } from './apiError.ts';
import type { Connection } from './connection.ts';
import type { FoundKind, GetDocument, Resource } from './discovery.ts';
import { createDiscovery, prefixOf, versionsIn } from './discovery.ts';
import { endedBy } from './endedBy.ts';
import { listAt, textAt } from './objectFields.ts';

/** The group of each kind. Which versions a group has, the server tells: CronJob moved from v1beta1 to v1. */
export const GROUPS: Readonly<
  Record<string, { readonly group: string; readonly plural: string; readonly isCluster?: true }>
> = {
  Deployment: { group: 'apps', plural: 'deployments' },
  StatefulSet: { group: 'apps', plural: 'statefulsets' },
  DaemonSet: { group: 'apps', plural: 'daemonsets' },
  ReplicaSet: { group: 'apps', plural: 'replicasets' },
  ControllerRevision: { group: 'apps', plural: 'controllerrevisions' },
  CronJob: { group: 'batch', plural: 'cronjobs' },
  Job: { group: 'batch', plural: 'jobs' },
  Pod: { group: '', plural: 'pods' },
  ConfigMap: { group: '', plural: 'configmaps' },
  Secret: { group: '', plural: 'secrets' },
  ServiceAccount: { group: '', plural: 'serviceaccounts' },
  PersistentVolumeClaim: { group: '', plural: 'persistentvolumeclaims' },
  ResourceQuota: { group: '', plural: 'resourcequotas' },
  Event: { group: '', plural: 'events' },
  Node: { group: '', plural: 'nodes', isCluster: true },
  StorageClass: { group: 'storage.k8s.io', plural: 'storageclasses', isCluster: true },
};

/** A kind of Steward's own use by its name, or any kind as the cluster serves it. */
export type KindRef = string | Resource;

/** Finds the newest version of a group that has a kind. */
async function findResource(get: GetDocument, kind: string): Promise<Resource> {
  const known = GROUPS[kind];
  if (known === undefined) throw new Error(`the driver does not know the kind ${kind}`);
  const { group, plural, isCluster = false } = known;
  for (const apiVersion of group === ''
    ? ['v1']
    : versionsIn(await get(`/apis/${group}`)).map((one) => `${group}/${one}`)) {
    const isThere = listAt(await get(prefixOf(apiVersion)), 'resources').some((one) => textAt(one, 'name') === plural);
    if (isThere) return { apiVersion, kind, plural, isCluster };
  }
  throw new Error(`the cluster has no ${plural}`);
}

const TIMEOUT_MS = 10_000;

/** Creates the look-up of API versions and paths. Each kind is looked up once. */
export function createResources({ send }: Pick<Connection, 'send'>) {
  const get: GetDocument = async (path) => {
    const { statusCode, body } = await send({ method: 'GET', path, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await body.text();
    if (statusCode === 200) return parseJson(text);
    const { status, code, message } = errorOf(statusCode, parseJson(text), text);
    throw new ApiError(status, code, `the API server answered ${statusCode} for ${path}: ${message}`);
  };
  const found = new Map<string, Promise<Resource>>();
  const discovery = createDiscovery(get);
  async function resourceOf(kind: KindRef, signal?: AbortSignal): Promise<Resource> {
    if (typeof kind !== 'string') return kind;
    const known = found.get(kind);
    if (known !== undefined) return endedBy(known, signal);
    const finding = findResource(get, kind);
    found.set(kind, finding);
    finding.catch(() => found.delete(kind));
    return endedBy(finding, signal);
  }
  return {
    versionOf: async (kind: KindRef, signal?: AbortSignal): Promise<string> =>
      (await resourceOf(kind, signal)).apiVersion,
    async pathOf(kind: KindRef, namespace: string, signal?: AbortSignal): Promise<string> {
      const { apiVersion, plural, isCluster } = await resourceOf(kind, signal);
      const base = prefixOf(apiVersion);
      return isCluster ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
    },
    /** Finds any kind that the cluster serves. */
    find: (apiVersion: string, kind: string, signal?: AbortSignal): Promise<FoundKind> =>
      endedBy(discovery.find(apiVersion, kind), signal),
    /** Finds a kind by its name: `Service`, `Widget.example.com`. Undefined if it is not served. */
    findNamed: (name: string, signal?: AbortSignal): Promise<Resource | undefined> =>
      name in GROUPS ? resourceOf(name, signal) : endedBy(discovery.findNamed(name), signal),
    forget: (resource: Resource): void => discovery.forget(resource),
  };
}

export type Resources = ReturnType<typeof createResources>;
