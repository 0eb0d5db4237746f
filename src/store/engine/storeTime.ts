// The time of the store, which all replicas share: leases, due times and windows would otherwise depend on whose clock is right.
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';

/** Smaller differences are those of the measurement. */
const NOTICED_MS = 100;
const SKEW_WARNED_MS = 2 * SECOND;

export interface StoreTime {
  /** The clock of this process, corrected. */
  readonly clock: Clock;
  /** By how much the clock of the store is ahead of the one of this machine. */
  skewMs(): number;
  /** Notes what the clock of the store said between two moments of this machine. */
  measured(storeNow: number, askedAt: number, answeredAt: number): void;
}

export function createStoreTime(clock: Clock, log: Log): StoreTime {
  let skew = 0;

  function change(to: number): void {
    const [wasOff, isOff] = [Math.abs(skew) > SKEW_WARNED_MS, Math.abs(to) > SKEW_WARNED_MS];
    skew = to;
    const fields = { seconds: Math.round(-to / SECOND) };
    if (isOff)
      log.warn(
        fields,
        'the clock of this machine differs from that of the database, whose time is used; synchronise it',
      );
    else if (wasOff) log.info(fields, 'the clock of this machine agrees with that of the database again');
  }

  return {
    clock: { now: () => clock.now() + skew, sleep: clock.sleep },
    skewMs: () => skew,
    measured(storeNow, askedAt, answeredAt) {
      const found = storeNow - (askedAt + answeredAt) / 2;
      if (Math.abs(found - skew) > Math.max(NOTICED_MS, answeredAt - askedAt)) change(Math.round(found));
    },
  };
}
