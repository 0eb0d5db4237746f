// What is wrong with the file of a store, found in the errors of SQLite and of the file system, and what to say about it. A
// person who follows an advice of this file must not be able to lose data by it.
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import type { FileTrouble } from '../../../foundation/files/fileTrouble.ts';
import { FILE_TROUBLES, fileTroubleOf } from '../../../foundation/files/fileTrouble.ts';

export type StoreTrouble = FileTrouble | 'inUse' | 'damaged';

interface ResultCode {
  readonly code: number;
  /** SQLite's text for it. The errors of some calls of the library have only the text. */
  readonly text: string;
  readonly trouble: StoreTrouble;
}

const RESULT_CODES: readonly ResultCode[] = [
  { code: 3, text: 'access permission denied', trouble: 'notWritable' },
  { code: 5, text: 'database is locked', trouble: 'inUse' },
  { code: 8, text: 'attempt to write a readonly database', trouble: 'notWritable' },
  { code: 10, text: 'disk I/O error', trouble: 'failing' },
  { code: 11, text: 'database disk image is malformed', trouble: 'damaged' },
  { code: 13, text: 'database or disk is full', trouble: 'full' },
  { code: 14, text: 'unable to open database file', trouble: 'notWritable' },
  { code: 26, text: 'file is not a database', trouble: 'damaged' },
];
/** The other process may end, and the disk may get room. */
const RETRY_AFTER_SECONDS = 30;
const PRIMARY_CODE = 0xff;

/** Finds out what is wrong; undefined if the error says nothing about the file. */
export function storeTroubleOf(error: unknown): StoreTrouble | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & PRIMARY_CODE : undefined;
  const found = RESULT_CODES.find((one) => one.code === code || error.message.includes(one.text));
  return found?.trouble ?? fileTroubleOf(error);
}

/** The error of a store whose content cannot be trusted. */
export function damagedStore(file: string, reason: string, cause?: unknown): StewardError {
  return new StewardError(
    'invalid',
    `${file} cannot be opened as a store: it is damaged (${reason}). Nothing was changed. Copy its folder to a safe place first. Then restore the latest backup with "steward restore <backup>", which keeps the damaged store beside it.`,
    { cause },
  );
}

/** The error of a store that cannot be opened, with its cause. Leaves an error that has been explained already as it is. */
export function cannotOpenStore(file: string, error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  const trouble = storeTroubleOf(error);
  if (trouble === 'damaged') return damagedStore(file, reasonOf(error), error);
  if (trouble === 'inUse')
    return new StewardError(
      'conflict',
      `Another process uses ${file}. Stop it first, or use PostgreSQL (STEWARD_STORE=postgres://…) to run more than one.`,
      { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error },
    );
  const { what, advice } =
    trouble === undefined
      ? { what: reasonOf(error), advice: 'Find the cause, then start Steward again.' }
      : {
          what: `${FILE_TROUBLES[trouble].what} (${reasonOf(error)})`,
          advice: FILE_TROUBLES[trouble].advice,
        };
  return new StewardError('invalid', `${file} cannot be opened as a store: ${what}. ${advice} Nothing was changed.`, {
    cause: error,
    ...(trouble === 'full' && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}
