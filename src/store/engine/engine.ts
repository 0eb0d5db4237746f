import type { Dialect } from './dialect.ts';
import type { Row, Script, Value } from './script.ts';

/**
 * `shared` is an ordinary write. `exclusive` is alone: every shared write is wholly before or wholly after it,
 * which makes read-only mode exact, and lets one replica migrate while the others wait.
 */
export type WriteLock = 'shared' | 'exclusive';

export interface Engine {
  readonly dialect: Dialect;
  /** One statement, on a connection that does not wait for writers. */
  query(sql: string, ...values: readonly Value[]): Promise<readonly Row[]>;
  /** One transaction, durable when the promise resolves. The script is run again when two writers meet. */
  write<T>(lock: WriteLock, script: () => Script<T>): Promise<T>;
  /** The same, but not yet flushed: it outlives the process, and may be forgotten when the power fails. */
  writeUnflushed<T>(script: () => Script<T>): Promise<T>;
  close(): Promise<void>;
}
