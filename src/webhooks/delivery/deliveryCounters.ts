import { createHistogram } from '../../foundation/histogram.ts';
import type { FinishedAttempt, SettledDelivery } from '../ports/webhookStore.ts';

const BOUNDS_MS = [5, 20, 50, 100, 300, 1000, 3000, 10_000, 30_000, 60_000];

/** Counts what this process has accepted and delivered, for the metrics. The numbers only rise. */
export function createDeliveryCounters() {
  const counts = { accepted: 0, delivered: 0, failed: 0, retried: 0, lost: 0, postponed: 0, deactivated: 0 };
  /** In milliseconds, by outcome of the attempt. */
  const durations = {
    accepted: createHistogram(BOUNDS_MS),
    refused: createHistogram(BOUNDS_MS),
    unreachable: createHistogram(BOUNDS_MS),
  };

  return {
    durations,
    accepted(events: number): void {
      counts.accepted += events;
    },
    /** Deliveries that Steward itself could not send. */
    postponed(deliveries: number): void {
      counts.postponed += deliveries;
    },
    settled(batch: readonly FinishedAttempt[], settled: readonly SettledDelivery[], deactivated: number): void {
      for (const { outcome } of batch) durations[outcome.kind].record(outcome.durationMs);
      counts.deactivated += deactivated;
      for (const { verdict } of settled) {
        if (verdict === 'lost') counts.lost += 1;
        else if (verdict.kind === 'delivered') counts.delivered += 1;
        else if (verdict.kind === 'retry') counts.retried += 1;
        else counts.failed += 1;
      }
    },
    read: () => counts,
  };
}

export type DeliveryCounters = ReturnType<typeof createDeliveryCounters>;
