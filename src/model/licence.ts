import { createPublicKey, verify } from 'node:crypto';
import { compareVersions } from './versionNumber.ts';
import type { CurrentVersion, Version } from './version.ts';

const PRODUCT = 'Product';

const LATEST_DATE = 8.64e15;

/** From 10.9.1 to 11.0 always, and wherever the version says so. */
export function needsLicence(version: Version, from: CurrentVersion): boolean {
  if (version.newLicensesRequired) return true;
  const isThatStep = from !== undefined && compareVersions(from.version, '10.9.1') === 0;
  return isThatStep && version.update === 'release' && compareVersions(version.version, '11.0') === 0;
}

type Found = Readonly<Record<string, unknown>>;

function parse(text: string): Found | undefined {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    // One that is nested too deeply to be written out again is none.
    canonical(parsed);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Found) : undefined;
  } catch {
    return undefined;
  }
}

/** Keys in order, no white space: what a signature is over. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/** The bytes that the issuer of a licence signs with Ed25519. */
export function signedPart(licence: Found): Buffer {
  const rest = Object.entries(licence).filter(([key]) => key !== 'signature');
  return Buffer.from(canonical(Object.fromEntries(rest)), 'utf8');
}

function isSigned(licence: Found, publicKeyPem: string): boolean {
  const { signature } = licence;
  if (typeof signature !== 'string') return false;
  return verify(null, signedPart(licence), createPublicKey(publicKeyPem), Buffer.from(signature, 'base64'));
}

function expiryOf(expires: unknown): number | undefined {
  const at = typeof expires === 'number' ? expires : typeof expires === 'string' ? Date.parse(expires) : Number.NaN;
  return Math.abs(at) <= LATEST_DATE ? at : undefined;
}

/** As much of it as fits into a line. */
function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 80);
}

/** All that is wrong with a licence for this version, in words; product, version and expiry count where they are there. */
export function licenceProblems(
  text: string,
  version: Version,
  now: number,
  publicKeyPem: string | undefined,
): readonly string[] {
  const licence = parse(text);
  if (licence === undefined) return ['must be a JSON object'];
  const { product, version: of, expires } = licence;
  const problems: string[] = [];
  if (product !== undefined && product !== PRODUCT)
    problems.push(`its product must be "${PRODUCT}", it is ${shown(product)}`);
  if (
    of !== undefined &&
    (typeof of !== 'string' || !/^\d+(\.\d+)*$/.test(of) || compareVersions(of, version.version) !== 0)
  )
    problems.push(`its version must be "${version.version}", it is ${shown(of)}`);
  if (expires !== undefined) {
    const at = expiryOf(expires);
    if (at === undefined) problems.push('its expires must be a time in milliseconds or an ISO date');
    else if (at <= now) problems.push(`it expired on ${new Date(at).toISOString()}`);
  }
  if (publicKeyPem !== undefined && !isSigned(licence, publicKeyPem))
    problems.push('its signature is not that of the key in STEWARD_LICENCE_KEY');
  return problems;
}
