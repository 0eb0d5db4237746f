import type { FailureHistory } from './failureWindow.ts';
import { NO_FAILURES, afterFailure } from './failureWindow.ts';
import type { DeliveryPolicy } from './policy.ts';

export interface PreviewedDeactivation {
  readonly id: string;
  readonly at: number;
  readonly failures: number;
}

/** Which webhooks a policy would have deactivated, and when first, over the failures that are on record. */
export function previewPolicy(
  policy: Pick<DeliveryPolicy, 'daysInPast' | 'numberOfFailures'>,
  failed: readonly { readonly webhook: string; readonly at: number }[],
): readonly PreviewedDeactivation[] {
  const windows = new Map<string, FailureHistory>();
  const deactivated = new Map<string, PreviewedDeactivation>();
  for (const { webhook, at } of failed) {
    if (deactivated.has(webhook)) continue;
    const verdict = afterFailure(windows.get(webhook) ?? NO_FAILURES, policy, at);
    windows.set(webhook, verdict.failures);
    if (verdict.deactivate) deactivated.set(webhook, { id: webhook, at, failures: verdict.count });
  }
  return [...deactivated.values()];
}
