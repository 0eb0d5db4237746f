import type { AlertCase } from './alertCase.ts';
import { JOB, ONE, OTHER, REPLICA, steady } from './alertCase.ts';

const attempts = (outcome: string, values: string): Readonly<Record<string, string>> => ({
  [`steward_webhook_attempts_total{${ONE},outcome="${outcome}"}`]: values,
});

export const deliveryCases: readonly AlertCase[] = [
  {
    alert: 'StewardDeliveriesLate',
    fires: {
      series: {
        [`steward_webhook_oldest_due_seconds{${ONE}}`]: steady(90),
        [`steward_webhook_oldest_due_seconds{${OTHER}}`]: steady(89),
      },
      at: 10,
      labels: JOB,
      description: 'For 10 minutes, deliveries have waited for more than a minute. The oldest has waited for 1m 30s.',
    },
    quiet: [{ series: { [`steward_webhook_oldest_due_seconds{${ONE}}`]: '0 30 60 90 0x60' }, at: 20 }],
  },
  {
    alert: 'StewardDeliveriesFail',
    fires: {
      series: { ...attempts('failed', '0+30x60'), ...attempts('delivered', '0+70x60') },
      at: 30,
      labels: JOB,
      description:
        'For 15 minutes, 30% of the deliveries have failed with their last attempt. They are not sent again by themselves.',
    },
    quiet: [
      { series: { ...attempts('failed', '0+10x60'), ...attempts('delivered', '0+90x60') }, at: 60 },
      { series: { ...attempts('failed', '0x60'), ...attempts('delivered', '0x60') }, at: 60 },
      { series: { ...attempts('retried', '0+90x60'), ...attempts('delivered', '0+10x60') }, at: 60 },
    ],
  },
  {
    alert: 'StewardWebhookDeactivated',
    fires: {
      series: {
        [`steward_webhook_deactivations_total{${ONE}}`]: '0 0 1x120',
        [`steward_webhooks{${ONE},state="inactive"}`]: '0 0 1x120',
      },
      at: 60,
      labels: JOB,
      description:
        'Within the last 6 hours, failures have deactivated a webhook. Its events are held until a person activates it.',
    },
    quiet: [
      {
        series: {
          [`steward_webhook_deactivations_total{${ONE}}`]: '0 0 1x120',
          [`steward_webhooks{${ONE},state="inactive"}`]: '0 0 1x30 0x90',
        },
        at: 60,
      },
      {
        series: {
          [`steward_webhook_deactivations_total{${ONE}}`]: '0x120',
          [`steward_webhooks{${ONE},state="inactive"}`]: '3x120',
        },
        at: 60,
      },
    ],
  },
  {
    alert: 'StewardSecretsUnreadable',
    fires: {
      series: {
        [`steward_webhook_unreadable_secrets{${ONE}}`]: steady(3),
        [`steward_webhook_unreadable_secrets{${OTHER}}`]: steady(0),
      },
      at: 5,
      labels: REPLICA,
      description: 'a cannot read the secrets of webhooks: 3. Their deliveries wait, and no attempt is counted.',
    },
    quiet: [
      { series: { [`steward_webhook_unreadable_secrets{${ONE}}`]: steady(0) }, at: 60 },
      { series: { [`steward_webhook_unreadable_secrets{${ONE}}`]: '2x3 0x60' }, at: 60 },
    ],
  },
  {
    alert: 'StewardDeliveriesHeld',
    fires: {
      series: { [`steward_webhook_deliveries{${ONE},state="held"}`]: steady(250_000) },
      at: 60,
      labels: JOB,
      description: '250k deliveries are held. They stay in the store until a person releases or discards them.',
    },
    quiet: [
      { series: { [`steward_webhook_deliveries{${ONE},state="held"}`]: steady(100_000) }, at: 120 },
      { series: { [`steward_webhook_deliveries{${ONE},state="pending"}`]: steady(500_000) }, at: 120 },
    ],
  },
  {
    alert: 'StewardDeliveriesPostponed',
    fires: {
      series: { [`steward_webhook_postponed_total{${ONE}}`]: '0+2x60' },
      at: 30,
      labels: REPLICA,
      description:
        'For 15 minutes, a has postponed deliveries because of its own limits. Nothing is lost, but everything is late.',
    },
    quiet: [{ series: { [`steward_webhook_postponed_total{${ONE}}`]: '0 0 4x60' }, at: 30 }],
  },
  {
    alert: 'StewardDeliveriesRepeated',
    fires: {
      series: attempts('lost', '0+5x60'),
      at: 40,
      labels: JOB,
      description:
        'For 15 minutes, attempts have ended after their lease, so that other replicas may have sent the same deliveries too.',
    },
    quiet: [{ series: attempts('lost', '0 0 6x60'), at: 40 }],
  },
];
