import type { Metric, Registry } from 'prom-client';

export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Exposes numbers that are counted elsewhere. The library's own counters would cost every request more than this. */
export function exposeMetric(
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

/** `within[n]` counts the measurements above the bound before `bounds[n]`, up to and including `bounds[n]`. */
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
