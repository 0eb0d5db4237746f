import { HOUR, SECOND } from '../../foundation/clock.ts';
import type { DeliveryPolicy } from '../policy/policy.ts';
import type { AttemptVerdict, FinishedAttempt, SettleRules } from '../ports/webhookStore.ts';

const MAX_RETRY_AFTER_MS = HOUR;
const GONE = 410;

/** Decides what happens to a delivery after an attempt. */
export function afterAttempt(
  { outcome, endedAt }: Pick<FinishedAttempt, 'outcome' | 'endedAt'>,
  { attempts, receiverSignals }: Parameters<SettleRules['verdict']>[1],
  policy: DeliveryPolicy,
): AttemptVerdict {
  if (outcome.kind === 'accepted') return { kind: 'delivered' };
  if (receiverSignals && outcome.kind === 'refused' && outcome.status === GONE) return { kind: 'gone' };
  if (attempts >= policy.notificationAttempts) return { kind: 'failed' };
  const retryAfterMs = receiverSignals && outcome.kind === 'refused' ? (outcome.retryAfterMs ?? 0) : 0;
  const waitMs = Math.max(policy.notificationElapsedTimeInSeconds * SECOND, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  return { kind: 'retry', at: endedAt + waitMs };
}
