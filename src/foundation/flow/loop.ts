import type { Clock } from '../clock.ts';
import { MINUTE } from '../clock.ts';
import type { Log } from '../log.ts';
import { reasonOf } from '../errors.ts';

export interface Loop {
  /** Resolves when the current turn has ended. */
  stop(): Promise<void>;
}

interface LoopOptions {
  readonly name: string;
  readonly pauseMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

/** A turn that fails again for the same reason is logged this often. */
const LOG_AGAIN_MS = MINUTE;

/** Logs failures of turns, and not each of many in a row that have the same reason. */
function createFailureLog({ name, clock, log }: Pick<LoopOptions, 'name' | 'clock' | 'log'>) {
  let last: { readonly reason: string; readonly at: number } | undefined;
  return (error: unknown): void => {
    const [reason, at] = [reasonOf(error), clock.now()];
    if (last?.reason === reason && at - last.at < LOG_AGAIN_MS) return;
    last = { reason, at };
    log.warn({ loop: name, reason }, 'a background task failed and will be retried');
  };
}

/** Runs `turn` repeatedly with a pause in between. A turn that fails is logged, and the loop continues. */
export function startLoop({ name, pauseMs, clock, log, turn }: LoopOptions): Loop {
  const stopping = new AbortController();
  const logFailure = createFailureLog({ name, clock, log });
  const done = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await turn(stopping.signal);
      } catch (error) {
        logFailure(error);
      }
      if (stopping.signal.aborted) break;
      await clock.sleep(pauseMs, stopping.signal);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
