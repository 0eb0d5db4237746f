import type { Container } from '../../model/version/container.ts';
import type { FindContainer } from '../../model/version/containerAddress.ts';
import { containerFinder } from '../../model/version/containerAddress.ts';
import type { Version } from '../../model/version.ts';
import type { Image, Workload } from '../../model/workload.ts';
import type { Deployment } from '../ports/deployment.ts';

/** The reference to configure for an image of a manifest, as the deployment tells. */
export type ReferenceFor = Deployment['referenceFor'];

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
export function imagesOf(referenceFor: ReferenceFor, versions: readonly Version[]): ImagesFor {
  const finders = versions.map(({ containers }) => containerFinder(containers)).toReversed();
  return (workload) =>
    workload.images.map((current) => {
      const next = firstFound(finders, workload, current.container);
      return next === undefined
        ? current
        : {
            container: current.container,
            image: referenceFor(next.image, next.checksum),
            checksum: next.checksum,
          };
    });
}

/** Whether two references name the same image, if it has the same checksum: one of them may be pinned to it. */
function isSameReference(one: string, other: string): boolean {
  const [[name, digest], [otherName, otherDigest]] = [one.split('@'), other.split('@')];
  return one === other || (name === otherName && (digest === undefined) !== (otherDigest === undefined));
}

function isSameImage(one: Image, other: Image | undefined): boolean {
  return other !== undefined && one.checksum === other.checksum && isSameReference(one.image, other.image);
}

export function isSameImages(one: readonly Image[], other: readonly Image[]): boolean {
  return one.length === other.length && one.every((image, n) => isSameImage(image, other[n]));
}

/** Whether an image may be the expected one: an unknown checksum, as that of a CronJob, and another registry do not count. */
function maybeSame(one: Image, other: Image | undefined): boolean {
  if (other === undefined) return false;
  const isPinned = one.checksum !== undefined && one.image.endsWith(`@${one.checksum}`);
  if (isPinned && one.checksum === other.checksum) return true;
  return isSameImage({ ...one, checksum: one.checksum ?? other.checksum }, other);
}

/** Whether a workload certainly has other images. */
export function isDrifted(present: readonly Image[], expected: readonly Image[]): boolean {
  return !present.every((image, n) => maybeSame(image, expected[n]));
}

/** What a workload runs, or will run when its rollout is complete: until then, the checksums are those of the old pods. */
export function imagesToRun({ images, rollout }: Workload): readonly Image[] {
  return rollout === undefined ? images : images.map((image) => ({ ...image, checksum: undefined }));
}

export function imageNames(images: readonly Image[]): string {
  return images.map(({ image }) => image).join(', ');
}
