import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { FILE_TROUBLES, fileTroubleOf } from '../../foundation/files/fileTrouble.ts';

const GROUP_OR_OTHERS = 0o066;
const OTHERS = 0o006;

/** Quotes a path for a shell, if it needs it. */
export function quoted(file: string): string {
  return /^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Says that other users of the machine can read a file, and how to change that; undefined if they cannot. A file that
 * belongs to root may be readable by its group: that is how orchestrators hand secrets to a service.
 */
export function exposure(file: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const { mode, uid } = fs.statSync(file);
  if ((mode & (uid === 0 ? OTHERS : GROUP_OR_OTHERS)) === 0) return undefined;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  return `${file} contains a secret, but other users of this machine can read or write it (mode ${shown}). Run: chmod 600 ${quoted(file)}`;
}

/** Refuses a file with a secret that others can read. */
function refuseExposed(file: string): void {
  const problem = exposure(file);
  if (problem !== undefined) throw new StewardError('invalid', problem);
}

/** Takes the rights of other users away from the file of a store, if it exists. */
export function makePrivate({ kind, at }: { readonly kind: string; readonly at: string }): void {
  if (kind !== 'sqlite' || !fs.existsSync(at) || exposure(at) === undefined) return;
  try {
    fs.chmodSync(at, 0o600);
  } catch {
    // A file of another user, or a disk that is read-only: if it matters, opening the store reports the cause.
  }
}

/** The account of this process. In a container it may have a number only. */
function ownAccount(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? '');
  }
}

/** The first folder on the way to a file that this account may not enter; undefined if it may enter all of them. */
function closedFolder(file: string): string | undefined {
  const parents: string[] = [];
  for (let folder = dirname(resolve(file)); !parents.includes(folder); folder = dirname(folder))
    parents.unshift(folder);
  return parents.find((folder) => {
    try {
      fs.accessSync(folder, fs.constants.X_OK);
      return false;
    } catch (error) {
      return fileTroubleOf(error) === 'notWritable';
    }
  });
}

/** The account that a file belongs to, if it is neither root nor this one: it may need the file. */
function strangerOf(file: string): number | undefined {
  try {
    const { uid } = fs.statSync(file);
    return uid === 0 || uid === process.getuid?.() ? undefined : uid;
  } catch {
    return undefined;
  }
}

/** Why a file cannot be read, and who must be able to. */
export function readTrouble(file: string, error: unknown): string {
  if (fileTroubleOf(error) !== 'notWritable') return reasonOf(error);
  const account = ownAccount();
  const closed = closedFolder(file);
  if (closed !== undefined)
    return `permission denied. The account ${account}, which runs this command, may not enter the folder ${quoted(closed)}. Choose another place, or let the account enter the folder.`;
  const owner = strangerOf(file);
  if (owner !== undefined)
    return `permission denied. The file belongs to the account with the number ${owner}. Run the command as that account (sudo -u '#${owner}' …), or name another file.`;
  return `permission denied. The account ${account}, which runs this command, must be able to read the file and to enter its folder. As root, run: chown ${account}: ${quoted(file)}`;
}

/** A data folder that is a file is reported when it is opened. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (isMissing(error)) return '';
    throw new StewardError('invalid', `${file} cannot be read: ${readTrouble(file, error)}`, { cause: error });
  }
}

/**
 * Reads a file that contains one secret. Returns undefined if it does not exist, or is empty after an interrupted write.
 * Refuses a secret that others can read, because it may be known already.
 */
export function readSecret(file: string): string | undefined {
  const text = readText(file);
  if (text === '') return undefined;
  refuseExposed(file);
  return text;
}

/** The disk may get room. */
const RETRY_AFTER_SECONDS = 30;

function cannotWrite(file: string, error: unknown): unknown {
  const trouble = fileTroubleOf(error);
  if (trouble === undefined) return error;
  const { what, advice } = FILE_TROUBLES[trouble];
  return new StewardError('invalid', `${file} cannot be written: ${what} (${reasonOf(error)}). ${advice}`, {
    cause: error,
    ...(trouble === 'full' && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}

/** Writes a secret atomically, readable by its owner only. Never replaces another secret: returns the one in the file. */
export function writeSecretOnce(file: string, secret: string): string {
  const partial = `${file}.${process.pid}`;
  try {
    if (fs.existsSync(file) && readSecret(file) === undefined) fs.rmSync(file);
    fs.writeFileSync(partial, `${secret}\n`, { mode: 0o600, flush: true });
    fs.linkSync(partial, file);
  } catch (error) {
    if (!fs.existsSync(file)) throw cannotWrite(file, error);
  } finally {
    fs.rmSync(partial, { force: true });
  }
  return readSecret(file) ?? secret;
}
