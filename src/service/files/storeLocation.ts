import { mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import { describePostgres } from '../../store/postgresAddress.ts';
import type { StoreLocation } from '../../store/store.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import type { Settings } from '../settings/settings.ts';
import { quoted } from '../settings/secretFile.ts';

/** The library of the embedded store takes paths of 511 bytes, and adds `-journal` to the name. */
const LONGEST_STORE_PATH = 500;

/** Refuses a path that SQLite cannot open: it would say only that it is unable to. */
function refuseLongPath(file: string): void {
  const bytes = Buffer.byteLength(file);
  if (bytes <= LONGEST_STORE_PATH) return;
  throw new ConfigurationError([
    `STEWARD_DATA: the path of the store would have ${bytes} bytes, and at most ${LONGEST_STORE_PATH} are possible. Choose a shorter one with --data.`,
  ]);
}

/** Says that other users can replace the store and its key, if they can. */
export function folderWarnings(folder: string): readonly string[] {
  if ((statSync(folder).mode & 0o002) === 0) return [];
  return [
    `Every user of this machine can change the data folder ${folder}, and so replace the store and its key. Run: chmod 700 ${quoted(folder)}`,
  ];
}

/** Returns the data folder. Creates it, readable by its owner only, if it is missing. */
export function dataFolder(settings: Settings): string {
  const folder = resolve(settings.data);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigurationError([
      `STEWARD_DATA: ${folder} cannot be used as the data folder: ${sentence(reasonOf(error))} Choose another with --data.`,
    ]);
  }
  return folder;
}

export function storeLocation(settings: Settings): StoreLocation {
  if (settings.store === 'sqlite') {
    refuseLongPath(join(resolve(settings.data), 'steward.db'));
    return { kind: 'sqlite', at: join(dataFolder(settings), 'steward.db'), connections: 1 };
  }
  return { kind: 'postgres', at: settings.store, connections: settings.storeConnections };
}

/** Describes the location in words, without its password. */
export function describeLocation({ kind, at }: StoreLocation): string {
  return kind === 'sqlite' ? `${at} (SQLite)` : describePostgres(at);
}
