/** A reference of an image: `registry/repository:tag@digest`, where registry, tag and digest may be absent. */
export interface ImageReference {
  /** With its port; empty if the reference names none. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const DIGEST = /^sha256:[\da-f]{64}$/;

export function parseReference(text: string): ImageReference {
  const [named = '', digest] = text.split('@');
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const [path, tag] = hasTag ? [named.slice(0, colon), named.slice(colon + 1)] : [named, undefined];
  const [first = '', ...rest] = path.split('/');
  const isRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return {
    registry: isRegistry ? first : '',
    repository: isRegistry ? rest.join('/') : path,
    tag,
    digest: digest !== undefined && DIGEST.test(digest) ? digest : undefined,
  };
}

/** Pins a reference to a digest. The tag stays, for people. */
export function pinned(image: string, digest: string | undefined): string {
  return digest === undefined || image.includes('@') ? image : `${image}@${digest}`;
}

/** The digest in the `imageID` of a running container: of the manifest, or of the image's configuration if it was not pulled. */
export function digestOfImageId(imageId: string): string | undefined {
  return /sha256:[\da-f]{64}/.exec(imageId)?.[0];
}

/** A prefix of image names, and what replaces it. */
export interface Rewrite {
  readonly from: string;
  readonly to: string;
}

/** Replaces the longest prefix that matches whole parts of the name: `a/b` matches `a/b/c` and `a/b:1`, not `a/bc`. */
export function rewritten(image: string, rewrites: readonly Rewrite[]): string {
  // A colon before a slash is that of a port, which belongs to the name of the registry.
  const matching = rewrites.filter(
    ({ from }) => image.startsWith(from) && /^(?:[/@]|$|:[^/]*$)/.test(image.slice(from.length)),
  );
  const [longest] = matching.toSorted((one, other) => other.from.length - one.from.length);
  return longest === undefined ? image : `${longest.to}${image.slice(longest.from.length)}`;
}
