import type { Metric, Registry } from 'prom-client';
import type { Histogram } from '../../foundation/histogram.ts';

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

type Reading = number | readonly Sample[];

/** Exposes numbers that are counted elsewhere. The library's own counters would cost every request more than this. */
export function exposeMetric(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => Reading | Promise<Reading>,
): void {
  const described = { name, help, type, aggregator: 'sum' };
  const metric = {
    ...described,
    async get() {
      const reading = await read();
      return { ...described, values: typeof reading === 'number' ? [{ value: reading, labels: {} }] : reading };
    },
    reset: () => undefined,
  };
  registry.registerMetric(metric as unknown as Metric);
}

/** Writes a histogram in seconds. */
export function histogramSamples(
  name: string,
  labels: Readonly<Record<string, string>>,
  histogram: Histogram,
  unitsPerSecond = 1,
): readonly Sample[] {
  const { bounds, within, count, sum } = histogram.read();
  let soFar = 0;
  const bucket = `${name}_bucket`;
  return [
    ...bounds.map((bound, n) => ({
      value: (soFar += within[n] ?? 0),
      labels: { le: bound / unitsPerSecond, ...labels },
      metricName: bucket,
    })),
    { value: count, labels: { le: '+Inf', ...labels }, metricName: bucket },
    { value: sum / unitsPerSecond, labels, metricName: `${name}_sum` },
    { value: count, labels, metricName: `${name}_count` },
  ];
}
