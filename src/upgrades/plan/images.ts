import type { Version } from '../../model/version.ts';
import type { Image, Workload } from '../../model/workload.ts';

/** The images that a target gives to a workload. */
export type ImagesFor = (workload: Workload) => readonly Image[];

/** Matches containers by name. Containers that no version names keep their image; a later version takes precedence. */
export function imagesOf(...versions: readonly Version[]): ImagesFor {
  const known = new Map(versions.flatMap(({ containers }) => containers.map((one) => [one.name, one] as const)));
  return ({ images }) =>
    images.map((current) => {
      const next = known.get(current.container);
      return next === undefined
        ? current
        : { container: current.container, image: next.image, checksum: next.checksum };
    });
}

export function isSameImages(one: readonly Image[], other: readonly Image[]): boolean {
  return (
    one.length === other.length &&
    one.every((image, n) => image.image === other[n]?.image && image.checksum === other[n]?.checksum)
  );
}

export function imageNames(images: readonly Image[]): string {
  return images.map(({ image }) => image).join(', ');
}
