import type { AuditEntry } from '../answers.ts';
import { dateFormat } from '../../parts/text/locale.ts';

export const PERIODS = {
  today: 'Today',
  yesterday: 'Yesterday',
  week: 'Last 7 days',
  month: 'Last 30 days',
} as const;
export type Period = keyof typeof PERIODS;

export function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text);
}

/** The start of a day in the zone of the reader. */
function startOfDay(now: number, daysAgo: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day.getTime();
}

/** `since` is inclusive, `until` is not. */
export interface Range {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export function rangeOf(period: Period, now: number): Range {
  const ranges: Readonly<Record<Period, Range>> = {
    today: { since: startOfDay(now, 0) },
    yesterday: { since: startOfDay(now, 1), until: startOfDay(now, 0) },
    week: { since: startOfDay(now, 6) },
    month: { since: startOfDay(now, 29) },
  };
  return ranges[period];
}

/** The text of an entry that is searched. It is made once for each entry. */
const texts = new WeakMap<AuditEntry, string>();

function textOf(entry: AuditEntry): string {
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const { who, from, action, target, requestId, before, after } = entry;
  const text = JSON.stringify([who, from, action, target, requestId, before, after]).toLowerCase();
  texts.set(entry, text);
  return text;
}

/** The entries in which every word occurs. */
export function matchingEntries(entries: readonly AuditEntry[], search: string): readonly AuditEntry[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return entries.filter((entry) => words.every((word) => textOf(entry).includes(word)));
}

const DAY = dateFormat({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

/** Such as `Yesterday · Sunday, November 15, 2026`. */
export function dayOf(when: number, now: number): string {
  const day = DAY.format(when);
  if (when >= startOfDay(now, 0)) return `Today · ${day}`;
  return when >= startOfDay(now, 1) ? `Yesterday · ${day}` : day;
}
