import { expect, test } from 'vitest';
import { SETTINGS } from './settings.ts';
import type { Settings } from './settings.ts';
import { fitFileLimit, readFileLimit } from './fileLimit.ts';

const DEFAULTS = Object.fromEntries(
  Object.entries(SETTINGS).map(([key, { defaultValue }]) => [key, defaultValue]),
) as unknown as Settings;

test.each([
  [undefined, 512],
  [1_048_576, 512],
  [612, 512],
  [611, 511],
  [128, 28],
  [64, 8],
])('[WHK16] with a limit of %s open files, at most %i deliveries are sent at the same time', (limit, deliveries) => {
  const { settings, warnings } = fitFileLimit(DEFAULTS, limit);
  expect(settings.webhookConcurrency).toBe(deliveries);
  expect(warnings.map((one) => [one.includes(`is ${limit}`), one.includes('to 612')])).toEqual(
    deliveries === 512 ? [] : [[true, true]],
  );
});

test.each([
  [1_048_576, 16],
  [356, 8],
  [128, 1],
])('[WHK8] [WHK16] with a limit of %i open files, the share of one webhook is %i deliveries', (limit, share) => {
  expect(fitFileLimit(DEFAULTS, limit).settings.webhookConcurrencyEach).toBe(share);
});

test('[WHK16] a concurrency that is lower than the least one is kept', () => {
  expect(fitFileLimit({ ...DEFAULTS, webhookConcurrency: 2 }, 64).settings.webhookConcurrency).toBe(2);
});

test.skipIf(process.platform !== 'linux')('[WHK16] the limit of open files of this process is read', () => {
  expect(readFileLimit()).toBeGreaterThan(0);
});
