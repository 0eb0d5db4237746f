// The licence for a release: when it is needed, and what is checked in its file. Used when an upgrade is planned or
// accepted.
import { createPublicKey, verify } from 'node:crypto';
import type { JsonObject } from '../foundation/schema/json.ts';
import { isObject } from '../foundation/schema/json.ts';
import type { Schema } from '../foundation/schema/schema.ts';
import { problems } from '../foundation/schema/schema.ts';
import { compareVersions } from './versionNumber.ts';
import type { CurrentVersion, Version } from './version.ts';

const PRODUCT = 'Product';

const LATEST_DATE = 8.64e15;

/** The step from 10.9.1 to 11.0 always needs a licence; other steps need one if the version says so. */
export function needsLicence(version: Version, from: CurrentVersion): boolean {
  if (version.newLicensesRequired) return true;
  const isThatStep = from !== undefined && compareVersions(from.version, '10.9.1') === 0;
  return isThatStep && version.update === 'release' && compareVersions(version.version, '11.0') === 0;
}

function readLicence(text: string): JsonObject | undefined {
  try {
    const licence: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    // Refuse a text that is nested too deeply for `canonical`.
    canonical(licence);
    return isObject(licence) ? licence : undefined;
  } catch {
    return undefined;
  }
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

function expiryOf(expires: unknown): number | undefined {
  const at = typeof expires === 'number' ? expires : typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  return Math.abs(at) <= LATEST_DATE ? at : undefined;
}

function requirement(wanted: string): (value: unknown) => string {
  return (value) => `must be "${wanted}", it is ${JSON.stringify(value).slice(0, 80)}`;
}

const EXPIRES_RULE = 'must be a time in milliseconds or an ISO date';

/** All fields are optional, and others are allowed. */
function licenceSchema(version: string): Schema {
  const versionRule = requirement(version);
  return {
    type: 'object',
    properties: {
      product: { enum: [PRODUCT], rule: requirement(PRODUCT) },
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

/** Names every problem of a licence for this version. */
export function licenceProblems(
  text: string,
  { version }: Version,
  now: number,
  publicKeyPem: string | undefined,
): readonly string[] {
  const licence = readLicence(text);
  if (licence === undefined) return ['must be a JSON object'];
  const expiry = expiryOf(licence['expires']);
  return [
    ...problems(licenceSchema(version), licence, ({ path: [field] }) => `its ${field} `),
    ...(expiry !== undefined && expiry <= now ? [`it expired on ${new Date(expiry).toISOString()}`] : []),
    ...(publicKeyPem === undefined || isSigned(licence, publicKeyPem)
      ? []
      : ['its signature is not that of the key in STEWARD_LICENCE_KEY']),
  ];
}
