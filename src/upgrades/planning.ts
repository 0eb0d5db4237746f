import type { Clock } from '../foundation/clock.ts';
import { StewardError, reasonOf } from '../foundation/errors.ts';
import type { JobStore, StepDone } from '../jobs/jobStore.ts';
import type { LookedUp, UpgradeRequest, Wanted } from './accepting.ts';
import { failedJob } from './accepting.ts';
import { askAll } from './checks.ts';
import type { Check, Deployment, Inventory } from './deployment.ts';
import type { Plan } from './plan.ts';
import { PLAN, planFor } from './plan.ts';
import type { TaskLeg } from './task.ts';
import { LEGS, planLegs, versionsIn } from './task.ts';
import { licenceUploadIn } from './upgradeSettings.ts';
import type { Facts, UpgradeStore } from './upgradeStore.ts';
import type { UploadStore } from './uploadStore.ts';

export interface PlanningNeeds {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly uploads: UploadStore;
  readonly deployment: Deployment | undefined;
  readonly clock: Clock;
  readonly limits: { readonly parallel: number };
  readonly licenceKey: string | undefined;
}

/** Of a job that failed, what need not be done again by the one that finishes it. */
const CARRIED_OVER = /^(?:database|hook)\//;

export interface Planned {
  readonly plan: Plan;
  readonly checks: readonly Check[];
  readonly wanted: Wanted;
}

/** What a request would do, by looking at the deployment and at what it names. */
export function createPlanning(needs: PlanningNeeds) {
  const { store, jobs, uploads, clock } = needs;

  function deployment(): Deployment {
    if (needs.deployment !== undefined) return needs.deployment;
    throw new StewardError(
      'conflict',
      'Steward stands beside no deployment. Start it with --demo, or set STEWARD_DEPLOYMENT, for a simulated one.',
    );
  }

  async function inventory(): Promise<Inventory> {
    const beside = deployment();
    try {
      return await beside.inventory();
    } catch (error) {
      throw new StewardError('unavailable', `The deployment could not be asked: ${reasonOf(error)}. Try again.`, {
        retryAfterSeconds: 10,
        cause: error,
      });
    }
  }

  async function doneByFailed(facts: Facts): Promise<LookedUp['failed']> {
    const failed = failedJob(facts);
    if (failed === undefined) return undefined;
    const { steps } = await jobs.journal(failed.id);
    const done: readonly StepDone[] = [...steps]
      .filter(([name]) => CARRIED_OVER.test(name))
      .map(([name, result]) => ({ name, tookMs: 0, result }));
    const plan = steps.get(PLAN) as Plan | undefined;
    const isDatabaseHalf = plan?.steps.some(({ kind, key }) => kind === 'database' && !steps.has(key)) ?? false;
    return { legs: steps.get(LEGS) as readonly TaskLeg[], steps: done, isDatabaseHalf };
  }

  async function lookUp(facts: Facts, { settings }: UpgradeRequest): Promise<LookedUp> {
    const upload = licenceUploadIn(settings ?? {});
    const licence = upload === '' ? undefined : (await uploads.uploadBytes(upload))?.toString('utf8');
    return {
      uploadedLicence: licence,
      failed: await doneByFailed(facts),
      licenceKey: needs.licenceKey,
      isSimulated: deployment().isSimulated,
      now: clock.now(),
    };
  }

  async function draft({ task, legs, steps, isPastReturn }: Wanted, has: Inventory): Promise<Plan> {
    return planFor({
      inventory: has,
      from: task.from,
      legs: planLegs(legs),
      volumes: task.volumes,
      licenceUpload: task.licenceUpload,
      isRestorePointWaived: task.isRestorePointWaived,
      parallel: needs.limits.parallel,
      durations: await store.durations(),
      done: new Set(steps.map(({ name }) => name)),
      isPastReturn,
    });
  }

  async function planOf(facts: Facts, wanted: Wanted): Promise<Planned> {
    const { task, legs } = wanted;
    const has = await inventory();
    const plan = await draft(wanted, has);
    const checks = await askAll({
      deployment: deployment(),
      inventory: has,
      plan,
      versions: versionsIn(legs),
      isRelease: legs.some(({ update }) => update === 'release'),
      installed: facts.installed.map(({ version }) => version),
      restorePoint: facts.restorePoint,
      isRestorePointWaived: task.isRestorePointWaived,
      clock,
      isPatient: false,
    });
    return { plan, checks, wanted };
  }

  async function refuseOldPlan(wanted: Wanted): Promise<void> {
    if (wanted.task.planHash === undefined) return;
    const { hash } = await draft(wanted, await inventory());
    if (hash === wanted.task.planHash) return;
    throw new StewardError('conflict', 'The deployment or the settings have changed since this plan was made.', {
      details: ['planHash: make a new plan, look at it, and send its planHash'],
    });
  }

  return { deployment, inventory, lookUp, planOf, refuseOldPlan };
}
