const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

export const RELEASE_DATE_RULE = 'must be a date such as 2026-11-04, a time with its zone, or milliseconds';

export function readReleaseDate(given: string): number | undefined {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const day = ISO.exec(given)?.[1];
  // JavaScript reads February 31 as March 3.
  const isDay = day !== undefined && new Date(day).getTime() >= 0 && new Date(day).toISOString().startsWith(day);
  const time = isDay ? Date.parse(given) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
