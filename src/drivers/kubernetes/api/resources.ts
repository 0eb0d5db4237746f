import { isObject, parseJson, valueAt } from '../../../foundation/schema/json.ts';
import { ApiError, errorOf } from './apiError.ts';
import type { Connection } from './connection.ts';
import { endedBy } from './endedBy.ts';

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

interface Resource {
  readonly version: string;
  readonly plural: string;
  readonly isCluster: boolean;
}

type Get = (path: string) => Promise<unknown>;

function prefixOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The versions of a group, the preferred one first. */
async function versionsOf(get: Get, group: string): Promise<readonly string[]> {
  if (group === '') return ['v1'];
  const answer = await get(`/apis/${group}`);
  const preferred = valueAt(answer, 'preferredVersion', 'version');
  const all = valueAt(answer, 'versions');
  const others = Array.isArray(all) ? all.map((one: unknown) => valueAt(one, 'version')) : [];
  return [preferred, ...others].filter((one): one is string => typeof one === 'string');
}

/** Finds the newest version of a group that has a kind. */
async function findResource(get: Get, kind: string): Promise<Resource> {
  const known = GROUPS[kind];
  if (known === undefined) throw new Error(`the driver does not know the kind ${kind}`);
  const { group, plural, isCluster = false } = known;
  for (const version of await versionsOf(get, group)) {
    const list = valueAt(await get(prefixOf(group, version)), 'resources');
    const isThere = Array.isArray(list) && list.some((one: unknown) => isObject(one) && one['name'] === plural);
    if (isThere) return { version: group === '' ? version : `${group}/${version}`, plural, isCluster };
  }
  throw new Error(`the cluster has no ${plural}`);
}

const TIMEOUT_MS = 10_000;

/** Creates the look-up of API versions and paths. Each kind is looked up once. */
export function createResources({ send }: Pick<Connection, 'send'>) {
  const get: Get = async (path) => {
    const { statusCode, body } = await send({ method: 'GET', path, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await body.text();
    if (statusCode === 200) return parseJson(text);
    const { status, code, message } = errorOf(statusCode, parseJson(text), text);
    throw new ApiError(status, code, `the API server answered ${statusCode} for ${path}: ${message}`);
  };
  const found = new Map<string, Promise<Resource>>();
  async function resourceOf(kind: string, signal?: AbortSignal): Promise<Resource> {
    const known = found.get(kind);
    if (known !== undefined) return endedBy(known, signal);
    const finding = findResource(get, kind);
    found.set(kind, finding);
    finding.catch(() => found.delete(kind));
    return endedBy(finding, signal);
  }
  return {
    versionOf: async (kind: string, signal?: AbortSignal): Promise<string> => (await resourceOf(kind, signal)).version,
    async pathOf(kind: string, namespace: string, signal?: AbortSignal): Promise<string> {
      const { version, plural, isCluster } = await resourceOf(kind, signal);
      const base = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
      return isCluster ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
    },
  };
}

export type Resources = ReturnType<typeof createResources>;
