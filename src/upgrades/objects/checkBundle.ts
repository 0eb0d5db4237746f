import { createHash } from 'node:crypto';
import type { BundleObject } from '../../model/objects/bundleObject.ts';
import type { BundleRules } from '../../model/objects/bundleRules.ts';
import { inTurns } from '../../foundation/flow/steps.ts';
import { bundleSteps } from '../../model/objects/readBundle.ts';

export type CheckedBundle =
  | { readonly kind: 'valid'; readonly checksum: string; readonly objects: readonly BundleObject[] }
  /** Its checksum is another one. */
  | { readonly kind: 'differs'; readonly found: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The checksum of a bundle, as a manifest names it. */
export function checksumOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Compares a bundle with these checksums, and reads its objects. Only a bundle that one of them names is parsed. */
export async function checkBundle(
  bytes: Buffer,
  checksums: ReadonlySet<string>,
  rules: BundleRules,
): Promise<CheckedBundle> {
  const checksum = checksumOf(bytes);
  if (!checksums.has(checksum)) return { kind: 'differs', found: checksum };
  const read = await inTurns(bundleSteps(bytes, rules));
  return read.kind === 'valid' ? { ...read, checksum } : read;
}
