import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { exposeMetric } from './exposeMetric.ts';

describe('[DEC81] a metric that cannot be read', () => {
  let registry: Registry;
  beforeEach(() => {
    vi.useFakeTimers();
    registry = new Registry();
    exposeMetric(registry, 'gauge', 'steward_known', 'Known.', () => 7);
  });
  afterEach(() => vi.useRealTimers());

  async function scrape(): Promise<string> {
    const text = registry.metrics();
    await vi.advanceTimersByTimeAsync(10_000);
    return text;
  }

  test('is left out if its reading fails, also at once, and the others are there', async () => {
    exposeMetric(registry, 'gauge', 'steward_failing', 'Failing.', () => Promise.reject(new Error('away')));
    exposeMetric(registry, 'gauge', 'steward_throwing', 'Throwing.', () => {
      throw new Error('away');
    });
    const text = await scrape();
    expect(text).toContain('steward_known 7\n');
    expect(text).not.toMatch(/^steward_(failing|throwing)/m);
  });

  test('is left out if its reading hangs, and the next scrapes share that reading', async () => {
    const readings: ((value: number) => void)[] = [];
    const read = (): Promise<number> => new Promise((resolve) => readings.push(resolve));
    exposeMetric(registry, 'gauge', 'steward_hanging', 'Hanging.', read);
    expect(await scrape()).not.toMatch(/^steward_hanging/m);
    expect(await scrape()).not.toMatch(/^steward_hanging/m);
    expect(readings).toHaveLength(1);
    readings[0]?.(3);
    await vi.advanceTimersByTimeAsync(0);
    const next = registry.metrics();
    await vi.advanceTimersByTimeAsync(0);
    readings[1]?.(4);
    expect(await next).toContain('steward_hanging 4\n');
  });
});
