import { readIsoTime } from '../../foundation/text/isoTime.ts';

export const RELEASE_DATE_RULE = 'must be a date such as 2026-11-04, a time with zone, or milliseconds';

export function readReleaseDate(given: string): number | undefined {
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const at = readIsoTime(given)?.at;
  return at === undefined || at < 0 ? undefined : at;
}
