import { HOUR } from '../../../foundation/clock.ts';
import type { Hook } from '../../../model/hook.ts';
import { HOOKS } from '../../../model/hook.ts';
import type { CheckInput, Verdict } from './check.ts';
import { fail, listed, pass, warn } from './check.ts';

/** A restore point that is older does not count. */
export const RESTORE_POINT_VALID_MS = 24 * HOUR;

/** Checks that the database has a primary and a standby that can be switched. */
export function checkDatabase({ inventory: { database }, isRelease }: CheckInput): Verdict {
  if (!isRelease) return pass('A patch does not touch the database.');
  if (database === undefined)
    return warn(
      'Steward has no hand in the database; its steps are left out.',
      'Upgrade the database by its own means if the release needs it.',
    );
  if (database.trouble !== undefined) return fail(database.trouble, 'Bring primary and standby in order first.');
  return pass(
    `${database.instances.map(({ name, role, engine }) => `${name} is ${role}, engine ${engine}`).join('; ')}.`,
  );
}

/** Checks that the deployment has all hooks of a release. */
export function checkHooks({ inventory, isRelease }: CheckInput): Verdict {
  const missing: readonly Hook[] = HOOKS.filter((hook) => !inventory.hooks.includes(hook));
  if (!isRelease || missing.length === 0) return pass(isRelease ? 'All hooks are there.' : 'A patch runs no hooks.');
  return warn(
    `There are no hooks ${listed(missing)}; their steps and messages are left out.`,
    'Add them if what they do is needed.',
  );
}

/** Checks that a restore point exists before the point of no return, or that the request does without one. */
export function checkRestorePoint(input: CheckInput): Verdict {
  const { plan, inventory, restorePoint, isRestorePointWaived, clock } = input;
  if (plan.pointOfNoReturn === undefined) return pass('Not needed: everything that this job does can be undone.');
  if (isRestorePointWaived)
    return warn(
      'It goes without a restore point, as was asked for.',
      'After the point of no return there is no way back.',
    );
  if (inventory.hooks.includes('backup')) return pass('The hook backup makes one before the point of no return.');
  if (restorePoint !== undefined && clock.now() - restorePoint.at <= RESTORE_POINT_VALID_MS)
    return pass(`${restorePoint.name}, of ${new Date(restorePoint.at).toISOString()}.`);
  return fail(
    restorePoint === undefined
      ? 'There is no restore point.'
      : `The restore point ${restorePoint.name} is older than 24 hours.`,
    'Make one and declare it with declareRestorePoint, add a hook backup, or go without by sending withoutRestorePoint=true.',
  );
}
