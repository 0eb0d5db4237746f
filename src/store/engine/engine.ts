import type { Dialect } from './dialect.ts';
import type { Script } from './script.ts';

/**
 * `shared` is an ordinary write. An `exclusive` write runs alone: every other write is entirely before or entirely after
 * it. Read-only mode depends on that, and so does a migration, during which the other replicas wait.
 */
export type WriteLock = 'shared' | 'exclusive';

export interface Engine {
  readonly dialect: Dialect;
  /** Runs a script without a transaction, on a connection that does not wait for writers. */
  read<T>(script: Script<T>): Promise<T>;
  /** Runs a transaction, which is durable when the promise resolves. The script runs again if it conflicts with another writer. */
  write<T>(lock: WriteLock, script: () => Script<T>): Promise<T>;
  /** The same without a flush: the transaction survives a crash of the process, but a power failure may undo it. */
  writeUnflushed<T>(script: () => Script<T>): Promise<T>;
  /** Names what keeps the engine from being used, without asking the database. */
  obstacles(): readonly string[];
  close(): Promise<void>;
}
