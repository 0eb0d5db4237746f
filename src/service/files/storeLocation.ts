import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../../foundation/errors.ts';
import { describePostgres } from '../../store/postgresAddress.ts';
import type { StoreLocation } from '../../store/store.ts';
import { ConfigurationError } from '../settings/configuration.ts';
import type { Settings } from '../settings/settings.ts';

/** Returns the data folder. Creates it, readable by its owner only, if it is missing. */
export function dataFolder(settings: Settings): string {
  const folder = resolve(settings.data);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigurationError([
      `STEWARD_DATA: ${folder} cannot be used as the data folder: ${reasonOf(error)}. Choose another with --data.`,
    ]);
  }
  return folder;
}

export function storeLocation(settings: Settings): StoreLocation {
  if (settings.store === 'sqlite')
    return { kind: 'sqlite', at: join(dataFolder(settings), 'steward.db'), connections: 1 };
  return { kind: 'postgres', at: settings.store, connections: settings.storeConnections };
}

/** Describes the location in words, without its password. */
export function describeLocation({ kind, at }: StoreLocation): string {
  return kind === 'sqlite' ? `${at} (SQLite)` : describePostgres(at);
}
