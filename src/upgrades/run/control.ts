import type { Clock } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Loop } from '../../foundation/flow/loop.ts';
import { startLoop } from '../../foundation/flow/loop.ts';
import type { JobStore } from '../../jobs/jobStore.ts';

const POLL_EVERY_MS = 300;

/** Whether work may go on. */
export interface Control {
  /** Whether another act may begin. */
  mayContinue(): boolean;
  /** Aborts when calls and acts that are under way are no longer awaited: after a cancel, a pause or a failure. */
  signal(): AbortSignal;
  /** Lets nothing more begin, because something failed. */
  stop(): void;
}

export interface ControlWatch extends Control {
  isCancelled(): boolean;
  /** Reads the requests now, without waiting for the next poll. */
  poll(): Promise<void>;
  /** Lets work go on after a request to pause that was withdrawn before it took effect. */
  proceed(): void;
  readonly loop: Loop;
}

export interface ControlWatchOptions {
  readonly jobs: JobStore;
  readonly job: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Polls whether a person has asked to pause or to cancel the job. */
export async function watchControlRequests({ jobs, job, clock, log }: ControlWatchOptions): Promise<ControlWatch> {
  let stopped = new AbortController();
  let requests = await jobs.controlRequests(job);
  const isRequested = (): boolean => requests.isCancelled || requests.isPausing;

  async function poll(): Promise<void> {
    requests = await jobs.controlRequests(job);
    if (isRequested()) stopped.abort();
  }

  const loop = startLoop({ name: 'wishes', pauseMs: POLL_EVERY_MS, clock, log, turn: poll });
  return {
    loop,
    poll,
    proceed: () => void (stopped = new AbortController()),
    signal: () => stopped.signal,
    stop: () => stopped.abort(),
    isCancelled: () => requests.isCancelled,
    mayContinue: () => !stopped.signal.aborted && !isRequested(),
  };
}

const NEVER = new AbortController().signal;

/** For work that no request interrupts, such as an undo. */
export const UNSTOPPABLE: Control = {
  mayContinue: () => true,
  signal: () => NEVER,
  stop: () => undefined,
};
