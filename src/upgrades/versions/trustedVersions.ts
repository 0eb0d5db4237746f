// If a manifest key is configured, only versions that a manifest signed with that key contains are offered and installed,
// whenever they were imported. This is decided here, from the signed manifests that are stored beside the versions.
import { createHash } from 'node:crypto';
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import { DEFAULT_PRODUCT, canonicalManifest, readManifest } from '../../model/manifest/manifest.ts';
import { isSignedBy } from '../../model/manifest/signature.ts';
import type { Version } from '../../model/version.ts';
import type { Facts, UpgradeStore } from '../ports/upgradeStore.ts';

export interface TrustDependencies {
  readonly store: Pick<UpgradeStore, 'signedManifests' | 'signedManifest'>;
  /** In PEM; undefined if manifests need not be signed. */
  readonly manifestKey: string | undefined;
}

/** The product of each version of a manifest, by `contentOf`. Empty if the manifest is not signed with the key. */
type Products = ReadonlyMap<string, string>;

const MAX_CACHED_MANIFESTS = 1000;

/** Identifies a version with all its fields, known or not. */
function contentOf(version: Version): string {
  return createHash('sha256')
    .update(canonicalManifest([version]))
    .digest('hex');
}

function verifiedProducts(document: string, publicKey: string): Products {
  const read = readManifest(document);
  if (read.kind === 'invalid' || !isSignedBy(publicKey, read.manifest)) return new Map();
  const { versions, product = DEFAULT_PRODUCT } = read.manifest;
  return new Map(versions.map((version) => [contentOf(version), product]));
}

export function unsignedProblem(id: string): string {
  return `${id} is not signed by the key in STEWARD_MANIFEST_KEY, so it cannot be installed. Sign its manifest with steward manifest sign and import it again.`;
}

/** Creates the rule which versions are trusted. */
export function createVersionTrust({ store, manifestKey }: TrustDependencies) {
  // A hash names one content, so the result of its verification never changes.
  const verified = createBoundedCache<string, Products>(MAX_CACHED_MANIFESTS);

  async function productsIn(hash: string, publicKey: string): Promise<Products> {
    const known = verified.get(hash);
    if (known !== undefined) return known;
    const document = await store.signedManifest(hash);
    return document === undefined ? new Map() : verified.set(hash, verifiedProducts(document, publicKey));
  }

  async function signedProducts(publicKey: string): Promise<Products> {
    const all = new Map<string, string>();
    for (const hash of await store.signedManifests())
      for (const [content, product] of await productsIn(hash, publicKey)) all.set(content, product);
    return all;
  }

  return {
    /** Leaves out the known versions that are not trusted. */
    async trusted(facts: Facts): Promise<Facts> {
      if (manifestKey === undefined) return facts;
      const signed = await signedProducts(manifestKey);
      const productOf = (version: Version): string | undefined => signed.get(contentOf(version));
      const known = facts.known.filter((version) => productOf(version) !== undefined);
      const products = new Map(known.map((version) => [version.id, productOf(version) ?? DEFAULT_PRODUCT]));
      const unsigned = new Set(facts.known.filter((version) => !products.has(version.id)).map(({ id }) => id));
      return { ...facts, known, products, unsigned };
    },

    /** Why these versions must not be installed; undefined if they may be. */
    async problemOf(versions: readonly Version[]): Promise<string | undefined> {
      if (manifestKey === undefined) return undefined;
      const signed = await signedProducts(manifestKey);
      const unsigned = versions.find((version) => !signed.has(contentOf(version)));
      return unsigned && unsignedProblem(unsigned.id);
    },
  };
}
