import { describe, expect, test } from 'vitest';
import { exampleFailures, placeSegments, secondsText, segmentsOf, totalSeconds } from './attemptTimeline.ts';

const POLICY = {
  notificationAttempts: 3,
  notificationTimeOutInSeconds: 10,
  notificationElapsedTimeInSeconds: 5,
  daysInPast: 5,
  numberOfFailures: 5,
};

describe('the charts of the delivery policy', () => {
  test('attempts and waits follow one another, and the last attempt has no wait after it', () => {
    const segments = segmentsOf(POLICY);
    expect(segments.map(({ kind, fromSeconds }) => `${kind} ${fromSeconds}`)).toEqual([
      'attempt 0',
      'wait 10',
      'attempt 15',
      'wait 25',
      'attempt 30',
    ]);
    expect(totalSeconds(segments)).toBe(40);
  });

  test('segments fill the width, and a short one beside a wait of a day has its least width', () => {
    const drawn = placeSegments(segmentsOf({ ...POLICY, notificationElapsedTimeInSeconds: 86_400 }), 500, 24);
    expect(drawn.every(({ width }) => width >= 24)).toBe(true);
    expect(drawn.reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(500);
  });

  test('seconds are shown in hours, minutes and seconds', () => {
    expect([0, 45, 125, 3600, 86_400].map(secondsText)).toEqual(['0 s', '45 s', '2 min 5 s', '1 h', '24 h']);
  });

  test('the example reaches the allowed number of failures within the window', () => {
    for (const allowed of [1, 5, 100_000]) {
      const failures = exampleFailures(allowed, 20);
      expect(failures.at(-1)?.count).toBe(allowed);
      expect(failures.every(({ at }) => at >= 0 && at < 1)).toBe(true);
    }
  });
});
