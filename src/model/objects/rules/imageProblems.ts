// Compares the images in the workloads of a bundle with the containers of its version: they must be the same.
import { printable } from '../../../foundation/text/printable.ts';
import type { Container } from '../../version/container.ts';
import { digestOf } from '../../version/container.ts';
import { containerFinder } from '../../version/containerAddress.ts';
import type { BundleObject } from '../bundleObject.ts';
import { containersOf } from '../podTemplate.ts';

const MAX_SHOWN = 300;

interface ImageName {
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | undefined;
}

function nameOf(image: string): ImageName {
  const [named = ''] = image.split('@');
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const repository = hasTag ? named.slice(0, colon) : named;
  return { repository, tag: hasTag ? named.slice(colon + 1) : '', digest: digestOf(image) };
}

/** Whether a reference in a bundle is the image of a container. A digest decides; without one, the tags must be equal. */
function isSameImage(image: string, { image: wanted, checksum }: Container): boolean {
  const [one, other] = [nameOf(image), nameOf(wanted)];
  if (one.repository !== other.repository) return false;
  return one.digest === undefined ? one.tag === other.tag : one.digest === checksum;
}

/** Containers and images of a bundle may be any text. */
function shown(text: string): string {
  return text === '' ? '""' : printable(text.slice(0, MAX_SHOWN));
}

/** Names each container of a bundle, also of a hook, whose image differs from that of the version. */
export function imageProblems(objects: readonly BundleObject[], containers: readonly Container[]): readonly string[] {
  const find = containerFinder(containers);
  return objects.flatMap(({ name, content }) =>
    containersOf(content).flatMap(({ container, image }) => {
      const entry = find({ name }, container);
      if (entry !== undefined && isSameImage(image, entry)) return [];
      const what = `${name}: the container ${shown(container)} has the image ${shown(image)}`;
      return [`${what}, and the version has ${entry === undefined ? 'no entry for it' : entry.image}`];
    }),
  );
}
