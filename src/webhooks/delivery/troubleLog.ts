import type { Clock } from '../../foundation/clock.ts';
import { MINUTE } from '../../foundation/clock.ts';
import type { Log, LogFields } from '../../foundation/log.ts';

const MAX_KEYS = 1000;

/** Logs each key at most once a minute, with the number of deliveries since the last line: many may fail for one reason. */
export function createTroubleLog(log: Pick<Log, 'error'>, clock: Pick<Clock, 'now'>) {
  const known = new Map<string, { at: number; deliveries: number }>();
  return (key: string, fields: LogFields, message: string): void => {
    const now = clock.now();
    const last = known.get(key) ?? { at: Number.NEGATIVE_INFINITY, deliveries: 0 };
    last.deliveries += 1;
    if (known.size >= MAX_KEYS) known.clear();
    known.set(key, last);
    // A time in the future comes from a clock that was set back.
    if (now - last.at < MINUTE && now >= last.at) return;
    log.error({ ...fields, deliveries: last.deliveries }, message);
    Object.assign(last, { at: now, deliveries: 0 });
  };
}
