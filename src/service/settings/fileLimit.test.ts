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
  const { settings, warnings } = fitFileLimit({ ...DEFAULTS, connections: 32 }, limit);
  expect(settings.webhookConcurrency).toBe(deliveries);
  const about = warnings.filter((one) => one.includes('STEWARD_WEBHOOK_CONCURRENCY'));
  expect(about.map((one) => [one.includes(`is ${limit}`), one.includes('to 612')])).toEqual(
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

test.each([
  [undefined, 'sqlite', 4096],
  [1_048_576, 'sqlite', 4096],
  [4708, 'sqlite', 4096],
  [4096, 'sqlite', 3484],
  [4096, 'postgres://db/steward', 3474],
  [1024, 'sqlite', 412],
  [64, 'sqlite', 32],
])('[REQ9] with a limit of %s open files and the store %s, at most %i connections are open', (limit, store, most) => {
  const { settings, warnings } = fitFileLimit({ ...DEFAULTS, store }, limit);
  expect(settings.connections).toBe(most);
  const about = warnings.filter((one) => one.includes('STEWARD_CONNECTIONS'));
  expect(about.map((one) => one.includes(`at most ${most} connections`))).toEqual(most === 4096 ? [] : [true]);
});

test('[REQ9] a number of connections that is lower than the least one is kept', () => {
  expect(fitFileLimit({ ...DEFAULTS, connections: 16 }, 64).settings.connections).toBe(16);
});

test.skipIf(process.platform !== 'linux')('[WHK16] the limit of open files of this process is read', () => {
  expect(readFileLimit()).toBeGreaterThan(0);
});
