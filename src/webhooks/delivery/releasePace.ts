import { SECOND } from '../../foundation/clock.ts';
import type { ReleasePace } from '../ports/releasePace.ts';

/** At most one second of allowance accumulates. A mark in the future comes from a clock that was set back. */
function markWithinBounds(mark: number, now: number): number {
  return Math.min(Math.max(mark, now - SECOND), now);
}

/** Paces the release of held deliveries, for all replicas together: they share one mark per webhook in the store. */
export function releasePace(perSecond: number): ReleasePace {
  const stepMs = SECOND / perSecond;

  return {
    allowance: (mark, now) => Math.floor((now - markWithinBounds(mark, now)) / stepMs),
    advance: (mark, now, claimed) => Math.round(markWithinBounds(mark, now) + claimed * stepMs),
    nextAt: (mark, now) => Math.ceil(markWithinBounds(mark, now) + stepMs),
  };
}
