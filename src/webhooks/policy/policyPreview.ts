import type { FailureHistory } from './failureWindow.ts';
import { NO_FAILURES, afterFailure } from './failureWindow.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';

export interface PreviewedDeactivation {
  readonly id: string;
  readonly at: number;
  readonly failures: number;
}

/** Replays failures and returns the webhooks that this policy would have deactivated, each with the first time. */
export function previewPolicy(
  policy: Pick<DeliveryPolicy, 'daysInPast' | 'numberOfFailures'>,
  failures: readonly { readonly webhook: string; readonly at: number }[],
): readonly PreviewedDeactivation[] {
  const windows = new Map<string, FailureHistory>();
  const deactivated = new Map<string, PreviewedDeactivation>();
  for (const { webhook, at } of failures) {
    if (deactivated.has(webhook)) continue;
    const verdict = afterFailure(windows.get(webhook) ?? NO_FAILURES, policy, at);
    windows.set(webhook, verdict.failures);
    if (verdict.deactivate) deactivated.set(webhook, { id: webhook, at, failures: verdict.count });
  }
  return [...deactivated.values()];
}
