// The days of a failure window. The API has the sum of the window, and the failed deliveries with the time of each.
import type { Delivery, FailureWindow } from '../answers.ts';

const DAY_MS = 86_400_000;
/** A longer window is drawn in this many groups of days. */
const MOST_BARS = 31;

export interface FailureDay {
  /** When the day, or the group of days, begins (UTC). */
  readonly from: number;
  readonly days: number;
  readonly failures: number;
  /** Before the window, in the window, or after now. */
  readonly place: 'before' | 'inside' | 'ahead';
}

export interface FailureDays {
  readonly days: readonly FailureDay[];
  /** Failures that the window counts although their deliveries are no longer in the state `failed`. */
  readonly unknown: number;
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** The first day that counts towards a window: it takes over the failures of the days before it. */
export function firstDayOf({ startedAt, endsAt }: Pick<FailureWindow, 'startedAt' | 'endsAt'>): number {
  const length = Math.max(1, Math.round((dayOf(endsAt - 1) - dayOf(startedAt)) / DAY_MS) + 1);
  return dayOf(startedAt) - (length - 1) * DAY_MS;
}

function placeOf(from: number, windowStart: number, now: number): FailureDay['place'] {
  if (from > now) return 'ahead';
  return from < windowStart ? 'before' : 'inside';
}

/** Counts failed deliveries by day, from the first day that counts until the last day of the window. */
export function failureDays(window: FailureWindow, failed: readonly Delivery[], now: number): FailureDays {
  const windowStart = dayOf(window.startedAt);
  const firstDay = firstDayOf(window);
  const ended = failed.flatMap((one) => (one.ended === null ? [] : [one.ended]));
  const counted = ended.filter((at) => at >= firstDay && at < window.endsAt);
  // Without failures before the window, those days would be empty space.
  const from = counted.some((at) => at < windowStart) ? firstDay : windowStart;
  const length = Math.max(1, Math.ceil((window.endsAt - from) / DAY_MS));
  const group = Math.ceil(length / MOST_BARS);
  const days = Array.from({ length: Math.ceil(length / group) }, (_, n) => {
    const begin = from + n * group * DAY_MS;
    const end = begin + group * DAY_MS;
    const failures = counted.filter((at) => at >= begin && at < end).length;
    return { from: begin, days: group, failures, place: placeOf(begin, windowStart, now) };
  });
  return { days, unknown: Math.max(0, window.failures - counted.length) };
}
