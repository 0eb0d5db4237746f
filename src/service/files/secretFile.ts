import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { FILE_TROUBLES, fileTroubleOf } from '../../foundation/fileTrouble.ts';

/** Reads a file that contains one secret. Returns undefined if it does not exist, or is empty after an interrupted write. */
export function readSecret(file: string): string | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}

function cannotWrite(file: string, error: unknown): unknown {
  const trouble = fileTroubleOf(error);
  if (trouble === undefined) return error;
  const { what, advice } = FILE_TROUBLES[trouble];
  return new StewardError('invalid', `${file} cannot be written: ${what} (${reasonOf(error)}). ${advice}`, {
    cause: error,
  });
}

/** Writes a secret atomically, readable by its owner only. Never replaces another secret: returns the one in the file. */
export function writeSecretOnce(file: string, secret: string): string {
  const partial = `${file}.${process.pid}`;
  try {
    if (existsSync(file) && readSecret(file) === undefined) rmSync(file);
    writeFileSync(partial, `${secret}\n`, { mode: 0o600, flush: true });
    linkSync(partial, file);
  } catch (error) {
    if (!existsSync(file)) throw cannotWrite(file, error);
  } finally {
    rmSync(partial, { force: true });
  }
  return readSecret(file) ?? secret;
}
