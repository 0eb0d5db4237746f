import type { Clock } from '../../foundation/clock.ts';

const WOKEN = 'woken';

/** Lets one loop rest until a time or until it is woken. */
export function createWakeSignal(clock: Clock) {
  let isSet = false;
  let endRest: (() => void) | undefined;
  return {
    /** Ends the current rest, or the next one if none is under way. */
    wake(): void {
      isSet = true;
      endRest?.();
    },
    /** Rests for this time, or until `wake` is called if `canWake`. */
    async rest(ms: number, canWake: boolean): Promise<void> {
      if (!(isSet && canWake)) {
        const resting = new AbortController();
        // Without a reason, a new error is created each time, which costs as much as the rest of a wake-up.
        endRest = canWake ? () => resting.abort(WOKEN) : undefined;
        await clock.sleep(ms, resting.signal);
        endRest = undefined;
      }
      isSet = false;
    },
  };
}

export type WakeSignal = ReturnType<typeof createWakeSignal>;
