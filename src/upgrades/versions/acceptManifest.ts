import { createHash } from 'node:crypto';
import { StewardError } from '../../foundation/errors.ts';
import { firstProblems } from '../../foundation/schema/schema.ts';
import type { Manifest } from '../../model/manifest/manifest.ts';
import { DEFAULT_PRODUCT, manifestText, readManifest } from '../../model/manifest/manifest.ts';
import { chainProblems } from '../../model/manifest/chainProblems.ts';
import { isSignedBy } from '../../model/manifest/signature.ts';
import type { Version } from '../../model/version.ts';
import type { Facts, NewVersions, SignedManifest } from '../ports/upgradeStore.ts';

const MAX_PROBLEMS = 20;

/** The versions of a manifest that was checked, to be stored with its signature. */
export interface AcceptedManifest extends NewVersions {
  /** About unknown fields. */
  readonly warnings: readonly string[];
}

export function unsignedManifest(versions: readonly Version[]): AcceptedManifest {
  return { versions, product: DEFAULT_PRODUCT, signed: undefined, warnings: [] };
}

export const NO_MANIFEST: AcceptedManifest = unsignedManifest([]);

/** The signature is kept even if there is no key: one may be configured later. */
function signedManifest(manifest: Manifest): SignedManifest | undefined {
  if (manifest.signature === undefined) return undefined;
  const document = manifestText(manifest);
  return { hash: createHash('sha256').update(document).digest('hex'), document };
}

export type ManifestDecision =
  | { readonly kind: 'accepted'; readonly manifest: AcceptedManifest }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Accepts a valid manifest. If there is a public key, the manifest must be signed with its private key. */
export function acceptManifest(text: string, publicKeyPem: string | undefined): ManifestDecision {
  const read = readManifest(text);
  if (read.kind === 'invalid') return { kind: 'refused', problems: firstProblems(read.problems, MAX_PROBLEMS) };
  const { manifest, warnings } = read;
  const { versions, product = DEFAULT_PRODUCT } = manifest;
  const broken = chainProblems(versions);
  if (broken.length > 0) return { kind: 'refused', problems: firstProblems(broken, MAX_PROBLEMS) };
  if (publicKeyPem === undefined || isSignedBy(publicKeyPem, manifest))
    return { kind: 'accepted', manifest: { versions, product, signed: signedManifest(manifest), warnings } };
  const problem =
    manifest.signature === undefined
      ? 'is not signed; sign it with steward manifest sign'
      : 'is not signed by the key in STEWARD_MANIFEST_KEY';
  return { kind: 'refused', problems: [problem] };
}

function invalidManifest(field: string, found: readonly string[]): StewardError {
  return new StewardError('invalid', 'The version manifest is invalid. Nothing was changed.', {
    details: found.map((problem) => `${field}: ${problem}`),
  });
}

/** Reads a manifest that was sent in a field, or throws an error that names its problems. */
export function requireManifest(field: string, text: string, publicKeyPem: string | undefined): AcceptedManifest {
  const decision = acceptManifest(text, publicKeyPem);
  if (decision.kind === 'accepted') return decision.manifest;
  throw invalidManifest(field, decision.problems);
}

/** Throws if the versions of a manifest do not fit together with the known ones that may be installed. */
export function refuseMisfit(
  { versions }: Pick<AcceptedManifest, 'versions'>,
  { known, unsigned }: Pick<Facts, 'known' | 'unsigned'>,
): void {
  const broken =
    versions.length === 0
      ? []
      : chainProblems(
          versions,
          known.filter(({ id }) => unsigned?.has(id) !== true),
        );
  if (broken.length > 0) throw invalidManifest('versionManifestFile', firstProblems(broken, MAX_PROBLEMS));
}
