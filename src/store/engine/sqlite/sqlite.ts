// The embedded engine: SQLite in write-ahead mode with one writer and one reader connection. Commits are grouped, flushed
// by us, and checkpointed in another thread, so that no request waits for a disk on the main thread.
import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import type { Engine } from '../engine.ts';
import { sqliteDialect } from '../dialect.ts';
import { createCheckpointer } from './checkpointer.ts';
import { createFlusher } from './flusher.ts';
import { createGroupCommit, runScript } from './groupCommit.ts';
import { SCHEMA_MIGRATION } from '../migrations.ts';
import type { Row, Runner } from '../script.ts';

export const STEWARD_APPLICATION_ID = 0x53_74_77_64;

/** `$1` does not bind by position on SQLite; `?1` does. */
function positional(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

function createRunner(database: DatabaseSyncInstance): Runner {
  const prepared = new Map<string, StatementSyncInstance>();
  return (sql, values) => {
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare(positional(sql));
      prepared.set(sql, statement);
    }
    return statement.all(...values) as readonly Row[];
  };
}

/** Flushes a file to disk, or the directory entries of a folder. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Locks a store for this process. The operating system holds the lock and releases it when the process ends, however it ends. */
export function lockSqlite(file: string): { release(): void } {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  const lock = new DatabaseSync(`${file}.lock`);
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    throw new StewardError(
      'conflict',
      `Another process uses ${file}. Stop it first, or use PostgreSQL (STEWARD_STORE=postgres://…) to run more than one.`,
      { cause: error },
    );
  }
  return { release: () => lock.close() };
}

/**
 * With `synchronous = normal` SQLite does not flush commits, which `flusher.ts` does, but still flushes checkpoints. Temporary
 * tables are kept in memory: a statement must not need another file, which a process without free descriptors cannot open.
 */
function openConnections(file: string) {
  try {
    const writer = new DatabaseSync(file);
    writer.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000; pragma cache_size = -32768;
      pragma wal_autocheckpoint = 0; pragma temp_store = memory;
      pragma foreign_keys = on; pragma application_id = ${STEWARD_APPLICATION_ID}; ${SCHEMA_MIGRATION}`);
    // The log file exists now. Its directory entry must be on disk before a flush of the file is worth anything.
    syncPath(dirname(resolve(file)));
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('pragma busy_timeout = 5000; pragma temp_store = memory');
    return { writer, reader };
  } catch (error) {
    throw new StewardError(
      'invalid',
      `${file} cannot be opened as a store: ${reasonOf(error)}. Restore a backup, or choose another data folder.`,
      { cause: error },
    );
  }
}

export interface SqliteOptions {
  /** Called when a flush has failed. The store accepts no more writes until the process is restarted. */
  readonly onBroken?: (reason: string) => void;
  /** For tests: replaces the flush of the log to disk. */
  readonly sync?: () => Promise<void>;
}

/** Opens a store in a file and locks it for this process. */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Engine> {
  const lock = lockSqlite(file);
  try {
    const { writer, reader } = openConnections(file);
    const runRead = createRunner(reader);
    const log = await open(`${file}-wal`, 'r+');
    const flusher = createFlusher(options.sync ?? (() => log.datasync()));
    const checkpointer = createCheckpointer(file);
    const commits = createGroupCommit({
      run: createRunner(writer),
      isOpen: () => writer.isTransaction,
      flusher,
      checkpoint: checkpointer.checkpoint,
      onBroken: options.onBroken,
    });
    return {
      dialect: sqliteDialect,
      read: async (script) => runScript(script, runRead),
      write: (_lock, script) => commits.write(script),
      writeUnflushed: (script) => commits.writeUnflushed(script),
      async close() {
        await commits.settled();
        await checkpointer.close();
        await log.close();
        reader.close();
        writer.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
