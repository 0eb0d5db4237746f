// Accepting and delivering share the process. Without a limit, three senders of large arrays took nearly all of its time: 6,900 events a
// second were accepted and 96 delivered, of 800 that could be.
import { performance } from 'node:perf_hooks';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';

/** Above this part of the time, the process is busy. With the rests, it is idle for a part of it. */
const BUSY = 0.5;
/** Deliveries that are late by more are behind. */
const BEHIND_MS = SECOND;
/** A rest is longer than what it follows, because requests are also read and parsed during it. */
const REST_FACTOR = 3;
const MEASURED_OVER_MS = 100;
/** A store that was slow once must not delay senders for long. */
const LONGEST_REST_MS = SECOND;

/** The part of the time in which the event loop of this process was not idle, over the last moment. */
export function createUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  let measured = 0;
  return () => {
    const since = performance.eventLoopUtilization(last);
    if (since.active + since.idle >= MEASURED_OVER_MS) {
      measured = since.utilization;
      last = performance.eventLoopUtilization();
    }
    return measured;
  };
}

export interface AcceptanceShareDependencies {
  readonly clock: Clock;
  /** When the delivery was due that has waited longest. */
  readonly oldestDueAt: () => number;
  readonly utilization: () => number;
}

/** Runs acceptances one after another. While the process is busy and deliveries are behind, a rest follows each. */
export function createAcceptanceShare({ clock, oldestDueAt, utilization }: AcceptanceShareDependencies) {
  let [restFrom, restMs] = [0, 0];
  return async <T>(accept: () => Promise<T>): Promise<T> => {
    // A clock that was set back must not prolong the rest.
    const left = Math.min(restMs, restFrom + restMs - clock.now());
    if (left > 0) await clock.sleep(left);
    const began = clock.now();
    const accepted = await accept();
    restFrom = clock.now();
    const isBehind = restFrom - oldestDueAt() > BEHIND_MS && utilization() > BUSY;
    restMs = isBehind ? Math.min(REST_FACTOR * (restFrom - began), LONGEST_REST_MS) : 0;
    return accepted;
  };
}
