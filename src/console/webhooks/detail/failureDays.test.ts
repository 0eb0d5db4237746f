import { describe, expect, test } from 'vitest';
import type { Delivery } from '../answers.ts';
import { failureDays, firstDayOf } from './failureDays.ts';

const DAY = 86_400_000;
const start = Date.UTC(2026, 10, 16);

function failedAt(ended: number): Delivery {
  const ids = { id: '1', webhookMessageId: 'evt_1', eventId: null, event: 'parcel.moved' };
  return { ...ids, state: 'failed', attempts: 3, created: ended - 1000, ended, nextAttempt: null };
}

function windowOf(failures: number, days = 5) {
  return { startedAt: start + 3_600_000, failures, allowed: 5, endsAt: start + days * DAY };
}

describe('the days of a failure window', () => {
  test('failures stand on the days on which they happened', () => {
    const { days, unknown } = failureDays(
      windowOf(3),
      [1, 2, 30].map((h) => failedAt(start + h * 3_600_000)),
      start + DAY,
    );
    expect(days.map(({ failures }) => failures)).toEqual([2, 1, 0, 0, 0]);
    expect(days.map(({ place }) => place)).toEqual(['inside', 'inside', 'ahead', 'ahead', 'ahead']);
    expect(unknown).toBe(0);
  });

  test('the days before the window are shown if the window has taken over their failures', () => {
    const { days } = failureDays(windowOf(2), [failedAt(start - DAY), failedAt(start + 3_600_000)], start);
    expect(firstDayOf(windowOf(2))).toBe(start - 4 * DAY);
    expect(days).toHaveLength(9);
    expect(days[3]).toMatchObject({ failures: 1, place: 'before' });
    expect(days[4]).toMatchObject({ failures: 1, place: 'inside' });
  });

  test('a failure whose delivery was sent again is reported as unknown', () => {
    expect(failureDays(windowOf(4), [failedAt(start + 1)], start).unknown).toBe(3);
  });

  test('a window of a year is drawn in groups of days', () => {
    const { days } = failureDays(windowOf(1, 365), [failedAt(start + 1)], start);
    expect(days.length).toBeLessThanOrEqual(31);
    expect(days[0]).toMatchObject({ days: 12, failures: 1 });
  });
});
