import type { Metric, Registry } from 'prom-client';

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/**
 * Numbers that are kept elsewhere, put into the library's form only when it is asked: its own counters cost every request
 * more than reading its form does.
 */
export function registerSeries(
  registry: Registry,
  name: string,
  help: string,
  type: 'counter' | 'gauge' | 'histogram',
  values: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: await values() }),
    reset: () => undefined,
  };
  registry.registerMetric(metric as unknown as Metric);
}

/** `within` counts what took at most as long as each bound, and longer than the one before. */
export function histogramSamples(
  name: string,
  labels: Readonly<Record<string, string>>,
  measured: {
    readonly bounds: readonly number[];
    readonly within: readonly number[];
    readonly count: number;
    readonly sum: number;
  },
): readonly Sample[] {
  let sum = 0;
  const bucket = `${name}_bucket`;
  return [
    ...measured.bounds.map((le, n) => ({
      value: (sum += measured.within[n] ?? 0),
      labels: { le, ...labels },
      metricName: bucket,
    })),
    { value: measured.count, labels: { le: '+Inf', ...labels }, metricName: bucket },
    { value: measured.sum, labels, metricName: `${name}_sum` },
    { value: measured.count, labels, metricName: `${name}_count` },
  ];
}
