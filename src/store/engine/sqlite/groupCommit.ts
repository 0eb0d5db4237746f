// Group commit of the embedded engine: writes that arrive while an earlier group is being flushed share one transaction and
// one flush. `sqlite.ts` gives it the connection.
import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import type { Flusher } from './flusher.ts';
import type { Runner, Script } from '../script.ts';
import type { StoreHealth } from './storeHealth.ts';

interface PendingWrite {
  /** Runs the script and returns the function that resolves its promise, to be called after the flush. */
  readonly run: () => () => void;
  readonly fail: (error: unknown) => void;
  /** Called when reads see the write. */
  readonly onVisible: (() => void) | undefined;
}

const MAX_GROUP = 100;

function notWritten(cause: unknown): StewardError {
  if (cause instanceof StewardError && cause.code === 'unavailable') return cause;
  return new StewardError('unavailable', 'The store cannot write to its disk. Nothing was changed.', {
    retryAfterSeconds: 30,
    cause,
  });
}

function inDoubt(cause: unknown): StewardError {
  return new StewardError(
    'unavailable',
    'The disk failed. It is unknown whether this change was written. Check it when the server is back.',
    { retryAfterSeconds: 30, cause },
  );
}

export interface GroupCommitOptions {
  readonly run: Runner;
  /** Whether a transaction is open. SQLite itself ends it after some errors, such as a full disk. */
  readonly isOpen: () => boolean;
  readonly health: Pick<StoreHealth, 'refuseWrites' | 'written'>;
  readonly flusher: Flusher;
  /** Called between transactions. */
  readonly checkpoint: () => Promise<void>;
  /** Called when a flush has failed. */
  readonly onBroken?: ((reason: string) => void) | undefined;
}

export function runScript<T>(script: Script<T>, run: Runner): T {
  let step = script.next();
  while (step.done !== true) {
    const { sql, values, onRows } = step.value;
    const found = run(sql, values);
    onRows?.(found);
    step = script.next(found);
  }
  return step.value;
}

/** Each write runs in its own savepoint, so that a refused one does not affect the others. Success is reported after the flush. */
export function createGroupCommit(options: GroupCommitOptions) {
  const { run, isOpen, health, flusher } = options;
  const pending: PendingWrite[] = [];
  let working: Promise<void> | undefined;
  let checkpointing: Promise<void> | undefined;

  function inSavepoint<T>(script: () => Script<T>): T {
    run('savepoint one', []);
    try {
      const result = runScript(script(), run);
      run('release one', []);
      return result;
    } catch (error) {
      if (isOpen()) {
        run('rollback to one', []);
        run('release one', []);
      }
      throw error;
    }
  }

  /** Runs and commits a group synchronously. Returns the writes that succeeded. */
  function commit(group: readonly PendingWrite[]) {
    const committed: (Omit<PendingWrite, 'run'> & { readonly succeed: () => void })[] = [];
    try {
      health.refuseWrites();
      run('begin immediate', []);
      for (const { run: runWrite, fail, onVisible } of group) {
        try {
          committed.push({ succeed: runWrite(), fail, onVisible });
        } catch (error) {
          fail(error);
          // A full disk ends the whole transaction, and undoes what the others had written.
          if (!isOpen()) throw error;
        }
      }
      run('commit', []);
      return committed;
    } catch (error) {
      if (isOpen()) run('rollback', []);
      for (const { fail } of group) fail(notWritten(error));
      return [];
    }
  }

  async function commitPending(): Promise<void> {
    while (pending.length > 0) {
      const committed = commit(pending.splice(0, MAX_GROUP));
      if (committed.length === 0) continue;
      for (const { onVisible } of committed) onVisible?.();
      try {
        await flusher.flush();
        health.written();
        for (const { succeed } of committed) succeed();
        checkpointing = options.checkpoint();
        await checkpointing;
        checkpointing = undefined;
      } catch (error) {
        for (const { fail } of committed) fail(inDoubt(error));
        options.onBroken?.(reasonOf(error));
      }
    }
    working = undefined;
  }

  return {
    write: <T>(script: () => Script<T>, onVisible?: () => void): Promise<T> =>
      new Promise((resolve, reject) => {
        if (flusher.isBroken()) return reject(notWritten(undefined));
        pending.push({
          run: () => {
            const result = inSavepoint(script);
            return () => resolve(result);
          },
          fail: reject,
          onVisible,
        });
        // In the next microtask, so that writes of this tick form one group.
        working ??= Promise.resolve().then(commitPending);
      }),
    /** Commits immediately and does not wait for the flush: a power failure may undo the write. */
    async writeUnflushed<T>(script: () => Script<T>): Promise<T> {
      if (checkpointing !== undefined) await checkpointing;
      if (flusher.isBroken()) throw notWritten(undefined);
      health.refuseWrites();
      run('begin immediate', []);
      try {
        const result = runScript(script(), run);
        run('commit', []);
        return result;
      } catch (error) {
        if (isOpen()) run('rollback', []);
        throw error;
      }
    },
    /** Resolves when no write is pending. */
    settled: async (): Promise<void> => working,
  };
}
