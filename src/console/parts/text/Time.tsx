import { useNow } from './useNow.ts';
import { dateFormat } from './locale.ts';

const SECOND = 1000;
const UNITS = [
  ['day', 86_400 * SECOND],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
  ['second', SECOND],
] as const;

const EXACT = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const SHORT = dateFormat({ hour: '2-digit', minute: '2-digit', second: '2-digit' });
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'long' });

/** Such as `3 minutes ago`, or `in 2 hours`. */
export function distance(at: number, now: number): string {
  const difference = at - now;
  const [unit, length] = UNITS.find(([, one]) => Math.abs(difference) >= one) ?? ['second', SECOND];
  const count = Math.trunc(difference / length);
  return count === 0 ? 'now' : RELATIVE.format(count, unit);
}

/** Such as `1 h 5 min`, `3.2 s` or `40 ms`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 60 * SECOND) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} s`;
  const minutes = Math.round(ms / (60 * SECOND));
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export interface TimeProps {
  readonly at: number;
  /** `relative`: how long ago. `exact`: date and time. `clock`: the time of day. */
  readonly as?: 'relative' | 'exact' | 'clock';
}

/** A time in the zone of the reader, with UTC on hover. */
export function Time({ at, as = 'relative' }: TimeProps) {
  const now = useNow(as === 'relative');
  const utc = new Date(at).toISOString().replace('T', ' ').replace('Z', ' UTC');
  const text = as === 'relative' ? distance(at, now) : (as === 'exact' ? EXACT : SHORT).format(at);
  const hint = as === 'relative' ? `${EXACT.format(at)} · ${utc}` : utc;
  return (
    <time dateTime={new Date(at).toISOString()} data-hint={hint} style={{ whiteSpace: 'nowrap' }}>
      {text}
    </time>
  );
}
