import type { Histogram } from '../../foundation/histogram.ts';
import { createHistogram } from '../../foundation/histogram.ts';
import type { MetricRegistry } from './exposeMetric.ts';
import { histogramSamples, exposeMetric } from './exposeMetric.ts';

const BOUNDS_SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const DURATION = 'steward_http_request_duration_seconds';

/** Counts requests in plain numbers; the returned function is called once for each. */
export function createRequestMetrics(registry: MetricRegistry) {
  const counts = new Map<string, { value: number; readonly labels: Record<string, string | number> }>();
  const durations = new Map<string, Histogram>();

  exposeMetric(
    registry,
    'counter',
    'steward_http_requests_total',
    'Requests answered, by route, method and status.',
    () => [...counts.values()],
  );
  exposeMetric(registry, 'histogram', DURATION, 'Time from the head of a request to the end of its response.', () =>
    [...durations].flatMap(([route, histogram]) => histogramSamples(DURATION, { route }, histogram)),
  );

  return (route: string, method: string, status: number, ms: number): void => {
    const key = `${route} ${method} ${status}`;
    const counted = counts.get(key);
    if (counted === undefined) counts.set(key, { value: 1, labels: { route, method, status } });
    else counted.value += 1;
    let duration = durations.get(route);
    if (duration === undefined) durations.set(route, (duration = createHistogram(BOUNDS_SECONDS)));
    duration.record(ms / 1000);
  };
}
