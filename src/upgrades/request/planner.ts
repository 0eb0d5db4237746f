import type { Clock } from '../../foundation/clock.ts';
import { HOUR, SECOND } from '../../foundation/clock.ts';
import { StewardError, reasonOf } from '../../foundation/errors.ts';
import { sentence } from '../../foundation/text/sentence.ts';
import type { JobStore } from '../../jobs/jobStore.ts';
import { DEFAULT_PRODUCT } from '../../model/manifest/manifest.ts';
import { versionName } from '../../model/version.ts';
import { DeploymentRefusal, outageOf } from '../../model/failure.ts';
import type { Inventory } from '../../model/workload.ts';
import { requestOf } from '../journal/end/sameRequest.ts';
import type { RunState } from '../journal/runState.ts';
import { readState } from '../journal/runState.ts';
import type { Check, Deployment } from '../ports/deployment.ts';
import type { Facts, UpgradeStore } from '../ports/upgradeStore.ts';
import type { UploadContents } from '../ports/uploads.ts';
import type { RequestContext, SpecifiedUpgrade, UpgradeRequest } from './upgradeRequest.ts';
import type { JobSpec } from '../values/task.ts';
import { failedJob } from '../versions/currentVersion.ts';
import { licenceUploadIn } from '../versions/upgradeSettings.ts';
import { refuseUnknownNames, withAcknowledged } from '../plan/acknowledged.ts';
import type { Verdict } from '../plan/checks/check.ts';
import { fail } from '../plan/checks/check.ts';
import {
  DEPLOYMENT_CHECK,
  REQUEST_CHECKS,
  REQUEST_LIMIT_MS,
  checksWithoutInventory,
  runDriverChecks,
} from '../plan/checks/checks.ts';
import type { DraftedObjects } from '../plan/objects/draftObjects.ts';
import type { PlannedObject } from '../plan/objects/plannedObjects.ts';
import { plannedObjects } from '../plan/objects/plannedObjects.ts';
import type { ObjectTools } from '../plan/objects/objectTools.ts';
import { compareObjects, runPreflight, versionsOf } from '../plan/draftPlan.ts';
import { conflictingObjects } from '../plan/checks/objectChecks.ts';
import { revertingManagers } from '../plan/checks/workloadChecks.ts';
import type { Plan, PlanContent } from '../values/plan.ts';
import { PLAN_FORMAT } from '../values/plan.ts';
import { planChanges, planContent, planHash, stepContent } from '../plan/planHash.ts';

export interface PlannerDependencies {
  readonly store: UpgradeStore;
  readonly jobs: JobStore;
  readonly uploads: UploadContents;
  /** Undefined if no deployment is configured. */
  readonly deployment: Deployment | undefined;
  readonly objects: ObjectTools;
  readonly clock: Clock;
  readonly limits: { readonly parallel: number; readonly deadlineMs: number };
  /** In PEM; undefined if licences need not be signed. */
  readonly licenceKey: string | undefined;
}

/** A plan with its checks, before a job exists. */
export interface PlannedUpgrade {
  readonly plan: Plan;
  readonly objects: readonly PlannedObject[];
  readonly checks: readonly Check[];
  readonly spec: JobSpec;
  /** What `hash` covers: the plan, what it is for, and the verdicts of its checks. */
  readonly content: PlanContent;
  readonly hash: string;
  /** Why nothing is planned; undefined if it is known what the deployment runs. */
  readonly refusal: StewardError | undefined;
}

const PLANS_EXPIRE_AFTER_MS = HOUR;
/** A plan of a large deployment takes a megabyte. */
const MAX_STORED_PLANS = 100;

const NO_PLAN: Plan = {
  format: PLAN_FORMAT,
  steps: [],
  pointOfNoReturn: undefined,
  total: 0,
  estimateMs: 0,
  hash: '',
};

/** What the deployment runs, or why that is not known: as a check of the plan, and as the refusal of what needs to know it. */
type Looked =
  | { readonly kind: 'found'; readonly inventory: Inventory }
  | { readonly kind: 'unknown'; readonly trouble: Verdict; readonly refusal: StewardError };

/** What is known if the deployment does not tell what it runs. */
function unknownInventory(error: unknown): Exclude<Looked, { kind: 'found' }> {
  if (error instanceof DeploymentRefusal) {
    const { reason, advice, nextActions = [] } = error.failure;
    const options = { details: [advice], cause: error };
    const refusal = new StewardError('conflict', `${reason} Nothing was changed.`, options);
    return { kind: 'unknown', trouble: fail(reason, advice, ...nextActions), refusal };
  }
  const reason = `The deployment cannot be reached: ${sentence(reasonOf(error))}`;
  const options = { retryAfterSeconds: 10, cause: error };
  const refusal = new StewardError('unavailable', `${reason} Nothing was changed. Try again.`, options);
  const advice = 'Check that the API of the deployment is up and that Steward can reach it. Then plan again.';
  return { kind: 'unknown', trouble: fail(reason, advice, ...(outageOf(error).remedy?.nextActions ?? [])), refusal };
}

/** The refusal of a request whose comparison with the deployment failed. */
const unanswered = (error: unknown): StewardError => unknownInventory(error).refusal;

/** After a failed check that says nothing else to do: once its cause is gone, the same plan is made again. */
function withPlanAgain(
  checks: readonly Check[],
  spec: JobSpec,
  found?: { plan: Plan; inventory: Inventory; objects: DraftedObjects },
) {
  const parameters = requestOf(spec);
  const reverted =
    found === undefined
      ? []
      : [...revertingManagers(found).keys(), ...conflictingObjects(found).map(({ object }) => object)];
  const acknowledge = [...new Set([...(parameters.acknowledge ?? []), ...reverted])];
  return checks.map((check): Check => {
    const { name, verdict, nextActions = [] } = check;
    // With the same parameters, what is wrong in the request would be wrong again.
    if (verdict !== 'fail' || REQUEST_CHECKS.has(name)) return check;
    if (name === 'owners' || name === 'objectOwners')
      return {
        ...check,
        nextActions: [...nextActions, { action: 'planAgain', parameters: { ...parameters, acknowledge } }],
      };
    return nextActions.length > 0 ? check : { ...check, nextActions: [{ action: 'planAgain', parameters }] };
  });
}

/** Adds the checks that have an answer to the reason why nothing could be planned. */
function withAnswers(refusal: StewardError, checks: readonly Check[]): StewardError {
  const { code, message, retryAfterSeconds, cause } = refusal;
  const answered = checks.filter(({ name, verdict }) => verdict !== 'unknown' && name !== DEPLOYMENT_CHECK);
  const lines = answered.map(({ name, verdict, text, todo }) => `${name} (${verdict}): ${text} ${todo}`.trim());
  const details = [...refusal.details, ...lines];
  return new StewardError(code, message, {
    details,
    cause,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

function contentOf(
  { spec, inputs }: SpecifiedUpgrade,
  inventory: Inventory | undefined,
  plan: Plan,
  checks: readonly Check[],
): PlanContent {
  const { versionId, from, to, volumes, licenceHash, isRestorePointWaived, afterFailure, acknowledged } = spec.task;
  const settings = {
    updateToLatestPatch: String(inputs.updateToLatestPatch),
    withoutRestorePoint: String(isRestorePointWaived),
    licence: licenceHash ?? 'none',
    ...(afterFailure !== undefined && { afterFailure }),
    ...(acknowledged !== undefined && { acknowledge: acknowledged.join(', ') }),
  };
  const target = `${versionId}, from ${versionName(from)} to ${versionName(to)}`;
  const steps =
    inventory === undefined ? {} : stepContent({ inventory, from, volumes }, plan.steps, plan.pointOfNoReturn);
  return planContent(steps, { target, settings, checks });
}

/** Finds out what a request would do, from the deployment and from what the request refers to. */
export function createPlanner(dependencies: PlannerDependencies) {
  const { store, jobs, uploads, clock } = dependencies;

  function deployment(): Deployment {
    if (dependencies.deployment !== undefined) return dependencies.deployment;
    throw new StewardError(
      'conflict',
      'No deployment is configured. Set STEWARD_DEPLOYMENT, or start Steward with --demo for a simulated one.',
    );
  }

  async function look(): Promise<Looked> {
    const configured = deployment();
    const answered = new AbortController();
    const timeout = clock.sleep(REQUEST_LIMIT_MS, answered.signal).then((): Inventory => {
      throw new Error(`no answer within ${REQUEST_LIMIT_MS / SECOND} s`);
    });
    // After an answer the sleep ends early, and its error is of no interest.
    timeout.catch(() => undefined);
    try {
      return { kind: 'found', inventory: await Promise.race([configured.inventory(), timeout]) };
    } catch (error) {
      return unknownInventory(error);
    } finally {
      answered.abort();
    }
  }

  async function inventory(): Promise<Inventory> {
    const looked = await look();
    if (looked.kind === 'found') return looked.inventory;
    throw looked.refusal;
  }

  /** Reads the journal of the job that failed and owns the deployment. */
  async function failedState(facts: Facts): Promise<RunState | undefined> {
    const failed = failedJob(facts);
    return failed === undefined ? undefined : readState(failed, await jobs.journal(failed.id));
  }

  /** Reads what a request refers to: the uploaded licence, and the journal of a failed job. */
  async function contextOf(facts: Facts, { settings, manifest }: UpgradeRequest): Promise<RequestContext> {
    const sent = new Set(manifest.versions.map(({ id }) => id));
    const upload = licenceUploadIn(settings ?? {});
    return {
      uploadedLicence: upload === '' ? undefined : (await uploads.uploadBytes(upload))?.toString('utf8'),
      failed: await failedState(facts),
      licenceKey: dependencies.licenceKey,
      productOf: (id) => (sent.has(id) ? manifest.product : (facts.products.get(id) ?? DEFAULT_PRODUCT)),
      isSimulated: deployment().isSimulated,
      now: clock.now(),
    };
  }

  /** Makes the plan and runs all checks, within the time that a person waits for an answer. */
  async function plan(specified: SpecifiedUpgrade): Promise<PlannedUpgrade> {
    const { spec, findings } = specified;
    const startedAt = clock.now();
    const { objects, limits } = dependencies;
    const needed = { store, objects, ...limits, deployment: deployment(), clock };
    // The checks of the driver do not wait for the inventory, which may hang.
    const ofDriver = runDriverChecks(needed.deployment, clock, { isPatient: false, limitMs: REQUEST_LIMIT_MS });
    const looked = await look();
    if (looked.kind === 'unknown') {
      const input = { versions: versionsOf(spec.targets), request: findings };
      const checks = withPlanAgain(checksWithoutInventory(input, looked.trouble, await ofDriver), spec);
      const content = contentOf(specified, undefined, NO_PLAN, checks);
      const refusal = withAnswers(looked.refusal, checks);
      return { plan: NO_PLAN, objects: [], checks, spec, content, hash: planHash(content), refusal };
    }
    const found = withAcknowledged(looked.inventory, spec.task);
    const compared = await compareObjects(needed, spec).catch((error: unknown) => {
      throw unanswered(error);
    });
    const limitMs = Math.max(1, REQUEST_LIMIT_MS - (clock.now() - startedAt));
    const deployed = { inventory: found, objects: compared };
    const drafted = await runPreflight(needed, spec, deployed, { isPatient: false, limitMs }, findings, ofDriver);
    refuseUnknownNames(found, compared, spec.task);
    const checks = withPlanAgain(drafted.checks, spec, { plan: drafted.plan, ...deployed });
    const content = contentOf(specified, found, drafted.plan, checks);
    const shown = plannedObjects(compared, drafted.plan, objects.contents.fingerprint);
    return { plan: drafted.plan, objects: shown, checks, spec, content, hash: planHash(content), refusal: undefined };
  }

  /** Stores a plan that is shown, so that an upgrade which names it can tell what has changed. */
  async function keep({ hash, content, refusal }: PlannedUpgrade): Promise<void> {
    if (refusal !== undefined) return;
    const at = clock.now();
    const limits = { expired: at - PLANS_EXPIRE_AFTER_MS, most: MAX_STORED_PLANS };
    await store.keepPlan({ hash, at, content }, limits);
  }

  async function stalePlanDetails(
    { hash, content, objects: planned }: PlannedUpgrade,
    named: string,
  ): Promise<readonly string[]> {
    if (hash === named) return [];
    const stored = await store.storedPlan(named);
    const changes =
      stored === undefined || stored.at < clock.now() - PLANS_EXPIRE_AFTER_MS
        ? ['unknown plan; plans are kept for one hour']
        : planChanges(stored.content, content, planned);
    return [...changes, 'make a new plan, review it, and send its planHash'].map((one) => `planHash: ${one}`);
  }

  /** Throws if it is not the plan that the request names. */
  async function refuseStalePlan(planned: PlannedUpgrade, obstacles: readonly string[] = []): Promise<void> {
    if (planned.refusal !== undefined) throw planned.refusal;
    const { planHash: named, to } = planned.spec.task;
    const stale = named === undefined ? [] : await stalePlanDetails(planned, named);
    if (stale.length > 0)
      throw new StewardError(
        'conflict',
        `The upgrade to ${versionName(to)} was not started, because it would not follow the plan of planHash. Nothing was changed.`,
        { details: [...obstacles, ...stale] },
      );
  }

  /** Throws if a check of the plan fails, or if it is not the plan that the request names. Nothing is changed. */
  async function refuseObstacles(planned: PlannedUpgrade): Promise<void> {
    const { checks, spec } = planned;
    const failed = checks.filter(({ verdict }) => verdict === 'fail');
    const details = failed.map(({ name, text, todo }) => `${name}: ${text} ${todo}`);
    await refuseStalePlan(planned, details);
    if (failed.length === 0) return;
    const to = versionName(spec.task.to);
    const isRequestWrong = failed.some(({ name }) => REQUEST_CHECKS.has(name));
    const count = failed.length === 1 ? 'a check fails' : `${failed.length} checks fail`;
    const message = `The upgrade to ${to} was not started, because ${count}. Nothing was changed.`;
    throw new StewardError(isRequestWrong ? 'invalid' : 'conflict', message, { details });
  }

  return { deployment, inventory, unanswered, contextOf, failedState, plan, keep, refuseStalePlan, refuseObstacles };
}

export type Planner = ReturnType<typeof createPlanner>;
