import { expect, test } from 'vitest';
import { distance, duration } from './Time.tsx';

test.each([
  [0, 'now'],
  [-5000, '5 seconds ago'],
  [-90_000, '1 minute ago'],
  [7_200_000, 'in 2 hours'],
  [-259_200_000, '3 days ago'],
])('a time that is %d ms away is shown as %s', (difference, text) => {
  expect(distance(1_000_000_000_000 + difference, 1_000_000_000_000)).toBe(text);
});

test.each([
  [40, '40 ms'],
  [3200, '3.2 s'],
  [59_000, '59 s'],
  [300_000, '5 min'],
  [3_900_000, '1 h 5 min'],
])('%d ms are shown as %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});
