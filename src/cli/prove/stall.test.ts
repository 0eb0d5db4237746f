import { expect, test } from 'vitest';
import { createStallMeter, stallProblems } from './stall.ts';

test('[O5] a stall above the limit is broken, with the measured value', () => {
  const meter = createStallMeter();
  meter.note(21_500, 0, 0);
  expect(stallProblems(meter.longest(), 5000)).toEqual([
    'Nothing went on for 21.5 s while a replica could work; the limit is 5.0 s.',
  ]);
  expect(stallProblems(meter.longest(), 21_500)).toEqual([]);
});

test('[O5] the time in which no replica could work does not count', () => {
  const meter = createStallMeter();
  for (const now of [5000, 10_000, 13_000]) meter.note(now, 0, now);
  meter.note(14_000, 0, 13_000);
  meter.note(15_000, 14_500, 13_000);
  expect(meter.longest()).toEqual({ longestStallMs: 14_000, longestAvailableStallMs: 1000 });
});
