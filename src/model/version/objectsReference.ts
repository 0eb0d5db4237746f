import type { SchemaType, Schema } from '../../foundation/schema/schema.ts';
import { CHECKSUM, CONTAINER_FIELDS, digestOf } from './container.ts';

/** The bundle of a version: its checksum, and where a registry has it. The signature of the manifest covers the bundle by its checksum. */
export const OBJECTS_SCHEMA = {
  type: 'object',
  rule: 'must be an object with checksum, and image if a registry has the bundle',
  required: ['checksum'],
  properties: {
    checksum: CHECKSUM,
    /** Absent if the bundle is imported as a file. Its digest is that of the artifact, not of the bundle in it. */
    image: {
      type: 'string',
      pattern: CONTAINER_FIELDS.image.pattern,
      rule: 'must be an artifact such as registry.example/shop@sha256: and 64 hex digits',
      check: (image) =>
        typeof image !== 'string' || digestOf(image) !== undefined
          ? undefined
          : 'must be pinned, as registry.example/shop@sha256: and 64 hex digits',
    },
  },
} as const satisfies Schema;

export type ObjectsReference = SchemaType<typeof OBJECTS_SCHEMA>;
