// A profile is a file with the address of a server and a token, written by `steward login`. Only its owner can read it.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../foundation/errors.ts';
import { isObject, parseJson } from '../../foundation/schema/json.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { CommandFailure } from './exitCodes.ts';
import type { Streams } from './streams.ts';

export interface Profile {
  readonly url: string;
  readonly token: string;
  readonly username: string;
  readonly expires: number;
  readonly caFile?: string;
}

const NAME = /^[\w-][\w.-]{0,63}$/;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

export function profilePath({ environment, home }: Streams, name: string): string {
  if (!NAME.test(name))
    throw new CommandFailure(
      'usage',
      `The name of a profile has 1 to 64 letters, digits, "_", "-" or ".", not "${name}".`,
    );
  const { XDG_CONFIG_HOME: given } = environment;
  const folder = given === undefined || given === '' ? join(home, '.config') : given;
  return join(folder, 'steward', `${name}.json`);
}

/** Replaces the file at once, so that a command that runs at the same time reads the old or the new profile. */
function replaceProfile(path: string, profile: Profile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(profile, null, 2)}\n`, { mode: OWNER_ONLY });
  chmodSync(next, OWNER_ONLY);
  renameSync(next, path);
}

function cannotChange(path: string, error: unknown): CommandFailure {
  const advice = 'Set HOME or XDG_CONFIG_HOME to a folder that you may write to, or use STEWARD_TOKEN_FILE instead';
  return new CommandFailure('failed', `The profile ${path} cannot be changed: ${sentence(reasonOf(error))} ${advice}.`);
}

/** Keeps a profile for later commands. */
export function writeProfile(path: string, profile: Profile): void {
  try {
    replaceProfile(path, profile);
  } catch (error) {
    throw cannotChange(path, error);
  }
}

export function removeProfile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw cannotChange(path, error);
  }
}

function readText(path: string): string | undefined {
  try {
    const { mode } = statSync(path);
    if ((mode & OTHERS) !== 0)
      throw new CommandFailure('usage', `Other users can read ${path}, which contains a token. Run chmod 600 ${path}.`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (isObject(error) && error['code'] === 'ENOENT') return undefined;
    throw new CommandFailure('failed', `The profile ${path} cannot be read: ${reasonOf(error)}`);
  }
}

export function readProfile(path: string): Profile | undefined {
  const written = readText(path);
  if (written === undefined) return undefined;
  const found = parseJson(written);
  if (!isObject(found)) throw new CommandFailure('usage', `${path} is not a profile. Run steward login again.`);
  const { url, token, username, expires, caFile } = found;
  if (
    typeof url !== 'string' ||
    typeof token !== 'string' ||
    typeof username !== 'string' ||
    typeof expires !== 'number'
  )
    throw new CommandFailure('usage', `${path} is not a profile. Run steward login again.`);
  return { url, token, username, expires, ...(typeof caFile === 'string' && { caFile }) };
}
