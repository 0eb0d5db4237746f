// The embedded engine: SQLite in write-ahead mode with one writer and one reader connection. Commits are grouped, flushed
// by us, and checkpointed in another thread, so that no request waits for a disk on the main thread.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Clock } from '../../../foundation/clock.ts';
import { systemClock } from '../../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import { sizeOf } from '../../../foundation/files/fileSize.ts';
import { newId } from '../../../foundation/ids.ts';
import type { Log } from '../../../foundation/log.ts';
import { silentLog } from '../../../foundation/log.ts';
import type { Engine } from '../engine.ts';
import { sqliteDialect } from '../dialect.ts';
import { createCheckpointer } from './checkpointer.ts';
import { collectStatements } from './collectStatements.ts';
import { firstColumn, positional } from './firstColumn.ts';
import { createFlusher } from './flusher.ts';
import { createGroupCommit, runScript } from './groupCommit.ts';
import { SCHEMA_MIGRATION } from '../migrations.ts';
import { findDamage } from './quickCheck.ts';
import type { Row, Runner } from '../script.ts';
import type { StoreHealth } from './storeHealth.ts';
import { createStoreHealth } from './storeHealth.ts';
import { cannotOpenStore, damagedStore } from './storeTrouble.ts';

export const STEWARD_APPLICATION_ID = 0x53_74_77_64;

/** The statements of a connection, each prepared once. */
type Statements = Map<string, StatementSyncInstance>;

function createRunner(database: DatabaseSyncInstance, prepared: Statements, { translated }: StoreHealth): Runner {
  return (sql, values) => {
    try {
      let statement = prepared.get(sql);
      if (statement === undefined) {
        statement = database.prepare(positional(sql));
        prepared.set(sql, statement);
      }
      return statement.all(...values) as readonly Row[];
    } catch (error) {
      throw translated(error);
    }
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

/** Creates the file of a lock if it is missing, and tells which file it is. */
function lockInode(path: string): number {
  const handle = openSync(path, 'a', 0o600);
  closeSync(handle);
  return statSync(path).ino;
}

/** Locks a file. Undefined if it was removed by its former holder, and so another process may lock a new one. */
function tryLock(path: string): DatabaseSyncInstance | undefined {
  const inode = lockInode(path);
  const lock = new DatabaseSync(path);
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive');
    if (statSync(path, { throwIfNoEntry: false })?.ino === inode) return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
  lock.close();
  return undefined;
}

/** Locks a store for this process. The operating system holds the lock and releases it when the process ends, however it ends. */
export function lockSqlite(file: string): { release(): void } {
  const path = `${file}.lock`;
  let lock: DatabaseSyncInstance | undefined;
  try {
    mkdirSync(dirname(resolve(file)), { recursive: true });
    while (lock === undefined) lock = tryLock(path);
  } catch (error) {
    throw cannotOpenStore(file, error);
  }
  const locked = lock;
  return {
    release() {
      // While it is still locked: the file of a lock that another process holds must stay.
      rmSync(path, { force: true });
      locked.close();
    },
  };
}

/**
 * Without its file, a log is a store that someone took apart. SQLite would delete the log and begin an empty store. Must be called before
 * a file is opened, also to read it.
 */
export function refuseLogAlone(file: string): void {
  const log = `${file}-wal`;
  if (sizeOf(file) > 0 || sizeOf(log) === 0) return;
  throw new StewardError(
    'invalid',
    `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but its log ${log} is there. Nothing was changed. Put the file back beside its log, or restore a backup (steward restore <backup> --data ${dirname(file)}), which keeps the log. To start with an empty store, move the log away.`,
  );
}

/** Refuses a file that Steward did not make or that is damaged, before anything is written to it. */
function inspect(database: DatabaseSyncInstance, file: string): void {
  const isEmpty = firstColumn(database, 'select 1 from sqlite_schema limit 1').length === 0;
  if (!isEmpty && firstColumn(database, 'pragma application_id')[0] !== STEWARD_APPLICATION_ID)
    throw new StewardError(
      'invalid',
      `${file} cannot be opened as a store: it is a database of another program. Nothing was changed. Choose another data folder with --data.`,
    );
  const damage = findDamage(database, statSync(file).size);
  if (damage !== undefined) throw damagedStore(file, damage);
}

/**
 * With `synchronous = normal` SQLite does not flush commits, which `flusher.ts` does, but still flushes checkpoints. Temporary
 * tables are kept in memory: a statement must not need another file, which a process without free descriptors cannot open.
 */
function openConnections(file: string) {
  refuseLogAlone(file);
  const writer = new DatabaseSync(file);
  try {
    writer.exec('pragma busy_timeout = 5000; pragma temp_store = memory');
    inspect(writer, file);
    writer.exec(`pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -32768;
      pragma wal_autocheckpoint = 0;
      pragma foreign_keys = on; pragma application_id = ${STEWARD_APPLICATION_ID}; ${SCHEMA_MIGRATION}`);
    // The log file exists now. Its directory entry must be on disk before a flush of the file is worth anything.
    syncPath(dirname(resolve(file)));
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.exec('pragma busy_timeout = 5000; pragma temp_store = memory');
    return { writer, reader };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * Moves the whole log into the file, so that the file alone is the store. Closing the connections does not do it if a statement
 * that was prepared keeps one of them open.
 */
function writeBackLog(writer: DatabaseSyncInstance, file: string, log: Log): void {
  const advice = 'the log could not be written back into the store; keep the file that ends in -wal beside it';
  try {
    writer.exec('pragma busy_timeout = 1000');
    const [busy] = firstColumn(writer, 'pragma wal_checkpoint(truncate)');
    if (busy !== 0) log.warn({ store: file, reason: 'another process reads the store, perhaps a backup' }, advice);
  } catch (error) {
    log.warn({ store: file, reason: reasonOf(error) }, advice);
  }
}

export interface SqliteOptions {
  readonly clock?: Pick<Clock, 'now'>;
  readonly log?: Log;
  /** Called when a flush has failed. The store accepts no more writes until the process is restarted. */
  readonly onBroken?: (reason: string) => void;
  /** Whether closing also removes the side files, which takes a garbage collection. For a process that ends. */
  readonly leavesOneFile?: boolean;
  /** For tests: replaces the flush of the log to disk. */
  readonly sync?: () => Promise<void>;
}

/** Opens a store in a file and locks it for this process. */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Engine> {
  const { clock = systemClock, log = silentLog } = options;
  const lock = lockSqlite(file);
  try {
    const { writer, reader } = openConnections(file);
    const logFile = await open(`${file}-wal`, 'r+');
    const health = createStoreHealth(file, clock, log);
    const [readStatements, writeStatements]: readonly [Statements, Statements] = [new Map(), new Map()];
    const runRead = createRunner(reader, readStatements, health);
    const flusher = createFlusher(options.sync ?? (() => logFile.datasync()));
    const checkpointer = createCheckpointer(file);
    const commits = createGroupCommit({
      run: createRunner(writer, writeStatements, health),
      isOpen: () => writer.isTransaction,
      health,
      flusher,
      checkpoint: checkpointer.checkpoint,
      onBroken: options.onBroken,
    });
    return {
      dialect: sqliteDialect,
      owner: newId(),
      read: async (script) => runScript(script, runRead),
      write: (_lock, script, onVisible) => commits.write(script, onVisible),
      writeUnflushed: (script) => commits.writeUnflushed(script),
      // One process uses the file.
      listen: () => ({ stop: async () => undefined }),
      isPresent: () => true,
      presentForMs: () => Infinity,
      obstacles: health.obstacles,
      async close() {
        await commits.settled();
        await checkpointer.close();
        await logFile.close();
        writeBackLog(writer, file, log);
        for (const statements of [readStatements, writeStatements]) statements.clear();
        if (options.leavesOneFile === true) await collectStatements();
        reader.close();
        writer.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw cannotOpenStore(file, error);
  }
}
