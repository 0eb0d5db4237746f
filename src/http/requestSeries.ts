import type { Metric, Registry } from 'prom-client';

interface Series {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  count: number;
  seconds: number;
  /** How many took at most as long as each bound, and longer than the one before. */
  readonly within: number[];
}

const BOUNDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

function cumulative(within: readonly number[]): readonly number[] {
  let sum = 0;
  return within.map((count) => (sum += count));
}

function histogramOf(route: string, all: readonly Series[], name: string): readonly Sample[] {
  const within = BOUNDS.map((_, n) => all.reduce((sum, one) => sum + (one.within[n] ?? 0), 0));
  const count = all.reduce((sum, one) => sum + one.count, 0);
  return [
    ...cumulative(within).map((value, n) => ({
      value,
      labels: { le: BOUNDS[n] ?? 0, route },
      metricName: `${name}_bucket`,
    })),
    { value: count, labels: { le: '+Inf', route }, metricName: `${name}_bucket` },
    { value: all.reduce((sum, one) => sum + one.seconds, 0), labels: { route }, metricName: `${name}_sum` },
    { value: count, labels: { route }, metricName: `${name}_count` },
  ];
}

/**
 * Requests, counted in plain numbers and put into the library's form only when it is asked: its own counters cost every
 * request more than reading its form does.
 */
export function createRequestSeries(registry: Registry) {
  const series = new Map<string, Series>();

  function register(name: string, help: string, type: 'counter' | 'histogram', values: () => readonly Sample[]): void {
    const metric = {
      name,
      help,
      type,
      aggregator: 'sum',
      get: async () => ({ name, help, type, aggregator: 'sum', values: values() }),
      reset: () => undefined,
    };
    registry.registerMetric(metric as unknown as Metric);
  }

  register('steward_http_requests_total', 'Requests answered, by route, method and status.', 'counter', () =>
    [...series.values()].map(({ route, method, status, count }) => ({
      value: count,
      labels: { route, method, status },
    })),
  );
  const duration = 'steward_http_request_duration_seconds';
  register(duration, 'Time from the head of a request to the end of its answer.', 'histogram', () => {
    const routes = [...new Set([...series.values()].map(({ route }) => route))];
    return routes.flatMap((route) =>
      histogramOf(
        route,
        [...series.values()].filter((one) => one.route === route),
        duration,
      ),
    );
  });

  return (route: string, method: string, status: number, ms: number): void => {
    const key = `${route} ${method} ${status}`;
    let one = series.get(key);
    if (one === undefined) {
      one = { route, method, status, count: 0, seconds: 0, within: BOUNDS.map(() => 0) };
      series.set(key, one);
    }
    const seconds = ms / 1000;
    one.count += 1;
    one.seconds += seconds;
    const bound = BOUNDS.findIndex((most) => seconds <= most);
    if (bound !== -1) one.within[bound] = (one.within[bound] ?? 0) + 1;
  };
}
