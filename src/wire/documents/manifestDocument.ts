import type { Reader } from '../operations/fields.ts';
import type { Found } from './manifestContainer.ts';
import { isObject, unknownFields } from './manifestContainer.ts';
import type { ManifestVersion } from './manifestVersion.ts';
import { versionOf, versionProblems } from './manifestVersion.ts';

export interface Manifest {
  readonly versions: readonly ManifestVersion[];
  /** Ed25519 over the canonical form of the versions, in base64. */
  readonly signature: string | undefined;
}

export type ReadManifest = { readonly value: Manifest } | { readonly problems: readonly string[] };

const VERSIONS_AT_MOST = 500;
const PROBLEMS_AT_MOST = 20;
// 64 bytes; the last letter before the padding has four bits that must be unset, so that one signature has one spelling.
const SIGNATURE = /^[A-Za-z\d+/]{85}[AQgw]==$/;

export function firstProblems(problems: readonly string[], atMost: number): readonly string[] {
  const more = problems.length - atMost;
  return more > 0 ? [...problems.slice(0, atMost), `and ${more} more`] : problems;
}

function versionsProblems(list: unknown): readonly string[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > VERSIONS_AT_MOST)
    return [`must hold an array of 1 to ${VERSIONS_AT_MOST} versions`];
  const places = new Map<unknown, number>();
  return list.flatMap((version: unknown, n) => {
    const problems = [...versionProblems(version)];
    const id = isObject(version) ? version['id'] : undefined;
    const earlier = places.get(id);
    if (earlier !== undefined) problems.push(`id is that of version ${earlier}`);
    else if (typeof id === 'string') places.set(id, n + 1);
    const isNamed = typeof id === 'string' && /^[\w.-]{1,104}$/.test(id);
    return problems.map((problem) => `version ${n + 1}${isNamed ? ` (${id})` : ''}: ${problem}`);
  });
}

/** A file: the bare array of versions, or an object with `versions` and `signature`. All problems at once. */
export function readManifest(given: string): ReadManifest {
  let parsed: unknown;
  try {
    // A byte order mark counts as white space.
    parsed = JSON.parse(given.trim());
  } catch {
    return { problems: ['must be JSON'] };
  }
  const whole: Found = isObject(parsed) ? parsed : { versions: parsed };
  const { versions, signature } = whole;
  const isSignature = signature === undefined || (typeof signature === 'string' && SIGNATURE.test(signature));
  const problems = [
    ...versionsProblems(versions),
    ...(isSignature ? [] : ['signature must be 64 bytes in base64']),
    ...unknownFields(whole, ['versions', 'signature']),
  ];
  if (problems.length > 0) return { problems };
  return {
    value: { versions: (versions as readonly Found[]).map(versionOf), signature: signature as string | undefined },
  };
}

export const manifestDocument: Reader<Manifest> = {
  schema: { type: 'string', format: 'binary', description: 'A version manifest, as JSON' },
  read(given) {
    const read = readManifest(given);
    return 'value' in read ? read : { problem: firstProblems(read.problems, PROBLEMS_AT_MOST).join('; ') };
  },
};

/** The same text for the same versions, whoever writes them: keys in the order of a version object, no white space. */
export function canonicalManifest(versions: readonly ManifestVersion[]): string {
  return JSON.stringify(versions.map((version) => versionOf({ ...version })));
}

/** A file for people: the bare array where there is no signature. */
export function manifestText({ versions, signature }: Manifest): string {
  const inOrder = versions.map((version) => versionOf({ ...version }));
  return `${JSON.stringify(signature === undefined ? inOrder : { versions: inOrder, signature }, null, 2)}\n`;
}
