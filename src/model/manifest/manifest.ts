import { isObject, parseJson } from '../../foundation/schema/json.ts';
import { placeInWords } from '../../foundation/schema/problemPlace.ts';
import type { Schema } from '../../foundation/schema/schema.ts';
import { noSuchField, parse } from '../../foundation/schema/schema.ts';
import type { Version } from '../version.ts';
import { VERSION_SCHEMA, completeVersion } from './versionSchema.ts';

export interface Manifest {
  readonly versions: readonly Version[];
  /** Ed25519 over the canonical form of the versions, in base64. */
  readonly signature: string | undefined;
}

export type ReadManifest =
  | { readonly kind: 'valid'; readonly manifest: Manifest }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const MAX_VERSIONS = 500;

const VERSIONS_SCHEMA = {
  type: 'array',
  minItems: 1,
  maxItems: MAX_VERSIONS,
  items: VERSION_SCHEMA,
  distinct: { key: 'id', noun: 'version', label: /^[\w.-]{1,104}$/ },
  rule: `must hold an array of 1 to ${MAX_VERSIONS} versions`,
} as const satisfies Schema;

/** What surrounds the versions of a signed manifest. */
const ENVELOPE_SCHEMA = {
  type: 'object',
  properties: {
    versions: {},
    signature: {
      type: 'string',
      // 64 bytes. The last letter before the padding has four unused bits, which must be zero: one signature, one spelling.
      pattern: /^[A-Za-z\d+/]{85}[AQgw]==$/,
      rule: 'must be 64 bytes in base64',
    },
  },
  unknownField: noSuchField,
} as const satisfies Schema;

const placeInVersions = placeInWords(VERSIONS_SCHEMA);
const placeInEnvelope = placeInWords(ENVELOPE_SCHEMA);

/** Reads a file: the bare array of versions, or an object with `versions` and `signature`. Names all problems at once. */
export function readManifest(text: string): ReadManifest {
  // `trim` also removes a byte order mark.
  const document = parseJson(text.trim());
  if (document === undefined) return { kind: 'invalid', problems: ['must be JSON'] };
  const whole = isObject(document) ? document : { versions: document };
  const versions = parse(VERSIONS_SCHEMA, whole['versions'], placeInVersions);
  const envelope = parse(ENVELOPE_SCHEMA, whole, placeInEnvelope);
  if (versions.kind === 'valid' && envelope.kind === 'valid') {
    const { signature } = envelope.value;
    return { kind: 'valid', manifest: { versions: versions.value.map(completeVersion), signature } };
  }
  const problems = [versions, envelope].flatMap((one) => (one.kind === 'invalid' ? one.problems : []));
  return { kind: 'invalid', problems };
}

/** Writes the same text for the same versions: keys in the order of the schema, without white space. */
export function canonicalManifest(versions: readonly Version[]): string {
  return JSON.stringify(versions.map(completeVersion));
}

/** Writes a file for people: the bare array if there is no signature. */
export function manifestText({ versions, signature }: Manifest): string {
  const inOrder = versions.map(completeVersion);
  return `${JSON.stringify(signature === undefined ? inOrder : { versions: inOrder, signature }, null, 2)}\n`;
}
