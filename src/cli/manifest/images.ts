import { isObject, readJson } from '../../foundation/schema/json.ts';
import { placeInWords } from '../../foundation/schema/problemPlace.ts';
import { parse } from '../../foundation/schema/schema.ts';
import type { Container } from '../../model/version/container.ts';
import { CONTAINER_SCHEMA, digestOf } from '../../model/version/container.ts';
import type { Version } from '../../model/version.ts';
import { isClusterDocument } from '../../wire/documents/clusterObjects.ts';
import { readYamlDocuments } from '../../wire/documents/yaml.ts';
import type { ImageRules, NamedImage } from './clusterImages.ts';
import type { KnownAddresses } from './knownAddresses.ts';
import { knownAddresses } from './knownAddresses.ts';
import { clusterImages } from './clusterImages.ts';
import { yamlProblem } from './yamlProblem.ts';

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

export type FoundImages =
  | { readonly kind: 'found'; readonly images: readonly NamedImage[] }
  | { readonly kind: 'unreadable'; readonly problem: string };

export const IMAGES_RULE =
  'must be lines of name and image@sha256:…, a JSON array, what kubectl get -o json prints, or Kubernetes manifests in YAML, as a file or a folder';

/** A file of Kubernetes manifests may be larger than what a request may carry. */
const MAX_YAML_FILE = 16 * 1024 * 1024;

const WITHOUT_HOOKS: ImageRules = { withHooks: false };

function unreadable(problem: string): FoundImages {
  return { kind: 'unreadable', problem };
}

function imagesInJson(text: string, rules: ImageRules): FoundImages {
  const json = readJson(text, 'is not valid JSON');
  if (json.kind === 'invalid') return unreadable(`it starts like JSON, but ${json.problem}`);
  const document = json.value;
  if (Array.isArray(document)) return { kind: 'found', images: imagesInArray(document) };
  return { kind: 'found', images: clusterImages(document, rules) };
}

function imagesInYaml(text: string, rules: ImageRules): FoundImages {
  const documents = readYamlDocuments(text, MAX_YAML_FILE);
  if (documents.kind === 'invalid') return unreadable(`it ${yamlProblem(text, documents.problem)}`);
  const objects = documents.value.filter(isClusterDocument);
  return { kind: 'found', images: objects.flatMap((one) => clusterImages(one, rules)) };
}

/** A text of Kubernetes has a line with `kind:`, which a list of images never has. */
function isManifest(text: string): boolean {
  return /^(?:- )?kind:\s/m.test(text);
}

/** Finds the images in a text. */
export function findImages(text: string, rules: ImageRules = WITHOUT_HOOKS): FoundImages {
  // `trim` also removes a byte order mark.
  const trimmed = text.trim();
  if (/^(?:\[|\{(?!\{))/.test(trimmed)) return imagesInJson(trimmed, rules);
  if (isManifest(trimmed)) return imagesInYaml(trimmed, rules);
  const images = listedImages(text);
  // None of the lines can be an entry: this is another kind of file, such as the output of docker images.
  const isOther = images.length > 1 && images.every(({ image }) => typeof image !== 'string' || !/[/:@]/.test(image));
  return isOther ? unreadable(IMAGES_RULE) : { kind: 'found', images };
}

function invalid(problem: string): ReadContainer {
  return { kind: 'invalid', problems: [problem] };
}

const UNPINNED = 'the image must be pinned, as image@sha256: and 64 hex digits';

function readContainer({ name, image, checksum: given, problem }: NamedImage): ReadContainer {
  if (problem !== undefined) return invalid(problem);
  if (name === undefined || image === undefined) return invalid('must be a name and an image');
  const checksum = given ?? (typeof image === 'string' ? digestOf(image) : undefined);
  if (checksum === undefined) return invalid(UNPINNED);
  return parse(CONTAINER_SCHEMA, { name, checksum, image }, containerPlace);
}

/** A container with its place in the files, and what it is called there. */
interface PlacedContainer {
  readonly container: Container;
  readonly place: string;
  readonly workload: NamedImage['workload'];
  readonly position: number;
}

interface PlacedProblem {
  readonly position: number;
  readonly text: string;
}

interface Addressed {
  readonly containers: readonly Container[];
  readonly problems: readonly PlacedProblem[];
}

function isSame(one: PlacedContainer, other: PlacedContainer): boolean {
  return one.container.image === other.container.image && one.container.checksum === other.container.checksum;
}

/** The addresses of a container, from the shortest on. Without a workload there is only its name. */
function addressesOf({ container: { name }, workload }: PlacedContainer): readonly string[] {
  if (workload === undefined) return [name];
  return [name, `${workload.name}/${name}`, `${workload.kind}/${workload.name}/${name}`];
}

function groupsBy(all: readonly PlacedContainer[], length: number): ReadonlyMap<string, readonly PlacedContainer[]> {
  const groups = new Map<string, PlacedContainer[]>();
  for (const one of all) {
    const address = addressesOf(one)[length] ?? one.container.name;
    groups.set(address, [...(groups.get(address) ?? []), one]);
  }
  return groups;
}

/** Names the containers of one group. Repeated images count once: a cluster runs many copies. */
function addressGroup(
  name: string,
  group: readonly PlacedContainer[],
  length: number,
  known: KnownAddresses,
): Addressed {
  const [first] = group;
  if (first === undefined) return { containers: [], problems: [] };
  const others = group.filter((one) => !isSame(one, first));
  const isAddressable = group.every((one) => addressesOf(one).length > length + 1);
  const isLonger = known.has(first.container.name, length);
  if (others.length === 0 && !(isLonger && isAddressable))
    return { containers: [{ ...first.container, name }], problems: [] };
  if (isAddressable) return addressed(group, known, length + 1);
  const problems = others.map(({ place, position }) => {
    return { position, text: `${place}: ${name} has a different image in ${first.place}` };
  });
  return { containers: [first.container], problems };
}

/** Names each container by the shortest address that means one image only, and that other versions do not exceed. */
function addressed(all: readonly PlacedContainer[], known: KnownAddresses, length = 0): Addressed {
  const named = [...groupsBy(all, length)].map(([name, group]) => addressGroup(name, group, length, known));
  return {
    containers: named.flatMap(({ containers }) => containers),
    problems: named.flatMap(({ problems }) => problems),
  };
}

const MAX_LISTED = 5;

/** Many images by tag are one problem, not a wall of them. */
function summarized(problems: readonly string[]): readonly string[] {
  const unpinned = problems.filter((problem) => problem.endsWith(UNPINNED));
  if (unpinned.length <= MAX_LISTED) return problems;
  const places = unpinned.slice(0, MAX_LISTED).map((problem) => problem.split(': ')[0]);
  const text = `${unpinned.length} images are named by tag only: ${places.join('; ')} and ${unpinned.length - MAX_LISTED} more. Pin them as image@sha256:…, or give what kubectl get pods -o json prints where they run`;
  return [text, ...problems.filter((problem) => !unpinned.includes(problem))];
}

/** Finds the images in several texts, such as the files of a folder. */
export function findImagesInFiles(
  files: readonly { readonly name: string; readonly text: string }[],
  rules: ImageRules = WITHOUT_HOOKS,
): FoundImages {
  const images: NamedImage[] = [];
  for (const { name, text } of files) {
    const found = findImages(text, rules);
    if (found.kind === 'unreadable') return unreadable(`${name}: ${found.problem}`);
    images.push(...found.images.map((one) => ({ ...one, place: `${name}: ${one.place}` })));
  }
  return { kind: 'found', images };
}

/**
 * Reads the containers of a version from the images of files. Names are addresses if a bare name would mean different images. Other
 * versions of its file tell how they address containers.
 */
export function containersOf(found: FoundImages, others: readonly Version[] = []): Images {
  return found.kind === 'unreadable'
    ? { containers: [], problems: [found.problem] }
    : containersFrom(found.images, knownAddresses(others));
}

function containersFrom(images: readonly NamedImage[], known: KnownAddresses): Images {
  const placed: PlacedContainer[] = [];
  const unread: PlacedProblem[] = [];
  for (const [position, image] of images.entries()) {
    const { place, workload } = image;
    const read = readContainer(image);
    if (read.kind === 'valid') placed.push({ container: read.value, place, workload, position });
    else unread.push(...read.problems.map((problem) => ({ position, text: `${place}: ${problem}` })));
  }
  const { containers: named, problems } = addressed(placed, known);
  const containers = named.flatMap(known.addressesFor);
  const inOrder = [...unread, ...problems].toSorted((one, other) => one.position - other.position);
  const texts = inOrder.map(({ text }) => text);
  return { containers, problems: images.length === 0 ? ['it contains no image'] : summarized(texts) };
}
