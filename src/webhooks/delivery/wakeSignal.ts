import type { Clock } from '../../foundation/clock.ts';

export interface WakeSignal {
  /** Ends the current rest, or the next one if none is under way. */
  wake(): void;
  /** Rests for this time, or until `wake` is called if `canWake`. */
  rest(ms: number, canWake: boolean): Promise<void>;
}

/** Lets one loop rest until a time or until it is woken. */
export function createWakeSignal(clock: Clock): WakeSignal {
  let isSet = false;
  let endRest: (() => void) | undefined;
  return {
    wake() {
      isSet = true;
      endRest?.();
    },
    async rest(ms, canWake) {
      if (!(isSet && canWake)) {
        const resting = new AbortController();
        endRest = canWake ? () => resting.abort() : undefined;
        await clock.sleep(ms, resting.signal);
        endRest = undefined;
      }
      isSet = false;
    },
  };
}
