// The schema of one version object in a manifest: its fields in the order in which they are written and shown, with
// the rules of each. `Version` in model/version.ts is the type of a version whose optional fields are filled in.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { SchemaType, Schema } from '../../foundation/schema/schema.ts';
import { textSchema } from '../../foundation/schema/text.ts';
import {
  BUILD_PATTERN,
  BUILD_RULE,
  VERSION_PATTERN,
  VERSION_RULE,
  compareVersions,
  isBuild,
  isVersion,
} from '../versionNumber.ts';
import { CONTAINER_SCHEMA } from './container.ts';
import { OBJECTS_SCHEMA } from './objectsReference.ts';
import { unknownFields } from './unknownFields.ts';

const LATEST_DATE = 8.64e15;
const MAX_CONTAINERS = 5000;

function idProblem(id: unknown, { update }: JsonObject): string | undefined {
  const [kind, prefix] = update === 'patch' ? ['patch', 'pat_'] : ['release', 'rel_'];
  return typeof id === 'string' && id.startsWith(prefix) ? undefined : `of a ${kind} must begin with ${prefix}`;
}

function previousVersionProblem(value: unknown, { update, version }: JsonObject): string | undefined {
  if (update === 'patch') {
    const isOwn = value === undefined || value === version;
    return isOwn ? undefined : 'of a patch must be the version of the patch, or be left out';
  }
  if (value === '') return undefined;
  if (!isVersion(value)) return `${VERSION_RULE}, or "" for a release that needs no previous one`;
  const isOlder = !isVersion(version) || compareVersions(value, version) < 0;
  return isOlder ? undefined : 'must be older than version';
}

function previousBuildProblem(value: unknown, { update, build, previousVersion }: JsonObject): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (update !== 'patch') return previousVersion === '' ? 'needs a previousVersion' : undefined;
  return !isBuild(build) || Number(value) < Number(build) ? undefined : 'of a patch must be lower than build';
}

export const VERSION_SCHEMA = {
  type: 'object',
  rule: 'must be an object',
  required: ['id', 'update', 'version', 'build', 'containers'],
  properties: {
    id: {
      type: 'string',
      pattern: /^(?:rel|pat)_[\w.-]{1,100}$/,
      rule: 'must be rel_ or pat_ and at most 100 letters, digits, "_", "-" or "."',
      check: idProblem,
    },
    name: textSchema(200),
    description: textSchema(4000),
    update: { enum: ['patch', 'release'], rule: 'must be patch or release' },
    version: { type: 'string', pattern: VERSION_PATTERN, rule: VERSION_RULE },
    build: { type: 'string', pattern: BUILD_PATTERN, rule: BUILD_RULE },
    /** The own version of a patch; empty for a release that can be installed on a deployment of unknown version. */
    previousVersion: { type: 'string', rule: previousVersionProblem, check: previousVersionProblem },
    /** Empty if any build of the previous version will do. */
    previousBuild: {
      type: 'string',
      pattern: new RegExp(`^$|${BUILD_PATTERN.source}`),
      rule: BUILD_RULE,
      check: previousBuildProblem,
    },
    /** In milliseconds since the Unix epoch; 0 if unknown. */
    released: { type: 'integer', minimum: 0, maximum: LATEST_DATE, rule: 'must be a time in milliseconds' },
    releaseNotes: textSchema(4000),
    newLicensesRequired: { type: 'boolean', rule: 'must be true or false' },
    containers: {
      type: 'array',
      minItems: 1,
      maxItems: MAX_CONTAINERS,
      items: CONTAINER_SCHEMA,
      distinct: { key: 'name', noun: 'container' },
      rule: `must be an array of 1 to ${MAX_CONTAINERS} objects`,
    },
    /** The bundle; absent if the version changes images only. */
    objects: OBJECTS_SCHEMA,
  },
} as const satisfies Schema;

export type VersionInput = SchemaType<typeof VERSION_SCHEMA>;

/** A version whose optional fields are filled in. Only `objects` may be absent: it has no value that means the same. */
export type CompleteVersion = Required<Omit<VersionInput, 'objects'>> & Pick<VersionInput, 'objects'>;

/**
 * What is written after the containers: the fields that servers from before them keep as unknown fields, in the same order, so that
 * a signature is valid for both.
 */
const { objects: _, ...OLDEST_FIELDS } = VERSION_SCHEMA.properties;

/** Fills in the optional fields and puts all fields into the order of the schema. Unknown fields come last and are kept. */
export function completeVersion(found: VersionInput): CompleteVersion {
  const { id, update, version, build } = found;
  return {
    id,
    name: found.name ?? id,
    description: found.description ?? '',
    update,
    version,
    build,
    previousVersion: found.previousVersion ?? version,
    previousBuild: found.previousBuild ?? '',
    released: found.released ?? 0,
    releaseNotes: found.releaseNotes ?? '',
    newLicensesRequired: found.newLicensesRequired ?? false,
    containers: found.containers.map((one) => {
      const { name, checksum, image } = one;
      return { name, checksum, image, ...unknownFields(CONTAINER_SCHEMA, one) };
    }),
    ...unknownFields({ properties: OLDEST_FIELDS }, found),
  };
}
