import type { Hook } from '../../../model/hook.ts';
import { HOOKS } from '../../../model/hook.ts';
import { isValidNow } from '../restorePoint.ts';
import type { CheckInput, Verdict } from './check.ts';
import { listed } from '../../../foundation/text/listed.ts';
import { fail, pass, warn } from './check.ts';

/** A job that does not install a release. */
function nameOf(versions: CheckInput['versions']): string {
  return versions.length === 0 ? 'A rollback' : 'A patch';
}

/** Checks that the database has a primary and a standby that can be switched. */
export function checkDatabase({ inventory: { database }, isRelease, versions }: CheckInput): Verdict {
  const job = nameOf(versions);
  if (!isRelease)
    return database?.trouble === undefined
      ? pass(`${job} does not change the database.`)
      : warn(`${database.trouble} ${job} does not change that.`, 'Repair the primary and the standby first.');
  if (database === undefined)
    return warn(
      'Steward does not manage the database of this deployment, so its steps are left out.',
      'If the release needs a newer database, upgrade it yourself.',
    );
  if (database.trouble !== undefined) return fail(database.trouble, 'Repair the primary and the standby first.');
  return pass(
    `${database.instances.map(({ name, role, engine }) => `${name} is ${role}, engine ${engine}`).join('; ')}.`,
  );
}

/** Checks that the deployment has all hooks of a release. */
export function checkHooks({ inventory, isRelease, versions }: CheckInput): Verdict {
  const missing: readonly Hook[] = HOOKS.filter((hook) => !inventory.hooks.includes(hook));
  if (!isRelease || missing.length === 0)
    return pass(isRelease ? 'All hooks exist.' : `${nameOf(versions)} runs no hooks.`);
  return warn(
    `These hooks do not exist, so their steps and messages are left out: ${listed(missing)}.`,
    'If the deployment needs these steps, add the hooks.',
  );
}

/** Checks that a restore point exists before the point of no return, or that the request does without one. */
export function checkRestorePoint(input: CheckInput): Verdict {
  const { plan, inventory, restorePoint, isRestorePointWaived, clock } = input;
  if (plan.pointOfNoReturn === undefined) return pass('Not needed: if this job fails, everything is undone.');
  if (isRestorePointWaived)
    return warn(
      'withoutRestorePoint is true, so no restore point is required.',
      'After the point of no return this upgrade cannot be undone.',
    );
  if (inventory.hooks.includes('backup'))
    return pass('The hook `backup` creates a restore point before the point of no return.');
  if (restorePoint !== undefined && isValidNow(restorePoint, clock.now()))
    return pass(`The restore point ${restorePoint.name} is of ${new Date(restorePoint.at).toISOString()}.`);
  return fail(
    restorePoint === undefined
      ? 'No restore point exists.'
      : `The restore point ${restorePoint.name} is older than 24 hours.`,
    'Create one and declare it with declareRestorePoint, add the hook `backup`, or send withoutRestorePoint=true to continue without one.',
  );
}
