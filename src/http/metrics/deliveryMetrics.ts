import type { Registry } from 'prom-client';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { histogramSamples, exposeMetric } from './exposeMetric.ts';

const DURATION = 'steward_webhook_attempt_duration_seconds';

const plain = (value: number) => [{ value, labels: {} }];

/** Registers what this replica has delivered, and what waits in the store for any replica. */
export function registerDeliveryMetrics(registry: Registry, { counters, inFlight, overdueSeconds }: Webhooks): void {
  exposeMetric(registry, 'steward_webhook_events_accepted_total', 'Events accepted here.', 'counter', () =>
    plain(counters.read().accepted),
  );
  exposeMetric(
    registry,
    'steward_webhook_attempts_total',
    'Attempts that ended, by what became of the delivery: delivered, retried, failed, or lost to another replica.',
    'counter',
    () => {
      const { delivered, retried, failed, lost } = counters.read();
      return Object.entries({ delivered, retried, failed, lost }).map(([outcome, value]) => ({
        value,
        labels: { outcome },
      }));
    },
  );
  exposeMetric(registry, 'steward_webhook_deactivations_total', 'Webhooks that a failure deactivated.', 'counter', () =>
    plain(counters.read().deactivated),
  );
  exposeMetric(
    registry,
    'steward_webhook_in_flight',
    'Deliveries that are claimed and not yet settled here.',
    'gauge',
    () => plain(inFlight()),
  );
  exposeMetric(
    registry,
    'steward_webhook_oldest_due_seconds',
    'For how long the oldest delivery that should have gone out has waited, over all replicas.',
    'gauge',
    async () => plain(await overdueSeconds()),
  );
  exposeMetric(registry, DURATION, 'Time of an attempt, by its outcome.', 'histogram', () =>
    counters
      .read()
      .durations.flatMap(({ kind, boundsMs, within, count, sumMs }) =>
        histogramSamples(
          DURATION,
          { outcome: kind },
          { bounds: boundsMs.map((ms) => ms / 1000), within, count, sum: sumMs / 1000 },
        ),
      ),
  );
}
