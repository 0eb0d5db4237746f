// A manifest file: the bare array of versions, or an object with `product`, `versions` and `signature`. Fields that this
// version of Steward does not know are kept and signed, so that an older server can pass on what a newer one needs.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject, readJson } from '../../foundation/schema/json.ts';
import { FILE_LIMITS, sizeProblem } from '../../foundation/schema/jsonText.ts';
import { placeInWords } from '../../foundation/schema/problemPlace.ts';
import type { Schema } from '../../foundation/schema/schema.ts';
import { firstProblems, parse } from '../../foundation/schema/schema.ts';
import { textSchema } from '../../foundation/schema/text.ts';
import type { Version } from '../version.ts';
import { CONTAINER_SCHEMA } from '../version/container.ts';
import { OBJECTS_SCHEMA } from '../version/objectsReference.ts';
import { TooDeep, unknownFieldWarnings, unknownFields } from '../version/unknownFields.ts';
import { VERSION_SCHEMA, completeVersion } from '../version/versionSchema.ts';

/** What surrounds the versions. */
export interface ManifestEnvelope {
  /** Absent if the file names none. */
  readonly product?: string;
  /** Unknown fields of the file. */
  readonly others?: JsonObject;
}

export interface Manifest extends ManifestEnvelope {
  readonly versions: readonly Version[];
  /** Ed25519 over `signedText`, in base64. */
  readonly signature: string | undefined;
}

export type ReadManifest =
  | { readonly kind: 'valid'; readonly manifest: Manifest; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The product of a manifest that names none. */
export const DEFAULT_PRODUCT = 'Product';

const MAX_VERSIONS = 500;
const MAX_WARNINGS = 20;

const VERSIONS_SCHEMA = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_VERSIONS,
  items: VERSION_SCHEMA,
  distinct: { key: 'id', noun: 'version', label: /^[\w.-]{1,104}$/ },
  rule: `must contain an array of 1 to ${MAX_VERSIONS} versions`,
} as const satisfies Schema;

const ENVELOPE_SCHEMA = {
  type: 'object',
  properties: {
    product: textSchema(200),
    versions: {},
    signature: {
      type: 'string',
      // 64 bytes. The last letter before the padding has four unused bits, which must be zero: one signature, one spelling.
      pattern: /^[A-Za-z\d+/]{85}[AQgw]==$/,
      rule: 'must be 64 bytes in base64',
    },
  },
} as const satisfies Schema;

const placeInVersions = placeInWords(VERSIONS_SCHEMA);
const placeInEnvelope = placeInWords(ENVELOPE_SCHEMA);

/** `requires` is kept like an unknown field and has an effect. */
function withoutRequires(version: Version): JsonObject {
  const { requires: _, ...others }: JsonObject = { ...version };
  return others;
}

function warningsOf(whole: JsonObject, versions: readonly Version[]): readonly string[] {
  const found = versions.flatMap((version, n) => [
    ...unknownFieldWarnings(VERSION_SCHEMA, withoutRequires(version), `versions[${n}]`),
    ...unknownFieldWarnings(OBJECTS_SCHEMA, version.objects ?? {}, `versions[${n}].objects`),
    ...version.containers.flatMap((one, at) =>
      unknownFieldWarnings(CONTAINER_SCHEMA, one, `versions[${n}].containers[${at}]`),
    ),
  ]);
  return firstProblems([...unknownFieldWarnings(ENVELOPE_SCHEMA, whole, ''), ...found], MAX_WARNINGS);
}

function envelopeOf(product: string | undefined, others: JsonObject): ManifestEnvelope {
  return { ...(product !== undefined && { product }), ...(Object.keys(others).length > 0 && { others }) };
}

function readDocument(document: unknown): ReadManifest {
  const whole = isObject(document) ? document : { versions: document };
  const versions = parse(VERSIONS_SCHEMA, whole['versions'], placeInVersions);
  const envelope = parse(ENVELOPE_SCHEMA, whole, placeInEnvelope);
  if (versions.kind === 'invalid' || envelope.kind === 'invalid') {
    const problems = [versions, envelope].flatMap((one) => (one.kind === 'invalid' ? one.problems : []));
    return { kind: 'invalid', problems };
  }
  const { product, signature } = envelope.value;
  const completed = versions.value.map(completeVersion);
  const manifest = { ...envelopeOf(product, unknownFields(ENVELOPE_SCHEMA, whole)), versions: completed, signature };
  return { kind: 'valid', manifest, warnings: warningsOf(whole, completed) };
}

/** Reads a file. Names all problems at once, and warns of unknown fields. */
export function readManifest(text: string): ReadManifest {
  const size = sizeProblem(text, FILE_LIMITS);
  if (size !== undefined) return { kind: 'invalid', problems: [size] };
  // `trim` also removes a byte order mark.
  const read = readJson(text.trim());
  if (read.kind === 'invalid') return { kind: 'invalid', problems: [read.problem] };
  try {
    return readDocument(read.value);
  } catch (error) {
    if (error instanceof TooDeep)
      return { kind: 'invalid', problems: ['has an unknown field that is nested too deeply'] };
    throw error;
  }
}

/** Writes the same text for the same versions: keys in the order of the schema, without white space. */
export function canonicalManifest(versions: readonly Version[]): string {
  return JSON.stringify(versions.map(completeVersion));
}

function envelopeFields({ product, others = {} }: ManifestEnvelope, versions: readonly Version[]): JsonObject {
  return { ...(product !== undefined && { product }), versions: versions.map(completeVersion), ...others };
}

/** Writes what a signature covers: the versions alone, or everything else too if the file has more than versions. */
export function signedText(manifest: Pick<Manifest, 'versions' | 'product' | 'others'>): string {
  const { product, others, versions } = manifest;
  if (product === undefined && others === undefined) return canonicalManifest(versions);
  return JSON.stringify(envelopeFields(manifest, versions));
}

/** Writes a file for people: the bare array if there is nothing but versions. */
export function manifestText(manifest: Manifest): string {
  const { versions, signature, product, others } = manifest;
  const fields = { ...envelopeFields(manifest, versions), ...(signature !== undefined && { signature }) };
  const isBare = signature === undefined && product === undefined && others === undefined;
  return `${JSON.stringify(isBare ? versions.map(completeVersion) : fields, null, 2)}\n`;
}
