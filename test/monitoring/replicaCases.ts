import type { AlertCase } from './alertCase.ts';
import { JOB, MIB, ONE, OTHER, REPLICA, steady } from './alertCase.ts';

export const replicaCases: readonly AlertCase[] = [
  {
    alert: 'StewardDown',
    fires: {
      series: { [`up{${ONE}}`]: steady(0) },
      at: 2,
      labels: {},
      description:
        'For 2 minutes, Prometheus has read the metrics of no replica. Administration, the catalog and deliveries stand still.',
    },
    quiet: [
      { series: { [`up{${ONE}}`]: steady(0) }, at: 1 },
      { series: { [`up{${ONE}}`]: steady(0), [`up{${OTHER}}`]: steady(1) }, at: 60 },
    ],
  },
  {
    alert: 'StewardReplicaDown',
    fires: {
      series: { [`up{${ONE}}`]: steady(0), [`up{${OTHER}}`]: steady(1) },
      at: 5,
      labels: REPLICA,
      description: 'Prometheus has not been able to read the metrics of a for 5 minutes.',
    },
    quiet: [
      { series: { [`up{${ONE}}`]: '0 0 0 0 1x60' }, at: 6 },
      { series: { 'up{job="other",instance="a"}': steady(0) }, at: 60 },
    ],
  },
  {
    alert: 'StewardRestarts',
    fires: {
      series: { [`process_uptime_seconds{${ONE}}`]: '600 5 65 5 65 5 65 125' },
      at: 7,
      labels: REPLICA,
      description: 'a has been restarted 3 times within an hour.',
    },
    quiet: [{ series: { [`process_uptime_seconds{${ONE}}`]: '600 5 65 125 5 65 125 185' }, at: 7 }],
  },
  {
    alert: 'StewardNotReady',
    fires: {
      series: { [`steward_ready{${ONE}}`]: steady(0) },
      at: 5,
      labels: REPLICA,
      description: 'a has answered /readyz with 503 for 5 minutes, so it gets no requests.',
    },
    quiet: [{ series: { [`steward_ready{${ONE}}`]: '0 0 0 1x60' }, at: 10 }],
  },
  {
    alert: 'StewardVersionsDiffer',
    fires: {
      series: {
        [`steward_info{${ONE},version="0.1.0"}`]: steady(1),
        [`steward_info{${OTHER},version="0.2.0"}`]: steady(1),
      },
      at: 60,
      labels: JOB,
      description:
        'For an hour, the replicas of steward have run 2 versions. An update of Steward was probably not finished.',
    },
    quiet: [
      {
        series: {
          [`steward_info{${ONE},version="0.1.0"}`]: steady(1),
          [`steward_info{${OTHER},version="0.1.0"}`]: steady(1),
        },
        at: 120,
      },
      {
        series: {
          [`steward_info{${ONE},version="0.1.0"}`]: steady(1),
          'steward_info{job="other",instance="c",version="0.2.0"}': steady(1),
        },
        at: 120,
      },
    ],
  },
  {
    alert: 'StewardEventLoopBlocked',
    fires: {
      series: { [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: steady(0.8) },
      at: 10,
      labels: REPLICA,
      description:
        'For 10 minutes, one in a hundred turns of the event loop of a was late by more than 0.5 s, now by 0.8 s.',
    },
    quiet: [
      { series: { [`nodejs_eventloop_lag_p99_seconds{${ONE}}`]: steady(0.5) }, at: 60 },
      { series: { 'nodejs_eventloop_lag_p99_seconds{job="other",instance="a"}': steady(9) }, at: 60 },
    ],
  },
  {
    alert: 'StewardMemoryHigh',
    fires: {
      series: { [`process_resident_memory_bytes{${ONE}}`]: steady(700 * MIB) },
      at: 15,
      labels: REPLICA,
      description: 'a has used more than 640 MiB for 15 minutes. The files in deploy/ limit it to 768 MiB.',
    },
    quiet: [{ series: { [`process_resident_memory_bytes{${ONE}}`]: steady(600 * MIB) }, at: 60 }],
  },
];
