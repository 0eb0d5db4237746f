import { expect, test } from 'vitest';
import { createHistogram } from './histogram.ts';

test('a measurement counts in the first bound that it does not exceed, and in the sum', () => {
  const histogram = createHistogram([10, 20]);
  for (const value of [10, 11, 20, 21]) histogram.record(value);
  expect(histogram.read()).toEqual({ bounds: [10, 20], within: [1, 2], count: 4, sum: 62 });
});
