import type { Found } from '../../wire/documents/manifestContainer.ts';
import { digestOf, isObject } from '../../wire/documents/manifestContainer.ts';
import { printable } from '../listen/deliveryBlock.ts';

/** An image as a file names it, and where. */
export interface NamedImage {
  readonly place: string;
  readonly name: unknown;
  readonly image: unknown;
  /** Where it is not in the image itself. */
  readonly checksum?: unknown;
}

function within(found: unknown, ...path: readonly string[]): unknown {
  return path.reduce((at, key) => (isObject(at) ? at[key] : undefined), found);
}

function objectsIn(found: unknown, ...path: readonly string[]): readonly Found[] {
  const list = within(found, ...path);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Of a CronJob, of a workload, of a pod. */
function podSpecOf(item: unknown): unknown {
  return (
    within(item, 'spec', 'jobTemplate', 'spec', 'template', 'spec') ??
    within(item, 'spec', 'template', 'spec') ??
    within(item, 'spec')
  );
}

/** What a pod runs, by the name of the container: there a digest is known even if the image was asked for by a tag. */
function runningDigests(item: unknown): ReadonlyMap<unknown, string | undefined> {
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((kind) => objectsIn(item, 'status', kind));
  return new Map(
    statuses.map(({ name, imageID }) => [name, typeof imageID === 'string' ? digestOf(imageID) : undefined]),
  );
}

function imagesOf(item: unknown, n: number): readonly NamedImage[] {
  const [kind, itemName] = [within(item, 'kind'), within(item, 'metadata', 'name')];
  const isNamed = typeof kind === 'string' && typeof itemName === 'string';
  const place = isNamed ? printable(`${kind} ${itemName}`) : `item ${n + 1}`;
  const digests = runningDigests(item);
  const spec = podSpecOf(item);
  return [...objectsIn(spec, 'initContainers'), ...objectsIn(spec, 'containers')].map(({ name, image }, at) => {
    const pinned = typeof image === 'string' ? digestOf(image) : undefined;
    return { place: `${place}, container ${at + 1}`, name, image, checksum: pinned ?? digests.get(name) };
  });
}

/** What `kubectl get deployments,statefulsets -o json` prints, or `kubectl get pods -o json`, or one object of them. */
export function clusterImages(found: unknown): readonly NamedImage[] {
  const items = within(found, 'items');
  return (Array.isArray(items) ? items : [found]).flatMap(imagesOf);
}
