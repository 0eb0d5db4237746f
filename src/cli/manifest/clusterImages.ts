import { digestOf } from '../../model/version/container.ts';
import type { WorkloadName } from '../../wire/documents/clusterObjects.ts';
import { clusterObjects, containersOf, podSpecOf, workloadNameOf } from '../../wire/documents/clusterObjects.ts';
import { isObject, valueAt } from '../../foundation/schema/json.ts';
import { printable } from '../listen/deliveryBlock.ts';

/** An image that a file names, and where in the file. */
export interface NamedImage {
  readonly place: string;
  readonly name: unknown;
  readonly image: unknown;
  /** The checksum, if it is not part of the image. */
  readonly checksum?: unknown;
  /** The workload whose container it is, if the file tells. */
  readonly workload?: WorkloadName | undefined;
  /** Why the registry does not tell the checksum. */
  readonly problem?: string;
}

/** Returns the digests that a pod runs, by container name. A pod has them even if its image was requested by tag. */
function runningDigests(item: unknown): ReadonlyMap<unknown, string | undefined> {
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((kind) => {
    const list = valueAt(item, 'status', kind);
    return Array.isArray(list) ? list.filter(isObject) : [];
  });
  return new Map(
    statuses.map(({ name, imageID }) => [name, typeof imageID === 'string' ? digestOf(imageID) : undefined]),
  );
}

function imagesOf(item: unknown, n: number): readonly NamedImage[] {
  const [kind, itemName] = [valueAt(item, 'kind'), valueAt(item, 'metadata', 'name')];
  const isNamed = typeof kind === 'string' && typeof itemName === 'string';
  const place = isNamed ? printable(`${kind} ${itemName}`) : `item ${n + 1}`;
  const digests = runningDigests(item);
  const workload = workloadNameOf(item);
  return containersOf(podSpecOf(item)).map(({ name, image }, at) => {
    const pinned = typeof image === 'string' ? digestOf(image) : undefined;
    return { place: `${place}, container ${at + 1}`, name, image, checksum: pinned ?? digests.get(name), workload };
  });
}

/** What is left out besides the Jobs and pods that Helm runs once. */
export interface ImageRules {
  /** Whether the templates of Steward's hooks count: an upgrade changes their images only if they are objects of the version. */
  readonly withHooks: boolean;
}

function isHook(item: unknown, { withHooks }: ImageRules): boolean {
  const isSteward = valueAt(item, 'metadata', 'labels', 'steward/hook') !== undefined;
  return valueAt(item, 'metadata', 'annotations', 'helm.sh/hook') !== undefined || (isSteward && !withHooks);
}

/** Reads what `kubectl get -o json` prints, or a manifest of Kubernetes. Objects without containers are skipped. */
export function clusterImages(document: unknown, rules: ImageRules): readonly NamedImage[] {
  return clusterObjects(document).flatMap((item, n) => (isHook(item, rules) ? [] : imagesOf(item, n)));
}
