import { SECOND } from '../../foundation/clock.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { histogramSamples, exposeMetric } from './exposeMetric.ts';

const DURATION = 'steward_webhook_attempt_duration_seconds';

/** Registers what this replica has delivered, and what waits in the store for any replica. */
export function registerDeliveryMetrics(registry: MetricRegistry, webhooks: Webhooks): void {
  registerWork(registry, webhooks);
  registerStock(registry, webhooks);
}

function registerWork(registry: MetricRegistry, { counters, inFlight }: Webhooks): void {
  const counter = exposeMetric.bind(undefined, registry, 'counter');
  counter('steward_webhook_events_accepted_total', 'Events accepted here.', () => counters.read().accepted);
  counter(
    'steward_webhook_attempts_total',
    'Ended attempts, by the outcome of the delivery: delivered, retried, failed, or lost to another replica.',
    () => {
      const { delivered, retried, failed, lost } = counters.read();
      const byOutcome = Object.entries({ delivered, retried, failed, lost });
      return byOutcome.map(([outcome, value]) => ({ value, labels: { outcome } }));
    },
  );
  counter(
    'steward_webhook_postponed_total',
    'Deliveries that could not be sent because Steward had no file descriptor, port or memory left.',
    () => counters.read().postponed,
  );
  counter(
    'steward_webhook_deactivations_total',
    'Webhooks that a failure deactivated.',
    () => counters.read().deactivated,
  );
  exposeMetric(
    registry,
    'gauge',
    'steward_webhook_in_flight',
    'Deliveries that this replica has claimed and not settled yet.',
    inFlight,
  );
  exposeMetric(registry, 'histogram', DURATION, 'Duration of an attempt, by its outcome.', () =>
    Object.entries(counters.durations).flatMap(([outcome, histogram]) =>
      histogramSamples(DURATION, { outcome }, histogram, SECOND),
    ),
  );
}

function registerStock(registry: MetricRegistry, { overdueSeconds, activity, unreadableSecrets }: Webhooks): void {
  const gauge = exposeMetric.bind(undefined, registry, 'gauge');
  gauge(
    'steward_webhook_oldest_due_seconds',
    'How long the oldest due delivery has been waiting, over all replicas.',
    overdueSeconds,
  );
  gauge('steward_webhooks', 'Webhooks, by state: active or inactive.', async () => {
    const { webhooks: all, inactive } = await activity.totals();
    return [
      { value: all - inactive, labels: { state: 'active' } },
      { value: inactive, labels: { state: 'inactive' } },
    ];
  });
  gauge('steward_webhook_deliveries', 'Deliveries that wait: pending, or held for an inactive webhook.', async () => {
    const { pending, held } = await activity.totals();
    return [
      { value: pending, labels: { state: 'pending' } },
      { value: held, labels: { state: 'held' } },
    ];
  });
  gauge(
    'steward_webhook_unreadable_secrets',
    'Webhooks for which this replica sends nothing, because it lacks the master key of their secrets.',
    unreadableSecrets,
  );
}
