import type { Clock } from '../../foundation/clock.ts';
import type { CheckNeeds } from './checks.ts';
import { askAll } from './checks.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { Inventory } from '../../model/workload.ts';
import type { Plan } from './plan.ts';
import { planFor } from './plan.ts';
import type { Task, TaskLeg } from '../task.ts';
import { planLegs, versionsIn } from '../task.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';

/** What is to be done, as a request asks for it or as its job has it. */
export interface ToDo {
  readonly task: Task;
  readonly legs: readonly TaskLeg[];
  /** Steps that are done already. */
  readonly done: ReadonlySet<string>;
  readonly isPastReturn: boolean;
}

export interface DraftingNeeds {
  readonly store: UpgradeStore;
  readonly parallel: number;
}

/** The plan for a deployment as it is now: the same for who asks what an upgrade would do, and for the job that does it. */
export async function draft(
  { store, parallel }: DraftingNeeds,
  { task, legs, done, isPastReturn }: ToDo,
  inventory: Inventory,
): Promise<Plan> {
  const { from, volumes, licenceUpload, isRestorePointWaived } = task;
  const durations = await store.durations();
  const planned = { from, volumes, licenceUpload, isRestorePointWaived, legs: planLegs(legs) };
  return planFor({ ...planned, inventory, parallel, durations, done, isPastReturn });
}

/** The plan, and all that stands in its way. */
export async function diagnosed(
  needs: DraftingNeeds & { readonly deployment: Deployment; readonly clock: Clock },
  toDo: ToDo,
  inventory: Inventory,
  patience: Pick<CheckNeeds, 'isPatient' | 'signal'>,
): Promise<{ readonly plan: Plan; readonly checks: readonly Check[] }> {
  const { deployment, clock, store } = needs;
  const { task, legs } = toDo;
  const plan = await draft(needs, toDo, inventory);
  const { installed, restorePoint } = await store.facts();
  const checks = await askAll({
    deployment,
    inventory,
    plan,
    versions: versionsIn(legs),
    isRelease: legs.some(({ update }) => update === 'release'),
    installed: installed.map(({ version }) => version),
    restorePoint,
    isRestorePointWaived: task.isRestorePointWaived,
    clock,
    ...patience,
  });
  return { plan, checks };
}
