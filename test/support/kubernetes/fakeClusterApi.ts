// A cluster in memory, as small as unit tests need it: objects with versions, and conflicts for writers that are late.
import type { ClusterApi, ClusterObject } from '../../../src/drivers/kubernetes/api/clusterApi.ts';
import type { Resource } from '../../../src/drivers/kubernetes/api/discovery.ts';
import type { KindRef } from '../../../src/drivers/kubernetes/api/resources.ts';
import { ApiError } from '../../../src/drivers/kubernetes/api/apiError.ts';

export interface FakeClusterOptions {
  readonly objects?: readonly ClusterObject[];
  /** Is called before each apply, so that a test can let another writer come first. */
  readonly beforeApply?: (object: ClusterObject) => void;
  readonly mayI?: (attributes: Readonly<Record<string, string>>) => boolean;
  readonly get?: (path: string) => unknown;
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function resourceOf(apiVersion: string, kind: string): Resource {
  return { apiVersion, kind, plural: `${kind.toLowerCase()}s`, isCluster: false };
}

function kindOf(kind: KindRef): string {
  return typeof kind === 'string' ? kind : kind.kind;
}

export function fakeClusterApi(options: FakeClusterOptions = {}) {
  const objects = new Map<string, ClusterObject>();
  const applied: ClusterObject[] = [];
  let version = 0;

  function put(object: ClusterObject): ClusterObject {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(keyOf(object.kind ?? '', object.metadata.name), stored);
    return stored;
  }

  for (const object of options.objects ?? []) put(object);
  const listAs: ClusterApi['listAs'] = async (kind, _selector, read) => ({
    items: [...objects.values()].filter((one) => one.kind === kindOf(kind)).map(read),
    version: String(version),
  });
  const api: ClusterApi = {
    namespace: 'shop',
    installation: 'ours',
    read: async (kind, name) => objects.get(keyOf(kindOf(kind), name)),
    list: (kind) => listAs(kind, undefined, (object) => object),
    listAs,
    async apply(object) {
      options.beforeApply?.(object);
      const present = objects.get(keyOf(object.kind ?? '', object.metadata.name));
      const { resourceVersion } = object.metadata;
      if (resourceVersion !== undefined && resourceVersion !== present?.metadata.resourceVersion)
        throw new ApiError(409, 'Conflict', 'the object has been modified');
      applied.push(object);
      const annotations = { ...present?.metadata.annotations, ...object.metadata.annotations };
      return put({ ...present, ...object, metadata: { ...present?.metadata, ...object.metadata, annotations } });
    },
    create: async (object) => put(object),
    remove: async (kind, name) => void objects.delete(keyOf(kind, name)),
    removeVersion: async ({ kind }, { metadata }) => void objects.delete(keyOf(kind, metadata.name)),
    patch: async (kind, name) => {
      const present = objects.get(keyOf(kindOf(kind), name));
      if (present === undefined) throw new ApiError(404, 'NotFound', 'there is no such object');
      return present;
    },
    count: async ({ kind }) => [...objects.values()].filter((one) => one.kind === kind).length,
    find: async (apiVersion, kind) => ({ kind: 'served', resource: resourceOf(apiVersion, kind) }),
    findNamed: async (kind) => resourceOf('v1', kind),
    forget: () => undefined,
    log: async () => [],
    mayI: async (attributes) => options.mayI?.(attributes) ?? true,
    get: async (path) => options.get?.(path),
    watch: async () => {
      throw new Error('this cluster cannot be watched');
    },
  };
  return { api, applied, put, object: (kind: string, name: string) => objects.get(keyOf(kind, name)) };
}
