// The licence for a release: when it is needed, and what is checked in its file. Used when an upgrade is planned or
// accepted.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { DAY } from '../foundation/clock.ts';
import { readIsoTime } from '../foundation/text/isoTime.ts';
import { duplicateKey } from '../foundation/schema/duplicateKey.ts';
import type { JsonObject } from '../foundation/schema/json.ts';
import { isObject } from '../foundation/schema/json.ts';
import { FILE_LIMITS, TOO_DEEP, sizeProblem } from '../foundation/schema/jsonText.ts';
import type { Schema } from '../foundation/schema/schema.ts';
import { problems } from '../foundation/schema/schema.ts';
import { compareVersions } from './versionNumber.ts';
import type { CurrentVersion, Version } from './version.ts';

const LATEST_DATE = 8.64e15;

/** The step from 10.9.1 to 11.0 always needs a licence; other steps need one if the version says so. */
export function needsLicence(version: Version, from: CurrentVersion): boolean {
  if (version.newLicensesRequired) return true;
  const isThatStep = from !== undefined && compareVersions(from.version, '10.9.1') === 0;
  return isThatStep && version.update === 'release' && compareVersions(version.version, '11.0') === 0;
}

/** Refuses a text that is nested too deeply for `canonical`, and one with a key twice: other readers would read it differently. */
function readObject(text: string): JsonObject | string {
  const size = sizeProblem(text, FILE_LIMITS);
  if (size !== undefined && size !== TOO_DEEP) return size;
  const json = text.replace(/^\ufeff/, '');
  let licence: unknown;
  try {
    licence = JSON.parse(json);
    canonical(licence);
  } catch {
    licence = undefined;
  }
  if (!isObject(licence)) return 'must be a JSON object';
  const key = duplicateKey(json);
  return key === undefined ? licence : `has the key ${JSON.stringify(key).slice(0, 80)} more than once`;
}

/** Writes what a signature covers: keys in order, no white space. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/** Returns the bytes that the issuer of a licence signs with Ed25519. */
export function signedPart(licence: JsonObject): Buffer {
  const rest = Object.entries(licence).filter(([key]) => key !== 'signature');
  return Buffer.from(canonical(Object.fromEntries(rest)), 'utf8');
}

function isSigned(licence: JsonObject, publicKeyPem: string): boolean {
  const { signature } = licence;
  if (typeof signature !== 'string') return false;
  return verify(null, signedPart(licence), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'));
}

/** The first moment at which the licence is no longer valid. A date without a time includes its day, in UTC. */
function expiryOf(expires: unknown): number | undefined {
  if (typeof expires === 'number') return Math.abs(expires) <= LATEST_DATE ? expires : undefined;
  const read = typeof expires === 'string' ? readIsoTime(expires) : undefined;
  return read === undefined ? undefined : read.at + (read.kind === 'date' ? DAY : 0);
}

function expiryProblem({ expires }: JsonObject, now: number): string | undefined {
  const expiry = expiryOf(expires);
  if (expiry === undefined || now < expiry) return undefined;
  const isDate = typeof expires === 'string' && readIsoTime(expires)?.kind === 'date';
  return isDate
    ? `the licence expired at the end of ${expires} (UTC)`
    : `the licence expired on ${new Date(expiry).toISOString()}`;
}

function requirement(wanted: string): (value: unknown) => string {
  return (value) => `must be "${wanted}", not ${JSON.stringify(value).slice(0, 80)}`;
}

const EXPIRES_RULE = 'must be a time in milliseconds or an ISO date such as 2027-12-31';

/** All fields are optional, and others are allowed. */
function licenceSchema(product: string, version: string): Schema {
  const versionRule = requirement(version);
  return {
    type: 'object',
    properties: {
      product: { enum: [product], rule: requirement(product) },
      version: {
        type: 'string',
        pattern: /^\d+(\.\d+)*$/,
        rule: versionRule,
        check: (value) =>
          typeof value !== 'string' || compareVersions(value, version) === 0 ? undefined : versionRule(value),
      },
      expires: {
        type: ['number', 'string'],
        rule: EXPIRES_RULE,
        check: (value) => (value === undefined || expiryOf(value) !== undefined ? undefined : EXPIRES_RULE),
      },
    },
  };
}

export type ReadLicence =
  /** `content` is what was verified, as JSON. Only this text is passed on, never the original one. */
  | { readonly kind: 'valid'; readonly content: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** What a licence must be for. */
export interface LicenceScope {
  readonly product: string;
  readonly version: string;
  readonly now: number;
  /** In PEM; undefined if licences need not be signed. */
  readonly publicKey: string | undefined;
}

/** Reads and verifies a licence. Names every problem. */
export function readLicence(text: string, { product, version, now, publicKey }: LicenceScope): ReadLicence {
  const licence = readObject(text);
  if (typeof licence === 'string') return { kind: 'invalid', problems: [licence] };
  const expired = expiryProblem(licence, now);
  const found = [
    ...problems(licenceSchema(product, version), licence, ({ path: [field] }) => `its field \`${field}\` `),
    ...(expired === undefined ? [] : [expired]),
    ...(publicKey === undefined || isSigned(licence, publicKey)
      ? []
      : ['the licence is not signed by the key in STEWARD_LICENCE_KEY']),
  ];
  return found.length === 0
    ? { kind: 'valid', content: JSON.stringify(licence) }
    : { kind: 'invalid', problems: found };
}

/** Identifies a verified content. */
export function licenceHash(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the content of a licence that was verified before, or undefined if it is not the one with this hash. */
export function verifiedLicence(text: string, hash: string): string | undefined {
  const licence = readObject(text);
  const content = typeof licence === 'string' ? undefined : JSON.stringify(licence);
  return content !== undefined && licenceHash(content) === hash ? content : undefined;
}
