// Imports the versions of a manifest, and the file with the objects of one of them, in one transaction.
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { StewardError, invalidField } from '../../foundation/errors.ts';
import { listed } from '../../foundation/text/listed.ts';
import type { Actor } from '../../model/actor.ts';
import { silentDecision } from '../../model/decision.ts';
import type { BundleRules } from '../../model/objects/bundleRules.ts';
import type { Version } from '../../model/version.ts';
import { checkBundle } from '../objects/checkBundle.ts';
import type { CompressedBundle, Facts, UpgradeStore } from '../ports/upgradeStore.ts';
import type { AcceptedManifest } from '../versions/acceptManifest.ts';
import { refuseMisfit } from '../versions/acceptManifest.ts';
import { withinLimit } from '../versions/knownVersions.ts';
import { refuseSecondJob } from './acceptJob.ts';

export interface ImportDependencies {
  readonly store: Pick<UpgradeStore, 'change'>;
  readonly rules: BundleRules;
  /** With only those versions that may be installed. */
  readonly facts: () => Promise<Facts>;
}

/** What an import has done. */
export interface ImportedManifest {
  /** The file with objects that came with it. */
  readonly objects: { readonly checksum: string; readonly count: number } | undefined;
  /** Versions whose objects are still missing. */
  readonly warnings: readonly string[];
}

interface AcceptedBundle extends CompressedBundle {
  readonly count: number;
}

const gzip = promisify(zlib.gzip);
const FIELD = 'objectsFile';

function expectedText(versions: readonly Version[]): string {
  const named = versions.flatMap(({ id, objects }) => (objects === undefined ? [] : [`${objects.checksum} (${id})`]));
  return named.length === 0 ? 'no version of the manifest has objects' : `the manifest names ${listed(named)}`;
}

/** Checks a file with objects. It must be the one of a version that was sent with it or is known. */
async function acceptBundle(
  bytes: Buffer,
  sent: readonly Version[],
  known: readonly Version[],
  rules: BundleRules,
): Promise<AcceptedBundle> {
  const checksums = new Set([...sent, ...known].flatMap(({ objects }) => objects?.checksum ?? []));
  const checked = await checkBundle(bytes, checksums, rules);
  if (checked.kind === 'differs')
    throw invalidField(FIELD, `has the checksum ${checked.found}, but ${expectedText(sent)}`);
  if (checked.kind === 'invalid')
    throw new StewardError('invalid', 'The file with objects is invalid. Nothing was changed.', {
      details: checked.problems.map((problem) => `${FIELD}: ${problem}`),
    });
  return { checksum: checked.checksum, count: checked.objects.length, size: bytes.length, gzip: await gzip(bytes) };
}

/** Versions whose objects neither the store nor a registry has. */
function missingObjects(versions: readonly Version[], kept: ReadonlySet<string>): readonly string[] {
  return versions.flatMap(({ id, objects }) =>
    objects === undefined || objects.image !== undefined || kept.has(objects.checksum)
      ? []
      : [
          `The objects of ${id} are not here: before it can be installed, import the manifest again with the file ${objects.checksum} as ${FIELD}.`,
        ],
  );
}

/** Creates the function that imports a manifest. */
export function createManifestImport({ store, rules, facts }: ImportDependencies) {
  return async (by: Actor, manifest: AcceptedManifest, objectsFile?: Buffer): Promise<ImportedManifest> => {
    const { unsigned, known: trusted } = await facts();
    const bundle = objectsFile && (await acceptBundle(objectsFile, manifest.versions, trusted, rules));
    const objects = bundle && { checksum: bundle.checksum, count: bundle.count };
    let warnings: readonly string[] = [];
    await store.change(by, ({ known, latest, bundles }) => {
      refuseSecondJob({ latest });
      refuseMisfit(manifest, { known, ...(unsigned && { unsigned }) });
      warnings = missingObjects(manifest.versions, new Set([...bundles, ...(bundle ? [bundle.checksum] : [])]));
      const after = { versions: manifest.versions.map(({ id }) => id), ...(objects && { objects }) };
      const note = { action: 'manifest.import', target: 'manifest', after };
      const addVersions = withinLimit(known, manifest);
      return silentDecision({ addVersions, ...(bundle && { addBundle: bundle }) }, note);
    });
    return { objects, warnings };
  };
}
