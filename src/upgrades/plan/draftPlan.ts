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
import { draftObjects } from './objects/draftObjects.ts';
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

/** A plan, and what it was made from. */
export interface Draft {
  readonly plan: Plan;
  readonly objects: DraftedObjects;
}

/**
 * Makes the plan for the deployment as it is now: the same for `plan`, which shows it, and for the job that follows it. `compared` are
 * objects that were compared a moment ago.
 */
export async function draftPlan(
  { store, deployment, objects: tools, parallel, deadlineMs }: DraftDependencies,
  spec: JobSpec,
  found: Inventory,
  compared?: DraftedObjects,
  signal?: AbortSignal,
): Promise<Draft> {
  const { task, targets, alreadyDone, isPastReturn } = spec;
  const inventory = withAcknowledged(found, task);
  const { from, volumes, licenceUpload, isRestorePointWaived } = task;
  const { installed } = await store.facts();
  const versions = installed.map(({ version }) => version);
  const objects = compared ?? (await draftObjects({ ...tools, deployment }, spec, versions, signal));
  const durations = durationsFrom(await store.measurements(), deadlineMs);
  const rollouts = targets.map((target) => rolloutOf(target, deployment.referenceFor));
  const requested = { from, volumes, licenceUpload, isRestorePointWaived, rollouts, objects };
  return { plan: makePlan({ ...requested, inventory, parallel, durations, alreadyDone, isPastReturn }), objects };
}

/** Makes the plan and runs every check on it. */
export async function runPreflight(
  dependencies: DraftDependencies & { readonly clock: Clock },
  spec: JobSpec,
  found: Inventory,
  patience: Patience,
  request?: RequestFindings,
  ofDriver?: Promise<readonly Check[]>,
): Promise<Draft & { readonly checks: readonly Check[] }> {
  const { deployment, clock, store } = dependencies;
  const { task, targets } = spec;
  const inventory = withAcknowledged(found, task);
  const draft = await draftPlan(dependencies, spec, inventory, undefined, patience.signal);
  const { installed, known, restorePoint } = await store.facts();
  const input = {
    ...draft,
    deployment,
    inventory,
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
  return { ...draft, checks: await runAllChecks(input, patience, ofDriver) };
}
