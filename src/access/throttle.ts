import { MINUTE } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { LoginFailures } from './accessStore.ts';

export const FAILURES_COUNT_FOR_MS = 5 * MINUTE;
const MOST_OF_PAIR = 10;
const MOST_OF_ADDRESS = 100;

/**
 * Refuses a sign-in after too many failures of the address, or of the pair of account and address. Failures of an account
 * alone are not counted, because then anybody could lock anybody out.
 */
export function refuseThrottled(failures: LoginFailures, now: number, alreadyCounted: 0 | 1 = 0): void {
  const pairIsOver = failures.ofPair - alreadyCounted >= MOST_OF_PAIR;
  if (!pairIsOver && failures.ofAddress - alreadyCounted < MOST_OF_ADDRESS) return;
  const oldest = pairIsOver ? failures.oldestOfPair : failures.oldestOfAddress;
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest + FAILURES_COUNT_FOR_MS - now) / 1000));
  throw new StewardError('throttled', 'Too many failed sign-ins. Wait before you try again.', {
    details: [
      pairIsOver
        ? `${MOST_OF_PAIR} sign-ins of this user from this address failed within 5 minutes`
        : `${MOST_OF_ADDRESS} sign-ins from this address failed within 5 minutes`,
    ],
    retryAfterSeconds,
  });
}
