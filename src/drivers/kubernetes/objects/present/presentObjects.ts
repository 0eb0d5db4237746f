// The objects of the cluster as they are now, with as few requests as that takes.
import { isObject } from '../../../../foundation/schema/json.ts';
import { mapInParallel } from '../../../../foundation/flow/mapInParallel.ts';
import type { ClusterApi, ClusterObject } from '../../api/clusterApi.ts';
import { ApiError } from '../../api/apiError.ts';
import type { Resource } from '../../api/discovery.ts';

/** Up to this many objects of a kind are read one by one. */
const MAX_READS = 3;

function resourceKey({ apiVersion, plural }: Resource): string {
  return `${apiVersion}/${plural}`;
}

/** An object with its version and kind, which a list leaves out. */
function typed(object: ClusterObject, { apiVersion, kind }: Resource): ClusterObject {
  return { ...object, apiVersion, kind };
}

export interface ObjectPlace {
  readonly resource: Resource;
  readonly name: string;
}

async function readEach(api: ClusterApi, resource: Resource, names: readonly string[], signal?: AbortSignal) {
  const objects = await mapInParallel(names, (name) => api.read(resource, name, signal));
  return objects.filter((one) => one !== undefined).map((one) => typed(one, resource));
}

/** Reads these objects of a kind. What is not one of them is dropped page by page. */
async function readKind(api: ClusterApi, resource: Resource, names: ReadonlySet<string>, signal?: AbortSignal) {
  if (names.size <= MAX_READS) return readEach(api, resource, [...names], signal);
  try {
    const wanted = (object: ClusterObject): ClusterObject | undefined =>
      names.has(object.metadata.name) ? typed(object, resource) : undefined;
    const { items } = await api.listAs(resource, undefined, wanted, signal);
    return items.filter((one) => one !== undefined);
  } catch (error) {
    // The right to read objects that one knows is less than the right to list all.
    if (error instanceof ApiError && error.status === 403) return readEach(api, resource, [...names], signal);
    throw error;
  }
}

/** The objects by their places. */
export interface PresentObjects {
  get(place: ObjectPlace): ClusterObject | undefined;
  /** The error with which objects of a kind could not be read: a right that is missing. */
  refusal(resource: Resource): ApiError | undefined;
}

/** Reads all of these objects: one list for each kind, or a read for each of a few. */
export async function readObjects(
  api: ClusterApi,
  places: readonly ObjectPlace[],
  signal?: AbortSignal,
): Promise<PresentObjects> {
  const kinds = new Map<string, { readonly resource: Resource; readonly names: Set<string> }>();
  for (const { resource, name } of places) {
    const kind = kinds.get(resourceKey(resource)) ?? { resource, names: new Set() };
    kind.names.add(name);
    kinds.set(resourceKey(resource), kind);
  }
  const refusals = new Map<string, ApiError>();
  const objects = new Map<string, ClusterObject>();
  await mapInParallel([...kinds.values()], async ({ resource, names }) => {
    try {
      const found = await readKind(api, resource, names, signal);
      for (const one of found) objects.set(`${resourceKey(resource)}/${one.metadata.name}`, one);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A definition may have been removed.
      if (error.status === 404) api.forget(resource);
      if (error.status !== 403) throw error;
      refusals.set(resourceKey(resource), error);
    }
  });
  return {
    get: ({ resource, name }) => objects.get(`${resourceKey(resource)}/${name}`),
    refusal: (resource) => refusals.get(resourceKey(resource)),
  };
}

/** The objects whose replicas an autoscaler in the cluster sets, as `kind/name`. Without the right to read autoscalers, there are none. */
export async function scaledObjects(api: ClusterApi, signal?: AbortSignal): Promise<readonly string[]> {
  const found = await api.find('autoscaling/v1', 'HorizontalPodAutoscaler', signal);
  if (found.kind === 'notServed') return [];
  const list = await api.listAs(found.resource, undefined, scaledBy, signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return { items: [] };
    throw error;
  });
  return list.items.flatMap((one) => one ?? []);
}

/** What an autoscaler scales, as `kind/name`. */
export function scaledBy({ spec }: { readonly spec?: unknown }): string | undefined {
  const target = isObject(spec) ? spec['scaleTargetRef'] : undefined;
  return isObject(target) ? `${String(target['kind'])}/${String(target['name'])}` : undefined;
}
