import { MINUTE } from '../../foundation/clock.ts';
import { invalidField } from '../../foundation/errors.ts';
import { RESTORE_POINT_VALID_MS } from '../plan/checks/releaseChecks.ts';
import type { RestorePoint } from '../ports/upgradeStore.ts';

const CLOCK_TOLERANCE_MS = MINUTE;

/** Accepts a restore point that counts now, or throws an error. */
export function newRestorePoint(name: string, at: number, now: number): RestorePoint {
  const given = new Date(at).toISOString();
  if (at > now + CLOCK_TOLERANCE_MS) throw invalidField('madeAt', `must not be in the future, not ${given}`);
  if (now - at > RESTORE_POINT_VALID_MS) throw invalidField('madeAt', `must be within the last 24 hours, not ${given}`);
  return { name, at };
}
