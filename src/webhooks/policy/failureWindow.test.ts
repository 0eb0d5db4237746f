import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY, HOUR } from '../../foundation/clock.ts';
import type { FailureHistory } from './failureWindow.ts';
import { NO_FAILURES, afterFailure, firstFailureAfter, windowAt } from './failureWindow.ts';

const POLICY = { numberOfFailures: 5, daysInPast: 5 };
const FIRST = Date.UTC(2026, 0, 1);

/** Replays failures on these days (the first day is 1) and returns the number of the failure that deactivates. */
function deactivatedBy(days: readonly number[], policy = POLICY): number | undefined {
  let failures = NO_FAILURES;
  for (const [n, day] of days.entries()) {
    const verdict = afterFailure(failures, policy, FIRST + (day - 1) * DAY + 9 * HOUR + n);
    if (verdict.deactivate) return n + 1;
    failures = verdict.failures;
  }
  return undefined;
}

test('[WIN3] [IFC18] [IFC19] 1 failure per day for 5 days deactivates the webhook on the fifth day', () => {
  expect(deactivatedBy([1, 2, 3, 4, 5])).toBe(5);
});

test('[WIN3] [IFC20] 3 failures on day 1 and 2 on day 2 deactivate it on day 2', () => {
  expect(deactivatedBy([1, 1, 1, 2, 2])).toBe(5);
});

test('[WIN3] 2 failures on day 1 and 2 on day 3 with none on days 4 and 5 do not deactivate it', () => {
  expect(deactivatedBy([1, 1, 3, 3])).toBeUndefined();
});

test('[WIN4] [IFC21] a failure on day 6 starts a new 5-day window, and 3 more failures in it then deactivate it', () => {
  for (const more of [
    [6, 6, 6, 6],
    [6, 7, 8, 9],
    [6, 6, 10, 10],
    [6, 10, 10, 10],
  ]) {
    const at = deactivatedBy([1, 1, 3, 3, ...more]);
    // The two failures of day 3 count in the new window, so the second of the three deactivates already.
    expect(at, `days ${more.join()}`).toBe(7);
  }
  let failures = NO_FAILURES;
  for (const day of [1, 1, 3, 3, 6]) failures = afterFailure(failures, POLICY, FIRST + (day - 1) * DAY).failures;
  expect(windowAt(failures, POLICY, FIRST + 5 * DAY)).toStrictEqual({
    startedAt: FIRST + 5 * DAY,
    failures: 3,
    allowed: 5,
    endsAt: FIRST + 10 * DAY,
  });
});

test('[WIN2] a day is a UTC calendar day, independent of the hour of a failure', () => {
  const lateOnDay1 = afterFailure(NO_FAILURES, POLICY, FIRST + DAY - 1).failures;
  expect(windowAt(lateOnDay1, POLICY, FIRST + 5 * DAY - 1)?.failures).toBe(1);
  expect(windowAt(lateOnDay1, POLICY, FIRST + 5 * DAY)).toBeUndefined();
});

test('[WIN5] a changed policy applies from the next failure on and not to earlier ones', () => {
  let failures = NO_FAILURES;
  for (const day of [1, 1, 2]) failures = afterFailure(failures, POLICY, FIRST + (day - 1) * DAY).failures;
  expect(windowAt(failures, { numberOfFailures: 2, daysInPast: 5 }, FIRST + DAY)?.failures).toBe(3);
  expect(afterFailure(failures, { numberOfFailures: 2, daysInPast: 5 }, FIRST + DAY).deactivate).toBe(true);
  expect(afterFailure(failures, { numberOfFailures: 4, daysInPast: 1 }, FIRST + 2 * DAY).count).toBe(1);
});

test('[WIN3] exactly one failure is reported as the one that reaches half of the allowed number', () => {
  let failures = NO_FAILURES;
  const halfway = Array.from({ length: 5 }, () => {
    const verdict = afterFailure(failures, POLICY, FIRST);
    failures = verdict.failures;
    return verdict.isHalfway;
  });
  expect(halfway).toStrictEqual([false, false, true, false, false]);
});

/** A second implementation of the rules WIN3 and WIN4, over a plain list of days. */
function model() {
  const seen: number[] = [];
  let start: number | undefined;
  return (day: number, { daysInPast, numberOfFailures }: typeof POLICY): boolean => {
    seen.push(day);
    if (start === undefined || day >= start + daysInPast) start = day;
    const from = start - daysInPast + 1;
    return seen.filter((one) => one >= from).length >= numberOfFailures;
  };
}

test('[WIN4] the failure window agrees with a simple model for any failures and any changes of the policy', () => {
  const policies = fc.record({
    numberOfFailures: fc.integer({ min: 1, max: 8 }),
    daysInPast: fc.integer({ min: 1, max: 7 }),
  });
  const steps = fc.array(
    fc.record({
      days: fc.integer({ min: 0, max: 4 }),
      times: fc.integer({ min: 1, max: 3 }),
      policy: fc.option(policies),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(policies, steps, (first, taken) => {
      const expected = model();
      let [policy, failures, day]: [typeof POLICY, FailureHistory, number] = [first, NO_FAILURES, 0];
      for (const step of taken) {
        policy = step.policy ?? policy;
        day += step.days;
        for (let n = 0; n < step.times; n += 1) {
          const verdict = afterFailure(failures, policy, FIRST + day * DAY);
          expect(verdict.deactivate).toBe(expected(day, policy));
          failures = verdict.failures;
        }
      }
    }),
    { numRuns: 2000 },
  );
});

test('[WIN3] [DEC37] a clock that is set back by days or years neither starts an endless window nor loses a failure of today', () => {
  const today = afterFailure(NO_FAILURES, POLICY, FIRST + 20 * DAY).failures;
  expect(afterFailure(today, POLICY, FIRST + 18 * DAY).count).toBe(2);
  const longAgo = afterFailure(today, POLICY, FIRST - 3000 * DAY);
  expect(longAgo).toMatchObject({ count: 1, deactivate: false });
  expect(longAgo.failures.startDay).toBe(Math.floor(FIRST / DAY) - 3000);
});

test('[DEC63] a webhook fails since its first failure after its last success, if the time of that failure is known', () => {
  const at = (day: number): number => FIRST + (day - 1) * DAY + 9 * HOUR;
  const failedOn = (...days: readonly number[]): FailureHistory =>
    days.reduce((before, day) => afterFailure(before, POLICY, at(day)).failures, NO_FAILURES);
  expect(firstFailureAfter(NO_FAILURES, undefined)).toBeUndefined();
  expect(firstFailureAfter(failedOn(2, 3), undefined)).toBe(at(2));
  expect(firstFailureAfter(failedOn(2, 3), at(1))).toBe(at(2));
  // The window has begun before the success, so only the day of the next failure is known.
  expect(firstFailureAfter(failedOn(2, 4), at(3))).toBeUndefined();
  // The failures of a former window have no times any more.
  expect(firstFailureAfter(failedOn(2, 9), at(1))).toBeUndefined();
  expect(firstFailureAfter(failedOn(2, 9), at(8))).toBe(at(9));
});
