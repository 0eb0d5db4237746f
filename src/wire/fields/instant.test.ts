import { expect, test } from 'vitest';
import { instant } from './fields.ts';

const AT = Date.UTC(2026, 10, 15, 8);

test.each([
  ['1794729600000', AT],
  ['2026-11-15T08:00:00Z', AT],
  ['2026-11-15t08:00:00z', AT],
  ['2026-11-15T08:00Z', AT],
  ['2026-11-15T09:30:00+01:30', AT],
  ['2026-11-15T09:30:00+0130', AT],
  ['2026-11-15T03:00:00-05', AT],
  ['2026-11-15T08:00:00.250Z', AT + 250],
  ['2026-11-15T08:00:00,250Z', AT + 250],
  ['2026-11-15', Date.UTC(2026, 10, 15)],
  ['946684800000', Date.UTC(2000, 0, 1)],
])('[REQ4] the time %s is read', (given, at) => expect(instant.read(given)).toEqual({ kind: 'valid', value: at }));

test.each([
  '0',
  '1794729600',
  '946684799999',
  '-1',
  '1999-12-31T23:59:59Z',
  '2026-11-15T08:00:00',
  '2026-11-15T09:30:00 01:30',
  '2026-02-30T00:00:00Z',
  '2026-13-01',
  '2026-11-15T25:00:00Z',
  'yesterday',
  '1e12',
  '9'.repeat(20),
  'Sun, 15 Nov 2026 08:00:00 GMT',
])('[REQ4] the time %s is refused with what is allowed', (given) =>
  expect(instant.read(given)).toEqual({ kind: 'invalid', problem: expect.stringContaining('ISO 8601') }),
);

test('[REQ4] seconds instead of milliseconds are refused with the time that they would mean', () => {
  expect(instant.read('1794729600')).toMatchObject({ problem: expect.stringContaining('1794729600 is 1970-01-21T') });
});
