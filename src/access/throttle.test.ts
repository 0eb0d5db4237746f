import { expect, test } from 'vitest';
import type { LoginFailures } from './accessStore.ts';
import { FAILURES_COUNT_FOR_MS, refuseThrottled } from './throttle.ts';

const NOW = 1_000_000;
const NONE: LoginFailures = { ofPair: 0, ofAddress: 0, oldestOfPair: 0, oldestOfAddress: 0 };

test('the tenth failure of a pair throttles it until its oldest failure no longer counts', () => {
  expect(() => refuseThrottled({ ...NONE, ofPair: 9, ofAddress: 9 }, NOW)).not.toThrow();
  const oldestOfPair = NOW - FAILURES_COUNT_FOR_MS + 2500;
  expect(() => refuseThrottled({ ...NONE, ofPair: 10, ofAddress: 10, oldestOfPair }, NOW)).toThrow(
    expect.objectContaining({ code: 'throttled', retryAfterSeconds: 3 }),
  );
});

test('the hundredth failure of an address throttles it', () => {
  expect(() => refuseThrottled({ ...NONE, ofAddress: 99, oldestOfAddress: NOW }, NOW)).not.toThrow();
  expect(() => refuseThrottled({ ...NONE, ofAddress: 100, oldestOfAddress: NOW }, NOW)).toThrow(
    expect.objectContaining({ code: 'throttled', retryAfterSeconds: FAILURES_COUNT_FOR_MS / 1000 }),
  );
});

test('a failure that is counted already does not throttle itself', () => {
  expect(() => refuseThrottled({ ...NONE, ofPair: 10, ofAddress: 10 }, NOW, 1)).not.toThrow();
});
