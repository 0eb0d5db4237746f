import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { clusterObjects, isClusterDocument, podSpecOf } from '../../wire/documents/clusterObjects.ts';

const DEFAULT_WAVE = 50;

/** Undefined if a list is none, so that the check of the inventory names it. */
function imagesOf(item: unknown): unknown {
  const spec = podSpecOf(item);
  const lists = ['initContainers', 'containers'].map((kind) => valueAt(spec, kind) ?? []);
  if (!isObject(spec) || !lists.every((list) => Array.isArray(list))) return undefined;
  return lists.flat().map((one: unknown) => ({ container: valueAt(one, 'name'), image: valueAt(one, 'image') }));
}

/** Keeps invalid values, so that the check of the inventory names them together with all other problems. */
function workloadOf(item: unknown): unknown {
  const annotated = (name: string): unknown =>
    valueAt(item, 'metadata', 'annotations', name) ?? valueAt(item, 'metadata', 'labels', name);
  const [name, kind] = [valueAt(item, 'metadata', 'name'), valueAt(item, 'kind')];
  const component = annotated('app.kubernetes.io/component') ?? name;
  const wave = annotated('steward/wave') ?? DEFAULT_WAVE;
  return {
    name: typeof kind === 'string' && typeof name === 'string' ? `${kind}/${name}` : name,
    component,
    module: annotated('app.kubernetes.io/part-of') ?? component,
    wave: typeof wave === 'string' && /^\d{1,9}$/.test(wave) ? Number(wave) : wave,
    images: imagesOf(item),
  };
}

/**
 * Reads the output of `kubectl get deployments,statefulsets,cronjobs -o json`, or one object of it; returns undefined for anything else.
 */
export function clusterWorkloads(document: JsonObject): readonly unknown[] | undefined {
  return isClusterDocument(document) ? clusterObjects(document).map(workloadOf) : undefined;
}
