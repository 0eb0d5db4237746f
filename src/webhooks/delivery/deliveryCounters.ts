import type { AttemptOutcome } from '../ports/receiver.ts';
import type { FinishedAttempt, SettledDelivery } from '../ports/webhookStore.ts';

const BOUNDS_MS = [5, 20, 50, 100, 300, 1000, 3000, 10_000, 30_000, 60_000];
const KINDS = ['accepted', 'refused', 'unreachable'] as const satisfies readonly AttemptOutcome['kind'][];

/** Counts what this process has accepted and delivered, for the metrics. The numbers only rise. */
export function createDeliveryCounters() {
  const counts = { accepted: 0, delivered: 0, failed: 0, retried: 0, lost: 0, deactivated: 0 };
  const durations = KINDS.map((kind) => ({
    kind,
    boundsMs: BOUNDS_MS,
    within: BOUNDS_MS.map(() => 0),
    count: 0,
    sumMs: 0,
  }));

  function measure({ kind, durationMs }: AttemptOutcome): void {
    const histogram = durations[KINDS.indexOf(kind)];
    if (histogram === undefined) return;
    histogram.count += 1;
    histogram.sumMs += durationMs;
    const bound = BOUNDS_MS.findIndex((most) => durationMs <= most);
    if (bound !== -1) histogram.within[bound] = (histogram.within[bound] ?? 0) + 1;
  }

  return {
    accepted(events: number): void {
      counts.accepted += events;
    },
    settled(batch: readonly FinishedAttempt[], settled: readonly SettledDelivery[], deactivated: number): void {
      for (const { outcome } of batch) measure(outcome);
      counts.deactivated += deactivated;
      for (const { verdict } of settled) {
        if (verdict === 'lost') counts.lost += 1;
        else if (verdict.kind === 'delivered') counts.delivered += 1;
        else if (verdict.kind === 'retry') counts.retried += 1;
        else counts.failed += 1;
      }
    },
    read: () => ({ ...counts, durations }),
  };
}

export type DeliveryCounters = ReturnType<typeof createDeliveryCounters>;
