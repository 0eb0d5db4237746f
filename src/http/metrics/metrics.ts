import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from 'prom-client';
import { registerAccessMetrics } from './accessMetrics.ts';
import { registerDeliveryMetrics } from './deliveryMetrics.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { exposeMetric } from './exposeMetric.ts';
import type { ReplicaHealth } from './healthMetrics.ts';
import { registerHealthMetrics } from './healthMetrics.ts';
import { createRequestMetrics } from './requestMetrics.ts';
import type { Areas } from '../areas.ts';
import { registerUpgradeMetrics } from './upgradeMetrics.ts';

/** Registers a few process metrics, read on demand. The library's own set hooks every garbage collection, which slows requests. */
function watchProcess(registry: MetricRegistry): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const readings: readonly (readonly [name: string, help: string, read: () => number])[] = [
    ['process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()],
    ['process_heap_bytes', 'Memory in use on the JavaScript heap.', () => process.memoryUsage().heapUsed],
    ['process_uptime_seconds', 'Time since the start.', () => process.uptime()],
    [
      'nodejs_eventloop_lag_p99_seconds',
      'Delay of the event loop since the last reading, 99th percentile.',
      () => {
        const p99 = delay.percentile(99) / 1e9;
        delay.reset();
        return p99;
      },
    ],
  ];
  for (const [name, help, read] of readings) exposeMetric(registry, 'gauge', name, help, read);
  exposeMetric(registry, 'counter', 'process_cpu_seconds_total', 'CPU time, user and system.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
}

/** Loads the library when the metrics are read for the first time: it takes 40 ms, and many servers are never asked. */
async function createRegistry(metrics: readonly Metric[]) {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  for (const metric of metrics) registry.registerMetric(metric);
  return registry;
}

export function createMetrics(version: string, { access, webhooks, upgrades, mode }: Areas, health: ReplicaHealth) {
  const metrics: Metric[] = [];
  const registry: MetricRegistry = { registerMetric: (metric) => void metrics.push(metric) };
  let opened: ReturnType<typeof createRegistry> | undefined;
  watchProcess(registry);
  registerHealthMetrics(registry, health);
  registerAccessMetrics(registry, access);
  registerDeliveryMetrics(registry, webhooks);
  registerUpgradeMetrics(registry, upgrades, mode);
  exposeMetric(registry, 'gauge', 'steward_info', 'The running version.', () => [{ value: 1, labels: { version } }]);
  return {
    observe: createRequestMetrics(registry),
    async read() {
      opened ??= createRegistry(metrics);
      const all = await opened;
      return { contentType: all.contentType, text: await all.metrics() };
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
