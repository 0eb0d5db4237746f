import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Loop } from '../../foundation/loop.ts';
import { startLoop } from '../../foundation/loop.ts';
import type { JobStore } from '../../jobs/jobStore.ts';

const LOOK_EVERY_MS = 300;

/** Whether anything more may be begun, and whether to wait for what is. */
export interface Halt {
  mayBegin(): boolean;
  /** Aborts when nobody should wait any more. */
  readonly signal: AbortSignal;
  /** After a fault. */
  stop(): void;
}

export interface Wish extends Halt {
  isCancelled(): boolean;
  /** Now, and not only now and then. */
  look(): Promise<void>;
  readonly loop: Loop;
}

/** Looks now and then whether someone wants the job to pause or to be cancelled. */
export async function watchWish(needs: {
  readonly jobs: JobStore;
  readonly job: string;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Wish> {
  const halted = new AbortController();
  let wishes = await needs.jobs.wishes(needs.job);

  async function look(): Promise<void> {
    wishes = await needs.jobs.wishes(needs.job);
    if (wishes.isCancelled) halted.abort();
  }

  const loop = startLoop({
    name: 'wishes',
    pauseMs: LOOK_EVERY_MS,
    clock: needs.clock,
    log: needs.log,
    turn: look,
  });
  return {
    loop,
    look,
    signal: halted.signal,
    stop: () => halted.abort(),
    isCancelled: () => wishes.isCancelled,
    mayBegin: () => !halted.signal.aborted && !wishes.isPausing && !wishes.isCancelled,
  };
}

/** For what nothing keeps from being brought to its end. */
export const NEVER: Halt = { mayBegin: () => true, signal: new AbortController().signal, stop: () => undefined };
