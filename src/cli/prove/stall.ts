// How long nothing may go on. While a fault leaves no replica that can work, nothing can: that time does not count.
import { SECOND } from '../../foundation/clock.ts';

/** The limits without --max-stall. A job whose holder is killed or frozen goes on when its lease of 15 s has expired. */
export const STALL_LIMITS_MS = { deliveries: 5 * SECOND, upgrades: 20 * SECOND } as const;

export interface Stalls {
  /** The longest time without progress. */
  readonly longestStallMs: number;
  /** The longest time without progress in which a replica could work. */
  readonly longestAvailableStallMs: number;
}

export interface StallMeter {
  /** Notes when there was progress last, and until when no replica could work. */
  note(now: number, progressAt: number, outageUntil: number): void;
  longest(): Stalls;
}

export function createStallMeter(): StallMeter {
  let [longestStallMs, longestAvailableStallMs] = [0, 0];
  return {
    note(now, progressAt, outageUntil) {
      longestStallMs = Math.max(longestStallMs, now - progressAt);
      longestAvailableStallMs = Math.max(longestAvailableStallMs, now - Math.max(progressAt, outageUntil));
    },
    longest: () => ({ longestStallMs, longestAvailableStallMs }),
  };
}

export function secondsText(ms: number): string {
  return `${(ms / SECOND).toFixed(1)} s`;
}

/** What is broken if a stall was longer than its limit. */
export function stallProblems({ longestAvailableStallMs: ms }: Stalls, limitMs: number): readonly string[] {
  if (ms <= limitMs) return [];
  return [`Nothing went on for ${secondsText(ms)} while a replica could work; the limit is ${secondsText(limitMs)}.`];
}
