import { MINUTE, SECOND } from '../foundation/clock.ts';
import { StewardError } from '../foundation/errors.ts';
import type { FailureAudit, LoginFailures } from './accessStore.ts';

export const FAILURES_COUNT_FOR_MS = 5 * MINUTE;
const MOST_OF_PAIR = 10;
const MOST_OF_ADDRESS = 100;
/** One person uses a few addresses. Beyond these, each further one slows failures of the account down. */
const UNSUSPICIOUS_NETWORKS = 3;
const DELAY_PER_NETWORK_MS = 100;
const LONGEST_DELAY_MS = 2 * SECOND;
const LISTED_NETWORKS = 20;

/**
 * Refuses a sign-in after too many failures of the address, or of the pair of account and address. Failures of an account
 * alone are not counted, because then anybody could lock anybody out.
 */
export function refuseThrottled(failures: LoginFailures, now: number, alreadyCounted: 0 | 1 = 0): void {
  const pairIsOver = failures.ofPair - alreadyCounted >= MOST_OF_PAIR;
  if (!pairIsOver && failures.ofAddress - alreadyCounted < MOST_OF_ADDRESS) return;
  const oldest = pairIsOver ? failures.oldestOfPair : failures.oldestOfAddress;
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest + FAILURES_COUNT_FOR_MS - now) / 1000));
  throw new StewardError('throttled', `Too many failed sign-ins. Try again in ${retryAfterSeconds} s.`, {
    details: [
      pairIsOver
        ? `${MOST_OF_PAIR} sign-ins of this user from this address failed within 5 minutes`
        : `${MOST_OF_ADDRESS} sign-ins from this address failed within 5 minutes`,
    ],
    retryAfterSeconds,
  });
}

/** Returns how long to wait before a failure is answered, if an account is guessed from many networks. */
export function delayOfFailure(networks: number): number {
  return Math.min(LONGEST_DELAY_MS, Math.max(0, networks - UNSUSPICIOUS_NETWORKS) * DELAY_PER_NETWORK_MS);
}

/**
 * Aggregates failures in the audit log: one entry per account and five minutes. Unknown names share one entry and are not
 * recorded, because people type passwords into the wrong field.
 */
export function auditOfFailure(username: string | undefined, network: string, at: number): FailureAudit {
  return {
    action: 'signIn.fail',
    target: username === undefined ? 'unknown user' : `user ${username}`,
    add: (before) => ({
      failures: (before?.failures ?? 0) + 1,
      addresses: [...new Set([...(before?.addresses ?? []), network])].slice(0, LISTED_NETWORKS),
      last: at,
    }),
  };
}
