import type { Attempted, SettledOne } from './webhookStore.ts';

/** What this process has done, for its metrics: plain numbers that only rise. */
export function createTally() {
  const counts = { accepted: 0, delivered: 0, failed: 0, retried: 0, lost: 0, deactivated: 0 };
  const BOUNDS = [5, 20, 50, 100, 300, 1000, 3000, 10_000, 30_000, 60_000];
  const durations = { within: BOUNDS.map(() => 0), count: 0, sumMs: 0 };

  function measure(ms: number): void {
    durations.count += 1;
    durations.sumMs += ms;
    const bound = BOUNDS.findIndex((most) => ms <= most);
    if (bound !== -1) durations.within[bound] = (durations.within[bound] ?? 0) + 1;
  }

  return {
    accepted(events: number): void {
      counts.accepted += events;
    },
    settled(batch: readonly Attempted[], settled: readonly SettledOne[], deactivated: number): void {
      for (const { outcome } of batch) measure(outcome.durationMs);
      counts.deactivated += deactivated;
      for (const { verdict } of settled) {
        if (verdict === 'lost') counts.lost += 1;
        else if (verdict.kind === 'delivered') counts.delivered += 1;
        else if (verdict.kind === 'retry') counts.retried += 1;
        else counts.failed += 1;
      }
    },
    read: () => ({ ...counts, durations: { bounds: BOUNDS, ...durations } }),
  };
}

export type Tally = ReturnType<typeof createTally>;
