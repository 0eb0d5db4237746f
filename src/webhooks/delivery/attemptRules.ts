import { HOUR, SECOND } from '../../foundation/clock.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';
import type { LongestWaits } from '../ports/longestWaits.ts';
import type { AttemptVerdict, FinishedAttempt, SettleRules } from '../ports/webhookStore.ts';
import { afterFailures } from '../subscriptions/webhook.ts';

const MAX_RETRY_AFTER_MS = HOUR;
const GONE = 410;

/** Decides what happens to a delivery after an attempt. */
export function afterAttempt(
  { outcome, endedAt }: Pick<FinishedAttempt, 'outcome' | 'endedAt'>,
  { attempts, receiverSignals, resendOf }: Parameters<SettleRules['verdict']>[1],
  policy: DeliveryPolicy,
): AttemptVerdict {
  if (outcome.kind === 'accepted') return { kind: 'delivered' };
  if (receiverSignals && outcome.kind === 'refused' && outcome.status === GONE) return { kind: 'gone' };
  const waitMs = policy.notificationElapsedTimeInSeconds * SECOND;
  const at = Math.max(endedAt + waitMs, pauseAfter({ outcome, endedAt }, { receiverSignals }) ?? 0);
  if (attempts < policy.notificationAttempts) return { kind: 'retry', at };
  return resendOf === 'held' ? { kind: 'held', at } : { kind: 'failed' };
}

/** A Retry-After holds for all deliveries of the webhook. */
export function pauseAfter(
  { outcome, endedAt }: Pick<FinishedAttempt, 'outcome' | 'endedAt'>,
  { receiverSignals }: Parameters<SettleRules['pause']>[1],
): number | undefined {
  if (!receiverSignals || outcome.kind !== 'refused' || outcome.retryAfterMs === undefined) return undefined;
  return endedAt + Math.min(outcome.retryAfterMs, MAX_RETRY_AFTER_MS);
}

export const SETTLE_RULES: SettleRules = { verdict: afterAttempt, pause: pauseAfter, afterFailures };

/** The longest waits of a policy. A delivery that is due later was scheduled before a clock was set back. */
export function longestWaits(policy: DeliveryPolicy, leaseMs: number, tolerance: number): LongestWaits {
  const retry = policy.notificationElapsedTimeInSeconds * SECOND;
  return { retry, signalled: Math.max(retry, MAX_RETRY_AFTER_MS), lease: leaseMs, tolerance };
}
