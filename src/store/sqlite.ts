import { mkdirSync, openSync, closeSync, fsyncSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import { createFlusher } from './flusher.ts';
import type { Engine } from './engine.ts';
import type { Row, Script, Value } from './script.ts';

export const STEWARD_APPLICATION_ID = 0x53_74_77_64;

/** `$1` does not bind by position on SQLite; `?1` does. */
function positional(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

function createRunner(database: DatabaseSyncInstance): (sql: string, values: readonly Value[]) => readonly Row[] {
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

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Held by the system for as long as the process lives, however it dies. */
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
 * A commit is written at once and made durable by one flush that all commits of the moment share, off the event loop;
 * the caller hears of success only after it. `synchronous = normal` leaves exactly that flush to us, and keeps those
 * of a checkpoint.
 */
export function openSqlite(file: string): Engine {
  const lock = lockSqlite(file);
  const writer = new DatabaseSync(file);
  writer.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000;
    pragma foreign_keys = on; pragma application_id = ${STEWARD_APPLICATION_ID}`);
  const runWrite = createRunner(writer);
  // The log file must exist, and its name be on disk, before the first flush of it means anything.
  runWrite('begin immediate', []);
  runWrite(
    'create table if not exists schema_migration (name text primary key, level bigint not null, applied_at bigint not null)',
    [],
  );
  runWrite('commit', []);
  syncFolder(dirname(resolve(file)));
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('pragma busy_timeout = 5000');
  const runRead = createRunner(reader);
  const flusher = createFlusher(`${file}-wal`);

  function transact<T>(script: () => Script<T>): T {
    runWrite('begin immediate', []);
    try {
      const body = script();
      let step = body.next();
      while (step.done !== true) step = body.next(runWrite(step.value.sql, step.value.values));
      runWrite('commit', []);
      return step.value;
    } catch (error) {
      if (writer.isTransaction) runWrite('rollback', []);
      throw error;
    }
  }

  return {
    dialect: { identity: 'integer primary key autoincrement', key: 'text', forUpdate: '' },
    async query(sql, ...values) {
      return runRead(sql, values);
    },
    async write(_lock, script) {
      if (flusher.isBroken()) throw diskFailed(undefined);
      try {
        const result = transact(script);
        await flusher.flush();
        return result;
      } catch (error) {
        throw error instanceof StewardError || !isDiskError(error) ? error : diskFailed(error);
      }
    },
    async close() {
      await flusher.close();
      reader.close();
      writer.close();
      lock.release();
    },
  };
}

function isDiskError(error: unknown): boolean {
  return /disk|I\/O|full|ENOSPC|EIO/i.test(reasonOf(error));
}

function diskFailed(cause: unknown): StewardError {
  return new StewardError('unavailable', 'The store cannot write to its disk. Nothing was changed.', {
    retryAfterSeconds: 30,
    cause,
  });
}
