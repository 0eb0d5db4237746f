import type { ManifestContainer } from '../../wire/documents/manifestContainer.ts';
import { containerProblems, digestOf, isObject } from '../../wire/documents/manifestContainer.ts';
import type { NamedImage } from './clusterImages.ts';
import { clusterImages } from './clusterImages.ts';

export interface Images {
  readonly containers: readonly ManifestContainer[];
  readonly problems: readonly string[];
}

/** `registry.example:5000/acme/web:11.0@sha256:…` is called web. */
function nameOf(image: string): string {
  return /([^/:@]*)(?::[^/:@]*)?(?:@.*)?$/.exec(image)?.[1] ?? image;
}

/** `name image`, or an image alone; what follows a # is a remark. */
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

function imagesIn(text: string): readonly NamedImage[] | undefined {
  if (!/^\s*[[{]/.test(text)) return listedImages(text);
  try {
    const parsed: unknown = JSON.parse(text.trim());
    return Array.isArray(parsed) ? imagesInArray(parsed) : clusterImages(parsed);
  } catch {
    return undefined;
  }
}

function judged({ name, image, checksum: given }: NamedImage): ManifestContainer | readonly string[] {
  if (name === undefined || image === undefined) return ['must be a name and an image'];
  const checksum = given ?? (typeof image === 'string' ? digestOf(image) : undefined);
  if (checksum === undefined) return ['the image must be pinned, as image@sha256: and 64 hex digits'];
  const problems = containerProblems({ name, checksum, image });
  return problems.length > 0 ? problems : ({ name, checksum, image } as ManifestContainer);
}

/** The containers of a version from a list of images. The same one twice counts once, as a cluster has many of it. */
export function readImages(text: string): Images {
  const found = imagesIn(text);
  if (found === undefined) return { containers: [], problems: ['it begins like JSON, but is not'] };
  const seen = new Map<string, { readonly container: ManifestContainer; readonly place: string }>();
  const problems: string[] = found.length === 0 ? ['it names no image'] : [];
  for (const { place, ...image } of found) {
    const container = judged({ place, ...image });
    if (!('name' in container)) {
      problems.push(...container.map((problem) => `${place}: ${problem}`));
      continue;
    }
    const earlier = seen.get(container.name);
    if (earlier === undefined) seen.set(container.name, { container, place });
    else if (earlier.container.image !== container.image || earlier.container.checksum !== container.checksum)
      problems.push(`${place}: ${container.name} has another image than in ${earlier.place}`);
  }
  return { containers: [...seen.values()].map(({ container }) => container), problems };
}
