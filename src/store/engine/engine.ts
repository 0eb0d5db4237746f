import type { Dialect } from './dialect.ts';
import type { Loop } from '../../foundation/flow/loop.ts';
import type { Script } from './script.ts';

/**
 * `shared` is an ordinary write. An `exclusive` write runs alone: every other write is entirely before or entirely after
 * it. Read-only mode depends on that. A `migration` is an exclusive write that may take long.
 */
export type WriteLock = 'shared' | 'exclusive' | 'migration';

/** What a caller hears while the database cannot be reached. */
export const UNREACHABLE = 'The store cannot be reached. Try again in a moment.';

/** Called when a transaction, here or in another process, has raised the revision of a topic. */
export type OnRaised = (topic: string, revision: number) => void;

export interface Engine {
  readonly dialect: Dialect;
  /** Names this process in what it claims. */
  readonly owner: string;
  /** Runs a script without a transaction, on a connection that does not wait for writers. */
  read<T>(script: Script<T>): Promise<T>;
  /**
   * Runs a transaction, which is durable when the promise resolves. The script runs again if it conflicts with another writer. With the
   * embedded engine, reads see the changes before they are durable: `onVisible` is called before any of them can.
   */
  write<T>(lock: WriteLock, script: () => Script<T>, onVisible?: () => void): Promise<T>;
  /**
   * The same without a flush: the transaction survives a crash of the process, but a power failure may undo it. Its statements find rows
   * by indexes only, even if PostgreSQL expects a table to be empty.
   */
  writeUnflushed<T>(script: () => Script<T>): Promise<T>;
  /**
   * Starts to listen for revisions that other processes raise, and shows them that this process runs. A notice may be lost, so the
   * caller must also poll.
   */
  listen(onRaised: OnRaised): Loop;
  /** Whether other processes can see that this one runs. */
  isPresent(): boolean;
  /** For how long they could, since they last could not; infinite if they always could. */
  presentForMs(): number;
  /** Names what keeps the engine from being used, without asking the database. */
  obstacles(): readonly string[];
  close(): Promise<void>;
}
