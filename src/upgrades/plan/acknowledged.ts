// A person may acknowledge the other managers of a workload: they count as if they were paused, and the plan says so.
import { StewardError } from '../../foundation/errors.ts';
import { nearestName } from '../../foundation/text/nearestName.ts';
import type { Inventory, Manager } from '../../model/workload.ts';
import type { Task } from '../values/task.ts';
import type { DraftedObjects } from './objects/draftObjects.ts';

type Acknowledging = Pick<Task, 'acknowledged'>;

function restrained(manager: Manager): Manager {
  return manager.reconciles ? { ...manager, reconciles: false, restrained: 'acknowledged' } : manager;
}

/** The inventory as a job sees it that acknowledges the managers of some workloads. */
export function withAcknowledged(inventory: Inventory, { acknowledged = [] }: Acknowledging): Inventory {
  if (acknowledged.length === 0) return inventory;
  const workloads = inventory.workloads.map((one) =>
    acknowledged.includes(one.name) ? { ...one, managers: one.managers.map(restrained) } : one,
  );
  return { ...inventory, workloads };
}

/** Throws if a name is neither that of a workload nor that of an object. */
export function refuseUnknownNames(
  { workloads }: Inventory,
  { objects }: DraftedObjects,
  { acknowledged = [] }: Acknowledging,
): void {
  const names = [...new Set([...workloads.map(({ name }) => name), ...objects.map(({ object }) => object)])];
  const what = objects.length === 0 ? 'workload' : 'workload or object';
  const details = acknowledged
    .filter((name) => !names.includes(name))
    .map((name) => {
      const nearest = nearestName(name, names);
      return `acknowledge: the deployment has no ${what} "${name}"${nearest === undefined ? '' : `; the nearest is ${nearest}`}`;
    });
  if (details.length > 0) throw new StewardError('invalid', 'The request has an invalid field.', { details });
}
