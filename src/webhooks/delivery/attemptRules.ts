import { HOUR, SECOND } from '../../foundation/clock.ts';
import type { DeliveryPolicy } from '../policy/policy.ts';
import type { AttemptOutcome } from '../ports/receiver.ts';
import type { AttemptVerdict } from '../ports/webhookStore.ts';

const LONGEST_WISH_MS = HOUR;
const GONE = 410;

/**
 * What becomes of a delivery. `attempts` counts this one too; `endedAt` is the end of the attempt.
 * Only where a webhook was made with `receiverSignals` can its receiver ask for more time, or to be left alone.
 */
export function afterAttempt(
  outcome: AttemptOutcome,
  { attempts, endedAt, receiverSignals }: { attempts: number; endedAt: number; receiverSignals: boolean },
  policy: DeliveryPolicy,
): AttemptVerdict {
  if (outcome.kind === 'accepted') return { kind: 'delivered' };
  if (receiverSignals && outcome.kind === 'refused' && outcome.status === GONE) return { kind: 'gone' };
  if (attempts >= policy.notificationAttempts) return { kind: 'failed' };
  const wish = receiverSignals && outcome.kind === 'refused' ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(policy.notificationElapsedTimeInSeconds * SECOND, Math.min(wish, LONGEST_WISH_MS));
  return { kind: 'retry', at: endedAt + waitMs };
}
