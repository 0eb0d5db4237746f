// The pod template of a workload in a bundle.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { kindOf } from './bundleObject.ts';

const TEMPLATE_PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Deployment', ['spec', 'template']],
  ['StatefulSet', ['spec', 'template']],
  ['DaemonSet', ['spec', 'template']],
  ['CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
]);

const LISTS = ['initContainers', 'containers'] as const;

/** Whether objects of this kind run pods and are rolled out, by `kindName`. */
export function isWorkloadKind(kind: string): boolean {
  return TEMPLATE_PATHS.has(kind);
}

/** Where the pod template is; undefined for what has none. */
export function templatePath(content: JsonObject): readonly string[] | undefined {
  return TEMPLATE_PATHS.get(kindOf(content));
}

/** The spec of the pods; undefined for what has none. */
export function podSpecOf(content: JsonObject): JsonObject | undefined {
  const path = templatePath(content);
  const spec = path && valueAt(content, ...path, 'spec');
  return isObject(spec) ? spec : undefined;
}

/** A container of a pod template. The image is empty if the template names none. */
export interface BundleContainer {
  readonly container: string;
  readonly image: string;
}

function listIn(spec: JsonObject | undefined, name: string): readonly JsonObject[] {
  const list = spec?.[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The init containers and containers of a pod spec. */
export function containerObjects(spec: JsonObject | undefined): readonly JsonObject[] {
  return LISTS.flatMap((name) => listIn(spec, name));
}

/** The containers of a workload, or of the template of a hook. */
export function containersOf(content: JsonObject): readonly BundleContainer[] {
  return containerObjects(podSpecOf(content)).flatMap(({ name, image }) =>
    typeof name === 'string' ? [{ container: name, image: typeof image === 'string' ? image : '' }] : [],
  );
}

function withValueAt(value: JsonObject, path: readonly string[], last: unknown): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const inner = value[key];
  return { ...value, [key]: rest.length === 0 ? last : withValueAt(isObject(inner) ? inner : {}, rest, last) };
}

/** Copies a workload with other images. A container without an answer keeps its image. */
export function withImages(content: JsonObject, imageFor: (container: string) => string | undefined): JsonObject {
  const path = templatePath(content);
  const spec = podSpecOf(content);
  if (path === undefined || spec === undefined) return content;
  const pinned = (one: unknown): unknown => {
    const name = valueAt(one, 'name');
    const image = typeof name === 'string' ? imageFor(name) : undefined;
    return isObject(one) && image !== undefined ? { ...one, image } : one;
  };
  const lists = LISTS.flatMap((name) => {
    const list = spec[name];
    return Array.isArray(list) ? [[name, list.map(pinned)] as const] : [];
  });
  return withValueAt(content, [...path, 'spec'], { ...spec, ...Object.fromEntries(lists) });
}
