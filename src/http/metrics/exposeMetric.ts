import type { Metric, Registry } from 'prom-client';
import { SECOND } from '../../foundation/clock.ts';
import type { Histogram } from '../../foundation/histogram.ts';

/** Where a metric is registered. */
export type MetricRegistry = Pick<Registry, 'registerMetric'>;

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

type Reading = number | readonly Sample[];

/** Shorter than a scrape may take. The check of the store itself takes up to 2 s. */
const READ_WITHIN_MS = 3 * SECOND;

/**
 * Some numbers are in the store. If it does not answer, they are left out, so that the others can still be read. Readings that
 * come while one is under way share it: a store that hangs is asked once.
 */
function readIfPossible(read: () => Reading | Promise<Reading>): () => Promise<Reading> {
  let underWay: Promise<Reading> | undefined;
  return async () => {
    underWay ??= (async () => read())()
      .catch(() => [])
      .finally(() => {
        underWay = undefined;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Reading>((resolve) => {
      timer = setTimeout(() => resolve([]), READ_WITHIN_MS);
    });
    const reading = await Promise.race([underWay, late]);
    clearTimeout(timer);
    return reading;
  };
}

/** Exposes numbers that are counted elsewhere. The library's own counters would cost every request more than this. */
export function exposeMetric(
  registry: MetricRegistry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => Reading | Promise<Reading>,
): void {
  const described = { name, help, type, aggregator: 'sum' };
  const readNow = readIfPossible(read);
  const metric = {
    ...described,
    async get() {
      const reading = await readNow();
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
