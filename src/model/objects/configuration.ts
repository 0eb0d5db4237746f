// The configuration that the pods of a workload read: when it changes, they must be restarted.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { valueAt } from '../../foundation/schema/json.ts';
import { containerObjects, podSpecOf } from './podTemplate.ts';

function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list : [];
}

function named(kind: string, name: unknown): readonly string[] {
  return typeof name === 'string' && name !== '' ? [`${kind}/${name}`] : [];
}

function readByContainer(container: JsonObject): readonly string[] {
  return [
    ...listAt(container, 'envFrom').flatMap((source) => [
      ...named('ConfigMap', valueAt(source, 'configMapRef', 'name')),
      ...named('Secret', valueAt(source, 'secretRef', 'name')),
    ]),
    ...listAt(container, 'env').flatMap((variable) => [
      ...named('ConfigMap', valueAt(variable, 'valueFrom', 'configMapKeyRef', 'name')),
      ...named('Secret', valueAt(variable, 'valueFrom', 'secretKeyRef', 'name')),
    ]),
  ];
}

function mounted(volume: unknown): readonly string[] {
  return [
    ...named('ConfigMap', valueAt(volume, 'configMap', 'name')),
    ...named('Secret', valueAt(volume, 'secret', 'secretName')),
    ...listAt(volume, 'projected', 'sources').flatMap((source) => [
      ...named('ConfigMap', valueAt(source, 'configMap', 'name')),
      ...named('Secret', valueAt(source, 'secret', 'name')),
    ]),
  ];
}

/** Names the ConfigMaps and Secrets that the pods of a workload read, as `ConfigMap/x` and `Secret/y`, sorted. */
export function configurationOf(content: JsonObject): readonly string[] {
  const spec = podSpecOf(content);
  const found = [...containerObjects(spec).flatMap(readByContainer), ...listAt(spec, 'volumes').flatMap(mounted)];
  return [...new Set(found)].toSorted();
}
