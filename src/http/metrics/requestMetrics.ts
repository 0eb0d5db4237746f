import type { Registry } from 'prom-client';
import type { Sample } from './exposeMetric.ts';
import { histogramSamples, exposeMetric } from './exposeMetric.ts';

interface RequestCounts {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  count: number;
  seconds: number;
  readonly within: number[];
}

const BOUNDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const DURATION = 'steward_http_request_duration_seconds';

function durationsOf(route: string, all: readonly RequestCounts[]): readonly Sample[] {
  const sumOf = (read: (one: RequestCounts) => number): number => all.reduce((sum, one) => sum + read(one), 0);
  return histogramSamples(
    DURATION,
    { route },
    {
      bounds: BOUNDS,
      within: BOUNDS.map((_, n) => sumOf(({ within }) => within[n] ?? 0)),
      count: sumOf(({ count }) => count),
      sum: sumOf(({ seconds }) => seconds),
    },
  );
}

/** Counts requests in plain numbers; the returned function is called once for each. */
export function createRequestMetrics(registry: Registry) {
  const counts = new Map<string, RequestCounts>();

  exposeMetric(
    registry,
    'steward_http_requests_total',
    'Requests answered, by route, method and status.',
    'counter',
    () =>
      [...counts.values()].map(({ count: value, route, method, status }) => ({
        value,
        labels: { route, method, status },
      })),
  );
  exposeMetric(registry, DURATION, 'Time from the head of a request to the end of its answer.', 'histogram', () => {
    const all = [...counts.values()];
    return [...new Set(all.map(({ route }) => route))].flatMap((route) =>
      durationsOf(
        route,
        all.filter((one) => one.route === route),
      ),
    );
  });

  return (route: string, method: string, status: number, ms: number): void => {
    const key = `${route} ${method} ${status}`;
    let one = counts.get(key);
    if (one === undefined) {
      one = { route, method, status, count: 0, seconds: 0, within: BOUNDS.map(() => 0) };
      counts.set(key, one);
    }
    const seconds = ms / 1000;
    one.count += 1;
    one.seconds += seconds;
    const bound = BOUNDS.findIndex((most) => seconds <= most);
    if (bound !== -1) one.within[bound] = (one.within[bound] ?? 0) + 1;
  };
}
