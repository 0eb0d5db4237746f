import { SECOND } from '../../../foundation/clock.ts';

const TICK_MS = 250;
const LATE_MS = SECOND;

export interface Lateness {
  /** Whether the process, or its clock, was stopped or late by more than a second at some time after this one. */
  wasLateSince(at: number): boolean;
  stop(): void;
}

/**
 * Notices when the event loop was not run: the process was stopped, starved of CPU time or blocked, or its machine was suspended. The second
 * clock counts the time of a suspended machine, which the monotonic one leaves out.
 */
export function watchLateness(now = (): number => performance.now(), wallNow = Date.now): Lateness {
  let last = { at: now(), wallAt: wallNow() };
  let lateUntil = Number.NEGATIVE_INFINITY;

  function look(): void {
    const [at, wallAt] = [now(), wallNow()];
    if (Math.max(at - last.at, wallAt - last.wallAt) - TICK_MS > LATE_MS) lateUntil = at;
    last = { at, wallAt };
  }

  const timer = setInterval(look, TICK_MS).unref();
  return {
    wasLateSince(at) {
      look();
      return lateUntil >= at;
    },
    stop: () => clearInterval(timer),
  };
}
