import { SECOND } from '../../../foundation/clock.ts';

/** Parses `Retry-After` (RFC 9110, 10.2.3): seconds or a date. Returns undefined for anything else, and 0 for a past date. */
export function retryAfterMs(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND;
  // Date.parse alone would read "-1" and "1.5" as dates.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
