export interface ManifestContainer {
  readonly name: string;
  /** What the running image is held against: `sha256:` and 64 hex digits. */
  readonly checksum: string;
  readonly image: string;
}

export type Found = Readonly<Record<string, unknown>>;

const NAME = /^[a-z\d](?:[a-z\d.-]{0,61}[a-z\d])?$/;
const CHECKSUM = /^sha256:[\da-f]{64}$/;
const IMAGE =
  /^(?:[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?(?::\d{1,5})?\/)?[a-z\d]+(?:(?:\.|__?|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:\.|__?|-+)[a-z\d]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[\da-f]{64})?$/;
const LONGEST_IMAGE = 500;
const FIELDS = ['name', 'checksum', 'image'];

export function isObject(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name from a file is told only if it cannot do harm on a terminal or in a log. */
export function unknownFields(found: Found, known: readonly string[]): readonly string[] {
  return Object.keys(found)
    .filter((key) => !known.includes(key))
    .map(
      (key) => `there is no field ${/^[\w.-]{1,60}$/.test(key) ? `"${key}"` : 'of such a name (it is unprintable)'}`,
    );
}

/** Of an image that is pinned, `registry/name@sha256:…`. */
export function digestOf(image: string): string | undefined {
  return /@(sha256:[\da-f]{64})$/.exec(image)?.[1];
}

export function containerProblems(found: unknown): readonly string[] {
  if (!isObject(found)) return ['must be an object with name, checksum and image'];
  const { name, checksum, image } = found;
  const isImage = typeof image === 'string' && image.length <= LONGEST_IMAGE && IMAGE.test(image);
  const digest = isImage ? digestOf(image) : undefined;
  return [
    ...(typeof name === 'string' && NAME.test(name)
      ? []
      : ['name must be 1 to 63 lower-case letters, digits, "-" or "."']),
    ...(typeof checksum === 'string' && CHECKSUM.test(checksum)
      ? []
      : ['checksum must be sha256: and 64 lower-case hex digits']),
    ...(isImage ? [] : ['image must be the name of an image, such as registry.example/web:11.0']),
    ...(digest === undefined || digest === checksum ? [] : ['image has another digest than checksum']),
    ...unknownFields(found, FIELDS),
  ];
}

/** All that is wrong with the containers of one version, each problem with its place. */
export function containersProblems(found: unknown, atMost: number): readonly string[] {
  if (!Array.isArray(found) || found.length === 0 || found.length > atMost)
    return [`containers must be an array of 1 to ${atMost} objects`];
  const places = new Map<unknown, number>();
  return found.flatMap((container: unknown, n) => {
    const problems = [...containerProblems(container)];
    const name = isObject(container) ? container['name'] : undefined;
    const earlier = places.get(name);
    if (earlier !== undefined) problems.push(`name is that of container ${earlier}`);
    else if (typeof name === 'string') places.set(name, n + 1);
    return problems.map((problem) => `container ${n + 1}: ${problem}`);
  });
}
