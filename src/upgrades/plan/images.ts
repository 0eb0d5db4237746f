import type { Container } from '../../model/manifest/container.ts';
import type { FindContainer } from '../../model/manifest/containerAddress.ts';
import { containerFinder } from '../../model/manifest/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import type { Image, Workload } from '../../model/workload.ts';

/** The images that a target gives to a workload. */
export type ImagesFor = (workload: Workload) => readonly Image[];

function firstFound(finders: readonly FindContainer[], workload: Workload, container: string): Container | undefined {
  for (const find of finders) {
    const found = find(workload, container);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Matches containers by their addresses. Containers that no version names keep their image; a later version takes precedence. */
export function imagesOf(...versions: readonly Version[]): ImagesFor {
  const finders = versions.map(({ containers }) => containerFinder(containers)).toReversed();
  return (workload) =>
    workload.images.map((current) => {
      const next = firstFound(finders, workload, current.container);
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
