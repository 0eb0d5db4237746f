// Resolves images that are named by tag to the digest that the registry has for the tag now.
import { mapInParallel } from '../../foundation/flow/mapInParallel.ts';
import { CONTAINER_FIELDS, digestOf } from '../../model/version/container.ts';
import type { NamedImage } from './clusterImages.ts';

export type FoundDigest =
  | { readonly kind: 'found'; readonly digest: string }
  | { readonly kind: 'absent' | 'unknown'; readonly reason: string };

/** The registries of the images, as a command asks them. */
export interface ImageRegistry {
  find(image: string): Promise<FoundDigest>;
  close(): Promise<void>;
}

/** Opens the registries. It is called only if an image is named by tag, because most commands need none. */
export type OpenRegistry = () => Promise<ImageRegistry>;

function isByTag({ image, checksum }: NamedImage): boolean {
  return typeof image === 'string' && checksum === undefined && digestOf(image) === undefined && !image.includes('@');
}

function isImageName(image: unknown): image is string {
  return typeof image === 'string' && CONTAINER_FIELDS.image.pattern.test(image);
}

function withNameProblem(one: NamedImage): NamedImage {
  return isByTag(one) && !isImageName(one.image) ? { ...one, problem: `image ${CONTAINER_FIELDS.image.rule}` } : one;
}

async function findAll(names: readonly string[], registry: ImageRegistry): Promise<ReadonlyMap<string, FoundDigest>> {
  return new Map(await mapInParallel(names, async (name) => [name, await registry.find(name)] as const));
}

function problemOf({ name, image }: NamedImage, { kind, reason }: Exclude<FoundDigest, { kind: 'found' }>): string {
  const what = `the container ${String(name)} has the image ${String(image)}`;
  return kind === 'absent'
    ? `${what}, but ${reason}. Push it, or correct its tag`
    : `${what}, whose digest is not known: ${reason}. Try again, or pin it as image@sha256:…`;
}

/** Gives each image that is named by tag its checksum, or the problem that the registry has with it. */
export async function resolveTags(images: readonly NamedImage[], open: OpenRegistry): Promise<readonly NamedImage[]> {
  const checked = images.map(withNameProblem);
  const names = new Set(checked.filter(isByTag).flatMap(({ image }) => (isImageName(image) ? [image] : [])));
  if (names.size === 0) return checked;
  const registry = await open();
  try {
    const found = await findAll([...names], registry);
    return checked.map((one) => {
      const answer = isByTag(one) && isImageName(one.image) ? found.get(one.image) : undefined;
      if (answer === undefined) return one;
      return answer.kind === 'found'
        ? { ...one, checksum: answer.digest }
        : { ...one, problem: problemOf(one, answer) };
    });
  } finally {
    await registry.close();
  }
}
