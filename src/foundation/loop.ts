import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { reasonOf } from './errors.ts';

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

/** Runs `turn` repeatedly with a pause in between. A turn that fails is logged, and the loop continues. */
export function startLoop({ name, pauseMs, clock, log, turn }: LoopOptions): Loop {
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await turn(stopping.signal);
      } catch (error) {
        log.warn({ loop: name, reason: reasonOf(error) }, 'a background task failed and will be retried');
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
