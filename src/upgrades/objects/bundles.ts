// The bundle of a version: from the store, where an import has put it, or else from its registry. Its checksum is compared wherever it
// comes from, because the signature of the manifest covers the bundle by it.
import { createBoundedCache } from '../../foundation/cache/boundedCache.ts';
import { listed } from '../../foundation/text/listed.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { DeploymentRefusal, outageOf } from '../../model/failure.ts';
import type { BundleObject } from '../../model/objects/bundleObject.ts';
import type { BundleRules } from '../../model/objects/bundleRules.ts';
import type { ObjectsReference } from '../../model/version/objectsReference.ts';
import type { Deployment } from '../ports/deployment.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import { checkBundle, checksumOf } from './checkBundle.ts';

export interface BundleDependencies extends BundleRules {
  readonly store: Pick<UpgradeStore, 'bundle' | 'keepBundle'>;
  /** Undefined if no deployment is configured. */
  readonly deployment: Pick<Deployment, 'fetchObjects'> | undefined;
}

/** A version, or the bundle that is in force. */
export interface WithObjects {
  readonly id?: string;
  readonly objects?: ObjectsReference | undefined;
}

export type FoundBundle = { readonly kind: 'found'; readonly objects: readonly BundleObject[] } | MissingBundle;

export interface MissingBundle {
  readonly kind: 'missing';
  readonly reason: string;
  readonly advice: string;
  /** Whether the registry may have it later without a change by a person. */
  readonly mayPass: boolean;
}

/** A parsed bundle of 16 MiB takes several times as much memory. */
const MAX_PARSED = 2;
const IMPORT_ADVICE =
  'Import the manifest again, with the file that its maker has written beside it: in the field objectsFile of importManifest, or with steward upgrades import MANIFEST --objects FILE.';

function missing(reason: string, advice: string, mayPass = false): MissingBundle {
  return { kind: 'missing', reason, advice, mayPass };
}

/** What could not be fetched, and why. */
function notFetched(what: string, image: string, error: unknown): MissingBundle {
  if (error instanceof DeploymentRefusal) {
    const { reason, advice } = error.failure;
    return missing(`${what} cannot be fetched from ${image}: ${sentence(reason)}`, advice);
  }
  const { reason, remedy } = outageOf(error);
  const advice = remedy?.advice ?? `Make the registry reachable and plan again. Or: ${IMPORT_ADVICE}`;
  return missing(`${what} could not be fetched from ${image}: ${sentence(reason)}`, advice, true);
}

/** Creates the function that finds the objects of a version. */
export function createBundles({ store, deployment, ...rules }: BundleDependencies) {
  const parsed = createBoundedCache<string, readonly BundleObject[]>(MAX_PARSED);

  async function checked(what: string, checksum: string, bytes: Buffer, place: string): Promise<FoundBundle> {
    const result = await checkBundle(bytes, new Set([checksum]), rules);
    if (result.kind === 'valid') return { kind: 'found', objects: parsed.set(checksum, result.objects) };
    if (result.kind === 'differs')
      return missing(
        `${what} in ${place} has the checksum ${result.found}, but the manifest names ${checksum}.`,
        `Find out who has changed it. ${IMPORT_ADVICE}`,
      );
    return missing(
      `${what} in ${place} cannot be used: ${listed(result.problems, '; ')}.`,
      'Correct the objects and make the manifest again with steward manifest make. Kinds outside namespaces need the setting STEWARD_CLUSTER_KINDS.',
    );
  }

  async function fetched(what: string, checksum: string, image: string, signal: AbortSignal | undefined) {
    if (deployment === undefined)
      return missing(
        `${what} was not imported, and no deployment is configured that could fetch it from ${image}.`,
        IMPORT_ADVICE,
      );
    let bytes: Buffer;
    try {
      bytes = await deployment.fetchObjects(image, signal);
    } catch (error) {
      signal?.throwIfAborted();
      return notFetched(what, image, error);
    }
    const result = await checked(what, checksum, bytes, image);
    if (result.kind === 'found') await store.keepBundle(checksum, bytes);
    return result;
  }

  return {
    /** Finds the objects of a version: none if it names no bundle. */
    async bundleOf({ id, objects: reference }: WithObjects, signal?: AbortSignal): Promise<FoundBundle> {
      if (reference === undefined) return { kind: 'found', objects: [] };
      const { checksum, image } = reference;
      const known = parsed.get(checksum);
      if (known !== undefined) return { kind: 'found', objects: known };
      const what = `The file with the objects of ${id ?? 'the installed version'}`;
      const kept = await store.bundle(checksum);
      // A kept file that was damaged is fetched again, if a registry has it.
      if (kept !== undefined && (image === undefined || checksumOf(kept) === checksum))
        return checked(what, checksum, kept, 'the store');
      if (image !== undefined) return fetched(what, checksum, image, signal);
      return missing(
        `${what} (${checksum}) was not imported, and the manifest names no registry that has it.`,
        IMPORT_ADVICE,
      );
    },
  };
}
