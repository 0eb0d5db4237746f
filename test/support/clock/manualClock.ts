import type { Clock } from '../../../src/foundation/clock.ts';

export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** How many wait for it to move. */
  sleepers(): number;
  /** When the first of them wakes; undefined where nobody sleeps. */
  next(): number | undefined;
}

/** Time that moves only when a test says so. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = {
          until: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    sleepers: () => sleepers.size,
    next: () => (sleepers.size === 0 ? undefined : Math.min(...[...sleepers].map(({ until }) => until))),
    advance(ms) {
      now += ms;
      for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake();
    },
  };
}
