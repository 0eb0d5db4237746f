import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { digestOf } from '../../model/manifest/container.ts';
import { printable } from '../listen/deliveryBlock.ts';

/** An image that a file names, and where in the file. */
export interface NamedImage {
  readonly place: string;
  readonly name: unknown;
  readonly image: unknown;
  /** The checksum, if it is not part of the image. */
  readonly checksum?: unknown;
}

function objectsAt(value: unknown, ...path: readonly string[]): readonly JsonObject[] {
  const list = valueAt(value, ...path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Finds the pod spec of a CronJob, a workload or a pod. */
function podSpecOf(item: unknown): unknown {
  return (
    valueAt(item, 'spec', 'jobTemplate', 'spec', 'template', 'spec') ??
    valueAt(item, 'spec', 'template', 'spec') ??
    valueAt(item, 'spec')
  );
}

/** Returns the digests that a pod runs, by container name. A pod has them even if its image was requested by tag. */
function runningDigests(item: unknown): ReadonlyMap<unknown, string | undefined> {
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((kind) => objectsAt(item, 'status', kind));
  return new Map(
    statuses.map(({ name, imageID }) => [name, typeof imageID === 'string' ? digestOf(imageID) : undefined]),
  );
}

function imagesOf(item: unknown, n: number): readonly NamedImage[] {
  const [kind, itemName] = [valueAt(item, 'kind'), valueAt(item, 'metadata', 'name')];
  const isNamed = typeof kind === 'string' && typeof itemName === 'string';
  const place = isNamed ? printable(`${kind} ${itemName}`) : `item ${n + 1}`;
  const digests = runningDigests(item);
  const spec = podSpecOf(item);
  return [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')].map(({ name, image }, at) => {
    const pinned = typeof image === 'string' ? digestOf(image) : undefined;
    return { place: `${place}, container ${at + 1}`, name, image, checksum: pinned ?? digests.get(name) };
  });
}

/** Reads the output of `kubectl get deployments,statefulsets -o json` or `kubectl get pods -o json`, or one object of it. */
export function clusterImages(document: unknown): readonly NamedImage[] {
  const items = valueAt(document, 'items');
  return (Array.isArray(items) ? items : [document]).flatMap(imagesOf);
}
