import { MINUTE } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { LoginFailures } from './accessStore.ts';

export const FAILURES_COUNT_FOR_MS = 5 * MINUTE;
const PAIR_ALLOWS = 10;
const ADDRESS_ALLOWS = 100;

/**
 * Failures count for the pair of account and address, and for the address; never for the account alone,
 * or anybody could close anybody's account.
 */
export function refuseThrottled(failures: LoginFailures, now: number, alreadyCounted: 0 | 1 = 0): void {
  const pairIsOver = failures.ofPair - alreadyCounted >= PAIR_ALLOWS;
  if (!pairIsOver && failures.ofAddress - alreadyCounted < ADDRESS_ALLOWS) return;
  const oldest = pairIsOver ? failures.oldestOfPair : failures.oldestOfAddress;
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest + FAILURES_COUNT_FOR_MS - now) / 1000));
  throw new StewardError('throttled', 'Too many failed sign-ins. Wait before you try again.', {
    details: [
      pairIsOver
        ? `${PAIR_ALLOWS} sign-ins of this user from this address failed within 5 minutes`
        : `${ADDRESS_ALLOWS} sign-ins from this address failed within 5 minutes`,
    ],
    retryAfterSeconds,
  });
}
