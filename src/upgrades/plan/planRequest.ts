import type { Clock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { JobStore, StepDone } from '../../jobs/jobStore.ts';
import type { LookedUp, UpgradeRequest, Wanted } from '../request/acceptUpgrade.ts';
import { failedJob } from '../request/acceptUpgrade.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { Inventory } from '../../model/workload.ts';
import type { ToDo } from './draft.ts';
import { diagnosed, draft } from './draft.ts';
import type { Plan } from './plan.ts';
import { PLAN } from './plan.ts';
import type { TaskLeg } from '../task.ts';
import { LEGS } from '../task.ts';
import { licenceUploadIn } from '../versions/upgradeSettings.ts';
import type { Facts, UpgradeStore } from '../ports/upgradeStore.ts';
import type { UploadContents } from '../ports/uploads.ts';

export interface PlanningNeeds {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly uploads: UploadContents;
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

function toDoOf({ task, legs, steps, isPastReturn }: Wanted): ToDo {
  return { task, legs, done: new Set(steps.map(({ name }) => name)), isPastReturn };
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

  const drafting = { store, parallel: needs.limits.parallel };

  async function planOf(wanted: Wanted): Promise<Planned> {
    const beside = { ...drafting, deployment: deployment(), clock };
    return { ...(await diagnosed(beside, toDoOf(wanted), await inventory(), { isPatient: false })), wanted };
  }

  async function refuseOldPlan(wanted: Wanted): Promise<void> {
    if (wanted.task.planHash === undefined) return;
    const { hash } = await draft(drafting, toDoOf(wanted), await inventory());
    if (hash === wanted.task.planHash) return;
    throw new StewardError('conflict', 'The deployment or the settings have changed since this plan was made.', {
      details: ['planHash: make a new plan, look at it, and send its planHash'],
    });
  }

  return { deployment, inventory, lookUp, planOf, refuseOldPlan };
}
