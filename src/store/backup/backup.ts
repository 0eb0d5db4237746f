// Backup and restore of the embedded engine's file, for the local commands `backup` and `restore`.
import { copyFileSync, existsSync, lchownSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { sizeOf } from '../../foundation/files/fileSize.ts';
import type { BegunEpoch, EpochOptions } from './beginEpoch.ts';
import { beginEpoch, readLastSequence } from './beginEpoch.ts';
import { sqliteDialect } from '../engine/dialect.ts';
import { findDifferences, levelOf, refuseNewerLevel } from '../engine/migrate.ts';
import { migrations } from '../engine/migrations.ts';
import type { Script } from '../engine/script.ts';
import { firstColumn, rowsOf } from '../engine/sqlite/firstColumn.ts';
import { runScript } from '../engine/sqlite/groupCommit.ts';
import { STEWARD_APPLICATION_ID, lockSqlite, refuseLogAlone, syncPath } from '../engine/sqlite/sqlite.ts';
import { storeTroubleOf } from '../engine/sqlite/storeTrouble.ts';

export interface BackupContent {
  /** The version of Steward that started last on the store; undefined before 0.2.0. */
  readonly version: string | undefined;
  readonly services: number;
  readonly users: number;
  readonly auditEntries: number;
  /** How its schema differs from the one of this version: a start would refuse it. */
  readonly differences: readonly string[];
}

function openToRead(file: string): DatabaseSyncInstance {
  try {
    return new DatabaseSync(file, { readOnly: true });
  } catch (error) {
    throw new StewardError('invalid', `${file} cannot be read as a backup: ${reasonOf(error)}`, { cause: error });
  }
}

/** Checks that a file is a Steward store, that this release can open it, and that SQLite finds no damaged page. */
function inspectBackup(file: string): BackupContent {
  if (!existsSync(file)) throw new StewardError('notFound', `The file ${file} does not exist.`);
  const database = openToRead(file);
  try {
    const one = (sql: string): unknown => firstColumn(database, sql)[0];
    if (one('pragma application_id') !== STEWARD_APPLICATION_ID)
      throw new StewardError('invalid', `${file} is not a backup of Steward.`);
    const verdict = one('pragma integrity_check');
    if (verdict !== 'ok') throw new StewardError('invalid', `${file} is damaged: ${String(verdict)}`);
    const level = Number(one('select max(level) from schema_migration'));
    refuseNewerLevel(level, levelOf(migrations));
    const hasVersion = one(`select 1 from sqlite_schema where name = 'installation'`) === 1;
    const version = hasVersion ? one('select version from installation') : undefined;
    return {
      version: typeof version === 'string' ? version : undefined,
      services: Number(one('select count(*) from service')),
      users: Number(one('select count(*) from account')),
      auditEntries: Number(one('select count(*) from audit')),
      differences: level < levelOf(migrations) ? [] : runOn(database, findDifferences(sqliteDialect)),
    };
  } catch (error) {
    if (error instanceof StewardError) throw error;
    throw new StewardError('invalid', `${file} is not a backup of Steward: ${reasonOf(error)}`, { cause: error });
  } finally {
    database.close();
  }
}

/** Writes a checked copy to `partial`, and gives it its name. */
function writeBackup(store: string, partial: string, target: string): BackupContent {
  const database = new DatabaseSync(store);
  try {
    database.exec('pragma busy_timeout = 10000');
    database.prepare('vacuum into ?').run(partial);
  } finally {
    database.close();
  }
  syncPath(partial);
  const content = inspectBackup(partial);
  // Unlike a rename, a link fails if the target was created in the meantime.
  linkSync(partial, target);
  syncPath(dirname(resolve(target)));
  return content;
}

/** Copies the store as of one moment, while the server may be running. The file gets its name only after it was checked. */
export function backupSqlite(store: string, target: string): BackupContent {
  if (!existsSync(store)) throw new StewardError('notFound', `No store exists at ${store}. Check the data folder.`);
  refuseLogAlone(store);
  if (existsSync(target))
    throw new StewardError('conflict', `${target} exists already. Choose another name, or delete it first.`);
  const partial = `${resolve(target)}.partial`;
  rmSync(partial, { force: true });
  try {
    return writeBackup(store, partial, target);
  } catch (error) {
    throw new StewardError('unavailable', `The backup could not be written: ${reasonOf(error)}`, { cause: error });
  } finally {
    for (const rest of ['', '-journal']) rmSync(partial + rest, { force: true });
  }
}

/** Moves the write-ahead log into the file, so that the file alone is the complete store. */
function mergeLog(store: string): void {
  const database = new DatabaseSync(store);
  try {
    database.exec('pragma busy_timeout = 5000');
    const [busy] = firstColumn(database, 'pragma wal_checkpoint(truncate)');
    if (busy !== 0)
      throw new StewardError(
        'conflict',
        `Another process is reading ${store}, perhaps a backup. Try again when it has ended.`,
      );
  } finally {
    database.close();
  }
  for (const rest of ['-wal', '-shm']) rmSync(store + rest, { force: true });
}

/** Keeps a log that cannot be merged. SQLite would apply it to any file that gets the name of the store. */
function keepLog(store: string, kept: string): void {
  if (existsSync(`${store}-wal`)) renameSync(`${store}-wal`, `${kept}-wal`);
  rmSync(`${store}-shm`, { force: true });
}

/** Keeps the store under another name, with its log if the log cannot be merged: that of a damaged or missing file. */
function keepStore(store: string, kept: string): void {
  if (sizeOf(store) === 0) {
    keepLog(store, kept);
    return;
  }
  try {
    mergeLog(store);
  } catch (error) {
    if (storeTroubleOf(error) !== 'damaged') throw error;
    keepLog(store, kept);
  }
  linkSync(store, kept);
}

/**
 * Gives files that root has written to the owner of their folder, so that the account of the service can open them. Links
 * are not followed, because that account may have put one there.
 */
function giveToFolderOwner(...files: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  for (const file of files) {
    const { uid, gid } = statSync(dirname(resolve(file)));
    lchownSync(file, uid, gid);
  }
}

function runOn<T>(database: DatabaseSyncInstance, script: Script<T>): T {
  return runScript(script, (sql, values) => rowsOf(database, sql, values));
}

/** The last sequence number of the store that is replaced; 0 if it cannot be read. */
function lastSequenceOf(store: string): number {
  if (sizeOf(store) === 0) return 0;
  let database: DatabaseSyncInstance | undefined;
  try {
    database = new DatabaseSync(store, { readOnly: true });
    return runOn(database, readLastSequence());
  } catch {
    return 0;
  } finally {
    database?.close();
  }
}

const HAS_QUEUE = `select 1 from pragma_table_info('queue') where name = 'sent_while_inactive'`;

function beginEpochIn(file: string, options: Omit<EpochOptions, 'hasQueue'>): BegunEpoch {
  const database = new DatabaseSync(file);
  try {
    // The file alone must be the whole store. A copy of a store that was in use would have its changes in a log beside it.
    database.exec('pragma journal_mode = delete');
    database.exec('begin');
    const hasQueue = firstColumn(database, HAS_QUEUE).length > 0;
    const begun = runOn(database, beginEpoch({ ...options, hasQueue }));
    database.exec('commit');
    return begun;
  } finally {
    database.close();
  }
}

/** Copies a backup. SQLite would apply what an interrupted restore has left beside a file of this name. */
function copyAlone(source: string, target: string): void {
  for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(target + rest, { force: true });
  copyFileSync(source, target);
}

/**
 * Replaces the store by a backup. The old store is kept beside it under another name. The replacement is one rename, so a
 * crash leaves either the old store or the new one.
 */
export function restoreSqlite(
  source: string,
  store: string,
  { now, holds }: Pick<EpochOptions, 'now' | 'holds'>,
): { readonly content: BackupContent; readonly kept: string | undefined; readonly epoch: BegunEpoch } {
  const content = inspectBackup(source);
  const lock = lockSqlite(store);
  try {
    const incoming = `${store}.restoring`;
    copyAlone(source, incoming);
    const epoch = beginEpochIn(incoming, { now, holds, lastSequence: lastSequenceOf(store) });
    syncPath(incoming);
    inspectBackup(incoming);
    giveToFolderOwner(incoming, `${store}.lock`);
    const keptName = `${store}.before-restore-${new Date(now).toISOString().replaceAll(':', '-')}`;
    keepStore(store, keptName);
    const kept = [keptName, `${keptName}-wal`].find((file) => existsSync(file));
    renameSync(incoming, store);
    syncPath(dirname(resolve(store)));
    return { content, kept, epoch };
  } finally {
    lock.release();
  }
}
