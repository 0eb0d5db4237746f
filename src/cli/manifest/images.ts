import { isObject, parseJson } from '../../foundation/schema/json.ts';
import { placeInWords } from '../../foundation/schema/problemPlace.ts';
import { parse } from '../../foundation/schema/schema.ts';
import type { Container } from '../../model/manifest/container.ts';
import { CONTAINER_SCHEMA, digestOf } from '../../model/manifest/container.ts';
import type { NamedImage } from './clusterImages.ts';
import { clusterImages } from './clusterImages.ts';

export interface Images {
  readonly containers: readonly Container[];
  readonly problems: readonly string[];
}

type ReadContainer =
  | { readonly kind: 'valid'; readonly value: Container }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const containerPlace = placeInWords(CONTAINER_SCHEMA);

/** Names an image by the last part of its path: `registry.example:5000/acme/web:11.0@sha256:…` is `web`. */
function nameOf(image: string): string {
  return /([^/:@]*)(?::[^/:@]*)?(?:@.*)?$/.exec(image)?.[1] ?? image;
}

/** Reads lines of `name image`, or of an image alone. A # starts a comment. */
function listedImages(text: string): readonly NamedImage[] {
  return text.split(/\r?\n/).flatMap((line, n) => {
    const [first, second, ...more] = line
      .replace(/(?:^|\s)#.*$/, '')
      .split(/\s+/)
      .filter((word) => word !== '');
    if (first === undefined) return [];
    const place = `line ${n + 1}`;
    if (second === undefined) return [{ place, name: nameOf(first), image: first }];
    return [more.length === 0 ? { place, name: first, image: second } : { place, name: undefined, image: undefined }];
  });
}

function imagesInArray(list: readonly unknown[]): readonly NamedImage[] {
  return list.map((one, n) => {
    const place = `entry ${n + 1}`;
    if (typeof one === 'string') return { place, name: nameOf(one), image: one };
    return isObject(one)
      ? { place, name: one['name'], image: one['image'], checksum: one['checksum'] }
      : { place, name: undefined, image: undefined };
  });
}

/** Returns undefined if the text starts like JSON and is not JSON. */
function imagesIn(text: string): readonly NamedImage[] | undefined {
  if (!/^\s*[[{]/.test(text)) return listedImages(text);
  const document = parseJson(text.trim());
  if (document === undefined) return undefined;
  return Array.isArray(document) ? imagesInArray(document) : clusterImages(document);
}

function invalid(problem: string): ReadContainer {
  return { kind: 'invalid', problems: [problem] };
}

function readContainer({ name, image, checksum: given }: NamedImage): ReadContainer {
  if (name === undefined || image === undefined) return invalid('must be a name and an image');
  const checksum = given ?? (typeof image === 'string' ? digestOf(image) : undefined);
  if (checksum === undefined) return invalid('the image must be pinned, as image@sha256: and 64 hex digits');
  return parse(CONTAINER_SCHEMA, { name, checksum, image }, containerPlace);
}

/** Reads the containers of a version from a list of images. Repeated images count once: a cluster runs many copies. */
export function readImages(text: string): Images {
  const images = imagesIn(text);
  if (images === undefined) return { containers: [], problems: ['it begins like JSON, but is not'] };
  const seen = new Map<string, { readonly container: Container; readonly place: string }>();
  const problems: string[] = images.length === 0 ? ['it names no image'] : [];
  for (const image of images) {
    const { place } = image;
    const read = readContainer(image);
    if (read.kind === 'invalid') {
      problems.push(...read.problems.map((problem) => `${place}: ${problem}`));
      continue;
    }
    const container = read.value;
    const earlier = seen.get(container.name);
    if (earlier === undefined) seen.set(container.name, { container, place });
    else if (earlier.container.image !== container.image || earlier.container.checksum !== container.checksum)
      problems.push(`${place}: ${container.name} has another image than in ${earlier.place}`);
  }
  return { containers: [...seen.values()].map(({ container }) => container), problems };
}
