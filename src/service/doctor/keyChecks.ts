import { resolve } from 'node:path';
import { counted } from '../../foundation/text/counted.ts';
import { createSealer } from '../../foundation/sealer.ts';
import type { StoreReport } from '../../store/inspectStore.ts';
import { masterKeyFile } from '../files/masterKey.ts';
import type { Settings } from '../settings/settings.ts';
import type { Diagnosis } from './diagnosis.ts';
import { fail, pass, skip } from './diagnosis.ts';

const NAME = 'master key';
const IF_LOST = 'If it is lost, see "If the master key is lost" in docs/operations.md.';

/** Compares the master keys with the secrets in the store. The store names the key of each secret, so none is opened. */
export function checkMasterKey(
  { data, masterKeyFile: configured }: Pick<Settings, 'data' | 'masterKeyFile'>,
  keys: readonly Buffer[] | undefined,
  report: StoreReport | undefined,
): Diagnosis {
  const file = masterKeyFile(resolve(data), configured);
  const marks = report?.keyMarks ?? [];
  const hasObjects = report !== undefined && report.objectKeyMarks.length > 0;
  if (keys === undefined)
    return marks.length === 0 && !hasObjects
      ? skip(NAME, `There is no ${file} yet.`, 'steward serve creates it with a new store.')
      : fail(
          NAME,
          `${file} is missing or empty, and the secrets of ${counted(marks.length, 'webhook')}${hasObjects ? ' and the objects of the last upgrade' : ''} are encrypted.`,
          `Put the key of this store there, or set STEWARD_MASTER_KEY_FILE. ${IF_LOST}`,
        );
  if (report === undefined) return skip(NAME, `${file} can be read, but there are no secrets to compare it with.`);
  const sealer = createSealer(keys);
  const unreadable = marks.filter((mark) => !sealer.hasKeyOf(mark)).length;
  if (unreadable === 0 && !report.objectKeyMarks.every(sealer.hasKeyOf))
    return fail(
      NAME,
      `${file} lacks the key of objects that the last upgrade has kept for its undo. They cannot be restored without it.`,
      `Add the right key to the file as another line, and restart Steward. ${IF_LOST}`,
    );
  if (unreadable === 0) return pass(NAME, `${file} can read the secrets of all webhooks (${marks.length}).`);
  return fail(
    NAME,
    `${file} lacks the key of ${counted(unreadable, 'webhook')} of ${marks.length}. Nothing is sent for ${unreadable === 1 ? 'it' : 'them'}.`,
    `Add the right key to the file as another line, and restart Steward. ${IF_LOST}`,
  );
}
