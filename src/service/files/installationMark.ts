// The data folder remembers that it has a store: by the key of the store, and by a file with the id of the installation. A store that
// is lost or was emptied is then not replaced by a new one.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sizeOf } from '../../foundation/files/fileSize.ts';
import type { FoundStore, StoreLocation } from '../../store/store.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import { masterKeyFile } from './masterKey.ts';
import { quoted } from '../settings/secretFile.ts';
import { describeLocation } from './storeLocation.ts';

const markFile = (folder: string): string => join(folder, 'installation');

/** The files of a data folder that show that it has had a store. */
export const marksOf = (folder: string): readonly string[] => [markFile(folder), masterKeyFile(folder, undefined)];

/** Writes the mark of an installation, if the folder does not have it. Returns whether the folder had that of another one. */
export function writeMark(folder: string, installation: string): boolean {
  const file = markFile(folder);
  const content = `${installation}\n`;
  const former = sizeOf(file) > 0 ? readFileSync(file, 'utf8') : undefined;
  if (former === content) return false;
  const partial = `${file}.${process.pid}`;
  try {
    writeFileSync(partial, content, { flush: true });
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  return former !== undefined;
}

function wayOut({ kind, at }: StoreLocation): string {
  return kind === 'sqlite'
    ? `Put ${at} back, or restore a backup with: steward restore <backup> --data ${quoted(dirname(at))}`
    : 'Check that STEWARD_STORE names the right database, and restore a backup of it. To use the SQLite store of this folder there, stop Steward and run "steward move-store".';
}

/** Refuses to begin a new store in a folder that has had one. */
function refuseLostStore(folder: string, location: StoreLocation): void {
  const evidence = marksOf(folder).find((file) => sizeOf(file) > 0);
  if (evidence === undefined) return;
  const { kind, at } = location;
  const state = kind === 'sqlite' && !existsSync(at) ? 'is missing' : 'is empty';
  throw new ConfigurationError(
    [
      `${kind === 'sqlite' ? at : describeLocation(location)} ${state}, but ${evidence} shows that Steward has had a store with this data folder. Nothing was changed.`,
      wayOut(location),
      'To begin again with an empty store, start once with --new.',
    ],
    'The store is lost.',
  );
}

/** Refuses `--new` on a store that has data, so that the flag does not stay in a unit file and hide a later loss. */
function refuseNewOnData(location: StoreLocation): never {
  throw new ConfigurationError(
    [
      `--new begins with an empty store, but ${describeLocation(location)} has data. Start without --new to use it, or choose another data folder with --data.`,
    ],
    'The store is not empty.',
  );
}

/** Decides whether a start may use what it finds in its place. */
export function checkFound(
  found: FoundStore | undefined,
  { folder, location, isNew }: { readonly folder: string; readonly location: StoreLocation; readonly isNew: boolean },
): void {
  if (isNew && found !== undefined) refuseNewOnData(location);
  if (!isNew && found === undefined) refuseLostStore(folder, location);
}
