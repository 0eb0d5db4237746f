import type { SchemaType, Schema } from '../../foundation/schema/schema.ts';

const NAME = /^[a-z\d](?:[a-z\d.-]{0,61}[a-z\d])?$/;
/** `container`, `workload/container` or `kind/workload/container`. */
const ADDRESS = /^(?:(?:[A-Za-z]{1,63}\/)?[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?\/)?[a-z\d](?:[a-z\d.-]{0,61}[a-z\d])?$/;
// At most 500 characters: registry, path, tag and digest.
const IMAGE =
  /^(?![^]{501})(?:[A-Za-z\d](?:[A-Za-z\d.-]*[A-Za-z\d])?(?::\d{1,5})?\/)?[a-z\d]+(?:(?:\.|__?|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:\.|__?|-+)[a-z\d]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[\da-f]{64})?$/;

/** Returns the digest of a pinned image, `registry/name@sha256:…`. */
export function digestOf(image: string): string | undefined {
  return /@(sha256:[\da-f]{64})$/.exec(image)?.[1];
}

/** The problem of a pinned image whose digest is not the checksum beside it. */
export function digestProblem(image: unknown, checksum: unknown): string | undefined {
  const digest = typeof image === 'string' ? digestOf(image) : undefined;
  return digest === undefined || digest === checksum ? undefined : 'has a digest that differs from checksum';
}

/** The name of a container within its workload. */
export const CONTAINER_NAME = {
  type: 'string',
  pattern: NAME,
  rule: 'must be 1 to 63 lower-case letters, digits, "-" or "."',
} as const satisfies Schema;

export const CHECKSUM = {
  type: 'string',
  pattern: /^sha256:[\da-f]{64}$/,
  rule: 'must be sha256: and 64 lower-case hex digits',
} as const satisfies Schema;

export const CONTAINER_FIELDS = {
  name: {
    type: 'string',
    pattern: ADDRESS,
    rule: 'must be 1 to 63 lower-case letters, digits, "-" or ".", or workload/container, or kind/workload/container',
  },
  checksum: CHECKSUM,
  image: {
    type: 'string',
    pattern: IMAGE,
    rule: 'must be an image name such as registry.example/web:11.0',
    check: (image, { checksum }) => digestProblem(image, checksum),
  },
} as const satisfies Readonly<Record<string, Schema>>;

/** A running image must have the checksum of its container. */
export const CONTAINER_SCHEMA = {
  type: 'object',
  rule: 'must be an object with name, checksum and image',
  required: ['name', 'checksum', 'image'],
  properties: CONTAINER_FIELDS,
} as const satisfies Schema;

export type Container = SchemaType<typeof CONTAINER_SCHEMA>;
