import { expect, test } from 'vitest';
import { boundsOf, narrowed } from './serverClock.ts';

const DAY = 86_400_000;
/** When the server was asked, by its own clock: in the middle of a second. */
const TRUE_TIME = 1_000_000_000_400;

/** What a computer learns whose clock is ahead by `wrong`, from an answer that arrives after `took`, half of it on the way there. */
function learned(wrong: number, took: number, at = TRUE_TIME) {
  const date = Math.floor((at + took / 2) / 1000) * 1000;
  return boundsOf(date, at + wrong, at + took + wrong);
}

test.each([0, DAY, -DAY])('[V16] a clock that is %d ms ahead is corrected to a second', (wrong) => {
  const { atLeast, atMost } = learned(wrong, 20);
  expect(atLeast).toBeLessThanOrEqual(-wrong);
  expect(atMost).toBeGreaterThanOrEqual(-wrong);
  expect(atMost - atLeast).toBeLessThanOrEqual(1020);
});

test('[V16] a slow answer does not change what a fast one has told', () => {
  const fast = learned(DAY, 20);
  expect(narrowed(fast, learned(DAY, 30_000, TRUE_TIME + 5000))).toEqual(fast);
});

test('[V16] several answers tell more than one', () => {
  const one = narrowed(undefined, learned(DAY, 20));
  const both = narrowed(one, learned(DAY, 20, TRUE_TIME + 1450));
  expect(both.atMost - both.atLeast).toBeLessThan(one.atMost - one.atLeast);
});

test('[V16] after the clock of the computer was set, only later answers count', () => {
  expect(narrowed(learned(DAY, 20), learned(0, 20))).toEqual(learned(0, 20));
});
