import { firstProblems } from '../../foundation/schema/schema.ts';
import { readManifest } from '../../model/manifest/manifest.ts';
import { isSignedBy } from '../../model/manifest/signature.ts';
import type { Version } from '../../model/version.ts';

const MAX_PROBLEMS = 20;

export type ManifestDecision =
  | { readonly kind: 'accepted'; readonly versions: readonly Version[] }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Accepts a valid manifest. If there is a public key, the manifest must be signed with its private key. */
export function acceptManifest(text: string, publicKeyPem: string | undefined): ManifestDecision {
  const read = readManifest(text);
  if (read.kind === 'invalid') return { kind: 'refused', problems: firstProblems(read.problems, MAX_PROBLEMS) };
  const { versions, signature } = read.manifest;
  if (publicKeyPem === undefined || isSignedBy(publicKeyPem, read.manifest)) return { kind: 'accepted', versions };
  const problem =
    signature === undefined
      ? 'it is not signed; sign it with steward manifest sign'
      : 'it is not signed by the key in STEWARD_MANIFEST_KEY';
  return { kind: 'refused', problems: [problem] };
}
