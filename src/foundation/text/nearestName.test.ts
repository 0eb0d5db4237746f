import { expect, test } from 'vitest';
import { nearestName } from './nearestName.ts';

const NAMES = ['changeTypes', 'hookUrl', 'name', 'notificationAttempts'];

test.each([
  ['changeType', 'changeTypes'],
  ['changetypes', 'changeTypes'],
  ['hookURL', 'hookUrl'],
  ['hokoUrl', 'hookUrl'],
  ['nmae', 'name'],
  ['notificationAttempt', 'notificationAttempts'],
])('the nearest name to %s is %s', (given, nearest) => {
  expect(nearestName(given, NAMES)).toBe(nearest);
});

test('a very long name has a nearest name, and only its first letters are compared', () => {
  expect(nearestName(`name${'x'.repeat(1_000_000)}`, NAMES)).toBe(nearestName(`name${'x'.repeat(60)}`, NAMES));
});

test('there is no nearest name without names', () => {
  expect(nearestName('a', [])).toBeUndefined();
});
