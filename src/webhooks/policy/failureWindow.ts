import { DAY } from '../../foundation/clock.ts';
import type { DeliveryPolicy } from '../../model/entity/deliveryPolicy.ts';

type WindowPolicy = Pick<DeliveryPolicy, 'daysInPast' | 'numberOfFailures'>;

/** The failures of a webhook since it was last activated. Days are counted from the Unix epoch, in UTC. */
export interface FailureHistory {
  /** The first day of the latest window; undefined before the first failure. */
  readonly startDay: number | undefined;
  /** The time of the failure that started this window. */
  readonly startedAt: number;
  readonly countOfDay: Readonly<Record<number, number>>;
}

export interface FailureWindow {
  readonly startedAt: number;
  readonly failures: number;
  readonly allowed: number;
  readonly endsAt: number;
}

export const NO_FAILURES: FailureHistory = { startDay: undefined, startedAt: 0, countOfDay: {} };

/** Twice the longest window that an administrator can set. Older failures can never count again. */
const REMEMBERED_DAYS = 2 * 365;

function dayOf(at: number): number {
  return Math.floor(at / DAY);
}

/**
 * A window starts with a failure and lasts `daysInPast` days. It also counts the failures of the `daysInPast - 1` days before.
 * After a clock is set back a little, the window continues; after more, a new one starts without failures of the future.
 */
function contains(startDay: number, day: number, { daysInPast }: WindowPolicy): boolean {
  return day > startDay - daysInPast && day < startDay + daysInPast;
}

function countInWindow({ countOfDay }: FailureHistory, startDay: number, policy: WindowPolicy): number {
  let sum = 0;
  for (const [day, count] of Object.entries(countOfDay)) if (contains(startDay, Number(day), policy)) sum += count;
  return sum;
}

function counted(before: FailureHistory, day: number, now: number, isNew: boolean): FailureHistory {
  const { startDay, startedAt, countOfDay } = before;
  const kept = Object.entries(countOfDay).filter(
    ([one]) => Number(one) > day - REMEMBERED_DAYS && (!isNew || Number(one) <= day),
  );
  const counts = Object.fromEntries([...kept, [day, (countOfDay[day] ?? 0) + 1]]);
  return isNew ? { startDay: day, startedAt: now, countOfDay: counts } : { startDay, startedAt, countOfDay: counts };
}

/** Counts one delivery that failed finally. It is halfway if it is the one that reaches half of the allowed number. */
export function afterFailure(before: FailureHistory, policy: WindowPolicy, now: number) {
  const day = dayOf(now);
  const isNew = before.startDay === undefined || !contains(before.startDay, day, policy);
  const failures = counted(before, day, now, isNew);
  const count = countInWindow(failures, failures.startDay ?? day, policy);
  const half = Math.ceil(policy.numberOfFailures / 2);
  const deactivate = count >= policy.numberOfFailures;
  return { failures, count, deactivate, isHalfway: count === half && !deactivate };
}

/** Whether at least half of the failures that deactivate a webhook have happened. */
export function isNearDeactivation({ failures, allowed }: FailureWindow): boolean {
  return failures * 2 >= allowed;
}

/** When the first failure after the last success was counted; undefined if none was, or if only its day is known. */
export function firstFailureAfter(
  { startDay, startedAt, countOfDay }: FailureHistory,
  lastSuccess: number | undefined,
): number | undefined {
  if (startDay === undefined || (lastSuccess !== undefined && startedAt <= lastSuccess)) return undefined;
  // The time is known of the failure that began the latest window, and the days of those before it.
  const successDay = lastSuccess === undefined ? -Infinity : dayOf(lastSuccess);
  const hasEarlier = Object.keys(countOfDay).some((day) => Number(day) >= successDay && Number(day) < startDay);
  return hasEarlier ? undefined : startedAt;
}

/** The window that is open now; undefined when none is. */
export function windowAt(failures: FailureHistory, policy: WindowPolicy, now: number): FailureWindow | undefined {
  const { startDay, startedAt } = failures;
  if (startDay === undefined || !contains(startDay, dayOf(now), policy)) return undefined;
  return {
    startedAt,
    failures: countInWindow(failures, startDay, policy),
    allowed: policy.numberOfFailures,
    endsAt: (startDay + policy.daysInPast) * DAY,
  };
}
