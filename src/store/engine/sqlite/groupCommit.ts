import { StewardError, reasonOf } from '../../../foundation/errors.ts';
import type { Flusher } from './flusher.ts';
import type { Runner, Script } from '../script.ts';

interface Waiting {
  /** Runs the script; answers what its caller is told once everything is on disk. */
  readonly run: () => () => void;
  readonly fail: (error: unknown) => void;
}

const AT_ONCE = 100;

export interface GroupCommit {
  write<T>(script: () => Script<T>): Promise<T>;
  /** Committed at once and told at once; it is on disk with the next flush. For what may be forgotten when the power fails. */
  writeUnflushed<T>(script: () => Script<T>): Promise<T>;
  /** Resolves when nothing is waiting any more. */
  settled(): Promise<void>;
}

function notWritten(cause: unknown): StewardError {
  return new StewardError('unavailable', 'The store cannot write to its disk. Nothing was changed.', {
    retryAfterSeconds: 30,
    cause,
  });
}

function inDoubt(cause: unknown): StewardError {
  return new StewardError(
    'unavailable',
    'The disk failed. It is not known whether this was written; look again when the server is back.',
    { retryAfterSeconds: 30, cause },
  );
}

/**
 * All writes that come while the last ones are being flushed share one transaction and one flush; each is in a savepoint of
 * its own, so that one which is refused leaves no trace in the others. Callers hear of success after the flush only.
 */
export function createGroupCommit(needs: {
  readonly run: Runner;
  readonly isOpen: () => boolean;
  readonly flusher: Flusher;
  /** Called between transactions. */
  readonly rest?: (() => Promise<void>) | undefined;
  readonly onBroken?: ((reason: string) => void) | undefined;
}): GroupCommit {
  const { run, flusher } = needs;
  const waiting: Waiting[] = [];
  let working: Promise<void> | undefined;
  let resting: Promise<void> | undefined;

  function runScript<T>(script: () => Script<T>): T {
    const body = script();
    let step = body.next();
    while (step.done !== true) step = body.next(run(step.value.sql, step.value.values));
    return step.value;
  }

  function inSavepoint<T>(script: () => Script<T>): T {
    run('savepoint one', []);
    try {
      const result = runScript(script);
      run('release one', []);
      return result;
    } catch (error) {
      if (needs.isOpen()) {
        run('rollback to one', []);
        run('release one', []);
      }
      throw error;
    }
  }

  /** Without ever giving way to anyone. Answers those who are to be told of success. */
  function commit(
    batch: readonly Waiting[],
  ): readonly { readonly tell: () => void; readonly fail: (error: unknown) => void }[] {
    const done: { readonly tell: () => void; readonly fail: (error: unknown) => void }[] = [];
    try {
      run('begin immediate', []);
      for (const { run: work, fail } of batch) {
        try {
          done.push({ tell: work(), fail });
        } catch (error) {
          fail(error);
          // A full disk ends the whole transaction, and with it what the others had written.
          if (!needs.isOpen()) throw error;
        }
      }
      run('commit', []);
      return done;
    } catch (error) {
      if (needs.isOpen()) run('rollback', []);
      for (const { fail } of batch) fail(notWritten(error));
      return [];
    }
  }

  async function workOff(): Promise<void> {
    while (waiting.length > 0) {
      const done = commit(waiting.splice(0, AT_ONCE));
      if (done.length === 0) continue;
      try {
        await flusher.flush();
        for (const { tell } of done) tell();
        resting = needs.rest?.();
        await resting;
        resting = undefined;
      } catch (error) {
        for (const { fail } of done) fail(inDoubt(error));
        needs.onBroken?.(reasonOf(error));
      }
    }
    working = undefined;
  }

  return {
    write: (script) =>
      new Promise((resolve, reject) => {
        if (flusher.isBroken()) return reject(notWritten(undefined));
        waiting.push({
          run: () => {
            const result = inSavepoint(script);
            return () => resolve(result);
          },
          fail: reject,
        });
        // After this tick, so that all it gathers is written together.
        working ??= Promise.resolve().then(workOff);
      }),
    async writeUnflushed(script) {
      if (resting !== undefined) await resting;
      if (flusher.isBroken()) throw notWritten(undefined);
      run('begin immediate', []);
      try {
        const result = runScript(script);
        run('commit', []);
        return result;
      } catch (error) {
        if (needs.isOpen()) run('rollback', []);
        throw error;
      }
    },
    settled: async () => working,
  };
}
