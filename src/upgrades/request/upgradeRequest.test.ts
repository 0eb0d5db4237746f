import { describe, expect, test } from 'vitest';
import { TASK } from '../../../test/support/upgrades/sampleJournal.ts';
import { demoLicence, demoProduct } from '../../demo/deployment/demoProduct.ts';
import { newJob } from '../../jobs/jobStore.ts';
import { initialState } from '../journal/runState.ts';
import { NO_MANIFEST } from '../versions/acceptManifest.ts';
import type { UpgradeRequest } from './upgradeRequest.ts';
import { findVersion, refuseOtherSettings } from './upgradeRequest.ts';

const NOW = 1000;

/** Retries a job of an earlier build, which kept the upload of its licence and not the hash, with a licence. */
function retryWith(licenseUpload: string): void {
  const version = findVersion({ known: demoProduct(6).versions }, 'rel_11.0');
  const { licenceHash: _, ...task } = { ...TASK, licenceUpload: 'u1' };
  const job = newJob({ id: 'j1', kind: 'upgrade', task, cursor: undefined, total: 0, startedBy: 'ann', started: 1 });
  const failed = initialState(job);
  const request: UpgradeRequest = {
    versionId: version.id,
    manifest: NO_MANIFEST,
    licence: undefined,
    settings: { userInputs: [{ id: 'licenseUpload', value: licenseUpload }] },
    updateToLatestPatch: undefined,
    planHash: undefined,
    withoutRestorePoint: false,
  };
  const uploadedLicence = JSON.stringify(demoLicence(NOW));
  const context = {
    uploadedLicence,
    failed,
    licenceKey: undefined,
    productOf: () => 'Product',
    isSimulated: true,
    now: NOW,
  };
  refuseOtherSettings(failed, request, version, context);
}

describe('[STO1] [UPG5] a retry of a job whose licence has no hash, because an earlier build accepted it', () => {
  test('is accepted with the same upload', () => {
    expect(() => retryWith('u1')).not.toThrow();
  });

  test('is refused with another upload', () => {
    expect(() => retryWith('u2')).toThrow('a retry uses the settings of the failed job');
  });
});
