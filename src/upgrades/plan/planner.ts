import type { Clock } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import type { JobStore } from '../../jobs/jobStore.ts';
import type { Inventory } from '../../model/workload.ts';
import type { RunState } from '../journal/runState.ts';
import { readState } from '../journal/runState.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { Facts, UpgradeStore } from '../ports/upgradeStore.ts';
import type { UploadContents } from '../ports/uploads.ts';
import type { RequestContext, UpgradeRequest } from '../request/upgradeRequest.ts';
import type { JobSpec } from '../task.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { licenceUploadIn } from '../versions/upgradeSettings.ts';
import { draftPlan, runPreflight } from './draftPlan.ts';
import type { Plan } from './plan.ts';

export interface PlannerDependencies {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly uploads: UploadContents;
  /** Undefined if no deployment is configured. */
  readonly deployment: Deployment | undefined;
  readonly clock: Clock;
  readonly limits: { readonly parallel: number };
  readonly licenceKey: string | undefined;
}

/** A plan with its checks, before a job exists. */
export interface PlannedUpgrade {
  readonly plan: Plan;
  readonly checks: readonly Check[];
  readonly spec: JobSpec;
}

/** Finds out what a request would do, from the deployment and from what the request refers to. */
export function createPlanner(dependencies: PlannerDependencies) {
  const { store, jobs, uploads, clock } = dependencies;
  const drafting = { store, parallel: dependencies.limits.parallel };

  function deployment(): Deployment {
    if (dependencies.deployment !== undefined) return dependencies.deployment;
    throw new StewardError(
      'conflict',
      'Steward stands beside no deployment. Start it with --demo, or set STEWARD_DEPLOYMENT, for a simulated one.',
    );
  }

  async function inventory(): Promise<Inventory> {
    const configured = deployment();
    try {
      return await configured.inventory();
    } catch (error) {
      throw new StewardError('unavailable', `The deployment could not be asked: ${reasonOf(error)}. Try again.`, {
        retryAfterSeconds: 10,
        cause: error,
      });
    }
  }

  /** Reads the journal of the job that failed and owns the deployment. */
  async function failedState(facts: Facts): Promise<RunState | undefined> {
    const failed = failedJob(facts);
    return failed === undefined ? undefined : readState(failed, await jobs.journal(failed.id));
  }

  /** Reads what a request refers to: the uploaded licence, and the journal of a failed job. */
  async function contextOf(facts: Facts, { settings }: UpgradeRequest): Promise<RequestContext> {
    const upload = licenceUploadIn(settings ?? {});
    return {
      uploadedLicence: upload === '' ? undefined : (await uploads.uploadBytes(upload))?.toString('utf8'),
      failed: await failedState(facts),
      licenceKey: dependencies.licenceKey,
      isSimulated: deployment().isSimulated,
      now: clock.now(),
    };
  }

  async function plan(spec: JobSpec): Promise<PlannedUpgrade> {
    const needed = { ...drafting, deployment: deployment(), clock };
    return { ...(await runPreflight(needed, spec, await inventory(), { isPatient: false })), spec };
  }

  /** Throws if the plan that the request names is not the plan that the deployment has now. */
  async function refuseStalePlan(spec: JobSpec): Promise<void> {
    if (spec.task.planHash === undefined) return;
    const { hash } = await draftPlan(drafting, spec, await inventory());
    if (hash === spec.task.planHash) return;
    throw new StewardError('conflict', 'The deployment or the settings have changed since this plan was made.', {
      details: ['planHash: make a new plan, look at it, and send its planHash'],
    });
  }

  return { deployment, inventory, contextOf, failedState, plan, refuseStalePlan };
}
