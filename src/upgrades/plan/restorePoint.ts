import { HOUR, MINUTE } from '../../foundation/clock.ts';
import { invalidField } from '../../foundation/errors.ts';
import type { RestorePoint } from '../ports/upgradeStore.ts';

/** A restore point that is older does not count. */
const VALID_MS = 24 * HOUR;
const CLOCK_TOLERANCE_MS = MINUTE;

export function isValidNow({ at }: Pick<RestorePoint, 'at'>, now: number): boolean {
  return now - at <= VALID_MS;
}

/** Accepts a restore point that counts now, or throws an error. */
export function newRestorePoint(name: string, at: number, now: number): RestorePoint {
  const given = new Date(at).toISOString();
  if (at > now + CLOCK_TOLERANCE_MS) throw invalidField('madeAt', `must not be in the future, not ${given}`);
  if (!isValidNow({ at }, now)) throw invalidField('madeAt', `must be within the last 24 hours, not ${given}`);
  return { name, at };
}
