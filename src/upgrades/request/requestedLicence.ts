import { noSuchId } from '../../foundation/errors.ts';
import type { Actor } from '../../model/actor.ts';
import { licenceHash, needsLicence, readLicence, verifiedLicence } from '../../model/licence.ts';
import { newUpload } from '../../model/upload.ts';
import type { CurrentVersion, Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { RequestFindings } from '../plan/checks/check.ts';
import type { UploadContents } from '../ports/uploads.ts';
import type { UpgradeInputs } from '../versions/upgradeSettings.ts';

/** Stands for the licence of the deprecated `licenseFile` until the job is accepted and the licence is an upload. */
export const LICENCE_FILE = 'licenseFile';

const UPLOAD_FIRST = 'Upload the licence at uploads/upload and send the itemID of the response as licenseUpload.';

/** What the check of a licence needs, read before the transaction. */
export interface LicenceContext {
  /** The content of the upload that the settings name; undefined if there is none. */
  readonly uploadedLicence: string | undefined;
  readonly licenceKey: string | undefined;
  /** The product of a version, which its licence must name. */
  readonly productOf: (versionId: string) => string;
  readonly now: number;
}

/** A licence that is sent with the request, in the deprecated `licenseFile`. */
export interface SentLicence {
  readonly name: string;
  readonly bytes: Buffer;
}

interface FoundLicence {
  readonly licence: RequestFindings['licence'];
  /** Of the content that was verified; undefined if there is none. */
  readonly hash: string | undefined;
}

/** Checks the licence of a request: the upload that the settings name, or else the deprecated `licenseFile`. */
export function findLicence(
  version: Version,
  current: CurrentVersion,
  { licenseUpload }: UpgradeInputs,
  licence: SentLicence | undefined,
  { uploadedLicence, licenceKey, now, productOf }: LicenceContext,
): FoundLicence {
  const isFile = licenseUpload === '' && licence !== undefined;
  const refused = (kind: 'missing' | 'given', problems: readonly string[], todo: string): FoundLicence => {
    const field = isFile ? LICENCE_FILE : 'licenseUpload';
    return { licence: { kind, problems: problems.map((problem) => `${field}: ${problem}.`), todo }, hash: undefined };
  };
  if (licenseUpload === '' && !isFile)
    return needsLicence(version, current)
      ? refused('missing', [`is required for ${versionName(version)}`], UPLOAD_FIRST)
      : { licence: { kind: 'notNeeded', problems: [], todo: '' }, hash: undefined };
  const text = isFile ? licence.bytes.toString('utf8') : uploadedLicence;
  if (text === undefined) return refused('given', [`no upload with the id \`${licenseUpload}\``], UPLOAD_FIRST);
  const scope = { product: productOf(version.id), version: version.version, now, publicKey: licenceKey };
  const read = readLicence(text, scope);
  return read.kind === 'valid'
    ? { licence: { kind: 'given', problems: [], todo: '' }, hash: licenceHash(read.content) }
    : refused('given', read.problems, 'Send a licence that is valid for this version.');
}

/** Makes an upload of the deprecated `licenseFile`. */
export function licenceUpload(by: Actor, licence: SentLicence | undefined, now: number) {
  if (licence === undefined) return undefined;
  const sent = { ...licence, description: 'The licenseFile of an upgrade', contentType: 'application/json' };
  return { ...newUpload(by, sent, now), bytes: licence.bytes };
}

/** Creates the reader of the licence that a job delivers. */
export function licenceReader(uploads: UploadContents) {
  return async (upload: string, hash: string | undefined): Promise<string | undefined> => {
    const bytes = await uploads.uploadBytes(upload);
    if (bytes === undefined) throw noSuchId('upload', upload);
    const text = bytes.toString('utf8');
    // A job that an earlier version accepted has no hash.
    return hash === undefined ? text : verifiedLicence(text, hash);
  };
}
