import type { Image } from '../../../model/workload.ts';
import { sha256 } from './hash.ts';

/** The digest of `registry/name@sha256:…`; undefined for an image that is named by its tag only. */
export function pinnedDigest(image: string): string | undefined {
  return /@(sha256:[\da-f]{64})$/.exec(image)?.[1];
}

/** The last name of the path, without tag and digest: registries and tags change from version to version. */
export function repositoryOf(image: string): string {
  return /([^/:@]*)(?::[^/:@]*)?(?:@.*)?$/.exec(image)?.[1] ?? image;
}

/** The digest that the registry has for an image while a `checksumDiffers` fault affects it. */
export function differingDigest(image: string): string {
  return `sha256:${sha256(`another build of ${image}`)}`;
}

/** The image once it runs: its checksum is the digest it is pinned to, or the one that the registry has for its tag. */
export function withDigest({ container, image, checksum }: Image): Image {
  return { container, image, checksum: pinnedDigest(image) ?? checksum ?? `sha256:${sha256(image)}` };
}

export function isSameImage(one: Image, other: Image): boolean {
  return one.container === other.container && one.image === other.image && one.checksum === other.checksum;
}

/** Whether a workload has all requested images. A request without a checksum matches any checksum. */
export function imagesMatch(actual: readonly Image[], requested: readonly Image[]): boolean {
  return requested.every((image) => {
    const one = actual.find(({ container }) => container === image.container);
    if (one?.image !== image.image) return false;
    return image.checksum === undefined || image.checksum === (one.checksum ?? withDigest(one).checksum);
  });
}

/** Whether an image is pinned to another digest than its expected checksum, so that it can never run as expected. */
export function isMismatched({ image, checksum }: Image): boolean {
  const pinned = pinnedDigest(image);
  return pinned !== undefined && checksum !== undefined && pinned !== checksum;
}
