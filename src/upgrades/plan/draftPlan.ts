import type { Clock } from '../../foundation/clock.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Inventory } from '../../model/workload.ts';
import type { Target } from '../values/target.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import type { JobSpec } from '../values/task.ts';
import { withAcknowledged } from './acknowledged.ts';
import type { RequestFindings } from './checks/check.ts';
import type { Patience } from './checks/checks.ts';
import { runAllChecks } from './checks/checks.ts';
import { durationsFrom } from './estimate.ts';
import type { ReferenceFor } from '../versions/images.ts';
import { imagesOf } from '../versions/images.ts';
import { makePlan } from './makePlan.ts';
import type { DraftedObjects } from './objects/draftObjects.ts';
import { NO_OBJECTS, draftObjects } from './objects/draftObjects.ts';
import type { ObjectTools } from './objects/objectTools.ts';
import type { RolloutSpec } from './rolloutSteps.ts';
import type { Plan } from '../values/plan.ts';

export interface DraftDependencies {
  readonly store: UpgradeStore;
  readonly deployment: Deployment;
  readonly objects: ObjectTools;
  /** How many workloads are updated at a time. */
  readonly parallel: number;
  /** How long one step may take. */
  readonly deadlineMs: number;
}

function rolloutOf({ update, version, replacedBy, previousImages }: Target, referenceFor: ReferenceFor): RolloutSpec {
  if (version === undefined) {
    const previous = new Map(previousImages.map(({ workload, images }) => [workload, images]));
    const imagesFor: RolloutSpec['imagesFor'] = ({ name, images }) => previous.get(name) ?? images;
    return { update, title: 'Restore the previous images', imagesFor };
  }
  const versions = replacedBy === undefined ? [version] : [version, replacedBy];
  return { update, title: `Update workloads to ${versionName(version)}`, imagesFor: imagesOf(referenceFor, versions) };
}

export function versionsOf(targets: readonly Target[]): readonly Version[] {
  return targets.flatMap(({ version }) => (version === undefined ? [] : [version]));
}

/** Compares the objects that a job is about with the deployment. */
export async function compareObjects(
  { store, deployment, objects }: Pick<DraftDependencies, 'store' | 'deployment' | 'objects'>,
  spec: JobSpec,
  signal?: AbortSignal,
): Promise<DraftedObjects> {
  const { task, targets, isPastReturn } = spec;
  if (task.objects === undefined) return NO_OBJECTS;
  const { installed } = await store.facts();
  const versions = installed.map(({ version }) => version);
  const about = { objects: task.objects, acknowledged: task.acknowledged, targets, isPastReturn };
  return draftObjects({ ...objects, deployment }, about, versions, signal);
}

/** The deployment as it was found. */
export interface FoundDeployment {
  readonly inventory: Inventory;
  readonly objects: DraftedObjects;
}

/** Makes the plan for the deployment as it is now: the same for `plan`, which shows it, and for the job that follows it. */
export async function draftPlan(
  { store, deployment, parallel, deadlineMs }: DraftDependencies,
  { task, targets, alreadyDone, isPastReturn }: JobSpec,
  { inventory: found, objects }: FoundDeployment,
): Promise<Plan> {
  const inventory = withAcknowledged(found, task);
  const { from, volumes, licenceUpload, isRestorePointWaived } = task;
  const durations = durationsFrom(await store.measurements(), deadlineMs);
  const rollouts = targets.map((target) => rolloutOf(target, deployment.referenceFor));
  const requested = { from, volumes, licenceUpload, isRestorePointWaived, rollouts, objects };
  return makePlan({ ...requested, inventory, parallel, durations, alreadyDone, isPastReturn });
}

/** Makes the plan and runs every check on it. */
export async function runPreflight(
  dependencies: DraftDependencies & { readonly clock: Clock },
  spec: JobSpec,
  { inventory: found, objects }: FoundDeployment,
  patience: Patience,
  request?: RequestFindings,
  ofDriver?: Promise<readonly Check[]>,
): Promise<{ readonly plan: Plan; readonly checks: readonly Check[] }> {
  const { deployment, clock, store } = dependencies;
  const { task, targets } = spec;
  const inventory = withAcknowledged(found, task);
  const plan = await draftPlan(dependencies, spec, { inventory, objects });
  const { installed, known, restorePoint } = await store.facts();
  const input = {
    deployment,
    inventory,
    plan,
    objects,
    versions: versionsOf(targets),
    isRelease: targets.some(({ update }) => update === 'release'),
    installed: installed.map(({ version }) => version),
    known,
    restorePoint,
    isRestorePointWaived: task.isRestorePointWaived,
    acknowledged: task.acknowledged,
    request,
    clock,
  };
  return { plan, checks: await runAllChecks(input, patience, ofDriver) };
}
