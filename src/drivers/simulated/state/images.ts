import type { Image } from '../../../model/workload.ts';
import { sha256 } from './timing.ts';

/** Of `registry/name@sha256:…`. */
export function pinnedDigest(image: string): string | undefined {
  return /@(sha256:[\da-f]{64})$/.exec(image)?.[1];
}

/** The last name of the path, without tag and digest: registries and tags change from version to version. */
export function repositoryOf(image: string): string {
  return /([^/:@]*)(?::[^/:@]*)?(?:@.*)?$/.exec(image)?.[1] ?? image;
}

/** What the registry has in place of an image, where a fault makes it differ. */
export function differingDigest(image: string): string {
  return `sha256:${sha256(`another build of ${image}`)}`;
}

/** An image once it runs: its checksum is the digest it is pinned to, or what the registry has under its tag. */
export function withDigest({ container, image, checksum }: Image): Image {
  return { container, image, checksum: pinnedDigest(image) ?? checksum ?? `sha256:${sha256(image)}` };
}

export function isSameImage(one: Image, other: Image): boolean {
  return one.container === other.container && one.image === other.image && one.checksum === other.checksum;
}

/** Whether all that is asked for is among what a workload is told; a checksum that is not known matches any. */
export function imagesMatch(told: readonly Image[], asked: readonly Image[]): boolean {
  return asked.every((image) => {
    const one = told.find(({ container }) => container === image.container);
    if (one?.image !== image.image) return false;
    return image.checksum === undefined || image.checksum === (one.checksum ?? withDigest(one).checksum);
  });
}

/** The first image that can never be what it is held against. */
export function mismatchedImage(told: readonly Image[]): Image | undefined {
  return told.find(({ image, checksum }) => {
    const pinned = pinnedDigest(image);
    return pinned !== undefined && checksum !== undefined && pinned !== checksum;
  });
}
