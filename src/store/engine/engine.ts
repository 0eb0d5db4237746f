import type { Row, Script, Value } from './script.ts';

/** Every difference between the two engines' SQL has a name here. */
export interface Dialect {
  /** A column that numbers its rows. */
  readonly identity: string;
  /** Text that is compared and ordered byte by byte. */
  readonly key: string;
  /** Keeps other writers from the rows of a select until the transaction ends. */
  readonly forUpdate: string;
  /** Whether a query can look something up anew for each row of another. */
  readonly hasLateral: boolean;
  /** How much of a batch one transaction should touch: the embedded engine holds up everyone while it works. */
  readonly atOnce: number;
  /** As `forUpdate`, but rows that another writer holds are passed over. */
  readonly skipLocked: string;
  /** The elements of a JSON array of arrays as `item`, in its column `value`; `value ->> 0` is the first of each. */
  readonly each: (parameter: string) => string;
}

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
