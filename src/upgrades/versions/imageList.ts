import type { Version } from '../../model/version.ts';
import type { Deployment } from '../ports/deployment.ts';

/** An image that a version needs. */
export interface NeededImage {
  /** As the manifest names it. */
  readonly image: string;
  /** As the deployment would be configured with it. */
  readonly reference: string;
  readonly checksum: string;
  /** The containers that use it, by their addresses in the manifest. */
  readonly containers: readonly string[];
}

/** Lists each image of these versions once, in the order of the manifest. */
export function neededImages(
  versions: readonly Version[],
  referenceFor: Deployment['referenceFor'],
): readonly NeededImage[] {
  const found = new Map<string, NeededImage>();
  for (const { name, image, checksum } of versions.flatMap(({ containers }) => containers)) {
    const key = JSON.stringify([image, checksum]);
    const known = found.get(key);
    const containers = new Set([...(known?.containers ?? []), name]);
    found.set(key, { image, reference: referenceFor(image, checksum), checksum, containers: [...containers] });
  }
  return [...found.values()];
}
