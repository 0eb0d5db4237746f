import type { AlertCase } from './alertCase.ts';
import { MIB, ONE, REPLICA, steady } from './alertCase.ts';

export const storeCases: readonly AlertCase[] = [
  {
    alert: 'StewardStoreUnavailable',
    fires: {
      series: { [`steward_store_up{${ONE}}`]: steady(0) },
      at: 1,
      labels: REPLICA,
      description: 'a has not been able to use its store for a minute. Requests that need it are answered with 503.',
    },
    quiet: [{ series: { [`steward_store_up{${ONE}}`]: '0 1x60' }, at: 5 }],
  },
  {
    alert: 'StewardStoreSlow',
    fires: {
      series: { [`steward_store_answer_seconds{${ONE}}`]: steady(0.75) },
      at: 10,
      labels: REPLICA,
      description: 'For 10 minutes, the store of a has needed more than 0.5 s to answer a check, now 0.75 s.',
    },
    quiet: [{ series: { [`steward_store_answer_seconds{${ONE}}`]: '2 2 2 0.1x60' }, at: 20 }],
  },
  {
    alert: 'StewardDiskNearlyFull',
    fires: {
      series: {
        [`steward_disk_free_bytes{${ONE}}`]: steady(800 * MIB),
        [`steward_disk_watermark_bytes{${ONE}}`]: steady(256 * MIB),
      },
      at: 5,
      labels: REPLICA,
      description: 'The disk with the data folder of a has 800MiB left.',
    },
    quiet: [
      {
        series: {
          [`steward_disk_free_bytes{${ONE}}`]: steady(1100 * MIB),
          [`steward_disk_watermark_bytes{${ONE}}`]: steady(256 * MIB),
        },
        at: 60,
      },
    ],
  },
  {
    alert: 'StewardDiskFull',
    fires: {
      series: {
        [`steward_disk_free_bytes{${ONE}}`]: steady(200 * MIB),
        [`steward_disk_watermark_bytes{${ONE}}`]: steady(256 * MIB),
      },
      at: 0,
      labels: REPLICA,
      description:
        'The disk with the data folder of a has 200MiB left, less than STEWARD_DISK_WATERMARK_MIB. New services, webhooks and events are answered with 503.',
    },
    quiet: [
      {
        series: {
          [`steward_disk_free_bytes{${ONE}}`]: steady(256 * MIB),
          [`steward_disk_watermark_bytes{${ONE}}`]: steady(256 * MIB),
        },
        at: 60,
      },
    ],
  },
  {
    alert: 'StewardCertificateExpires',
    fires: {
      // Series begin at the time 0.
      series: { [`steward_tls_certificate_expires_seconds{${ONE}}`]: steady(10 * 86_400) },
      at: 60,
      labels: REPLICA,
      description: 'The certificate that a uses expires in 9d 23h 0m 0s.',
    },
    quiet: [{ series: { [`steward_tls_certificate_expires_seconds{${ONE}}`]: steady(20 * 86_400) }, at: 120 }],
  },
  {
    alert: 'StewardCertificateExpires',
    fires: {
      series: { [`steward_tls_certificate_expires_seconds{${ONE}}`]: steady(86_400) },
      at: 60,
      labels: REPLICA,
      description: 'The certificate that a uses expires in 23h 0m 0s. After that, clients refuse to connect.',
    },
    quiet: [{ series: { [`steward_ready{${ONE}}`]: steady(1) }, at: 120 }],
  },
];
