// Before anything is changed: runs the checks, then makes the plan and stores it in the journal.
import { DeploymentOutage } from '../../model/failure.ts';
import { SessionStopped } from './journalWriter.ts';
import type { RunState } from '../journal/runState.ts';
import { jobPatience } from '../plan/checks/checks.ts';
import { isValidNow } from '../plan/restorePoint.ts';
import { compareObjects, draftPlan, runPreflight } from '../plan/draftPlan.ts';
import type { Check } from '../ports/deployment.ts';
import type { JobSpec } from '../values/task.ts';
import type { Inventory } from '../../model/workload.ts';
import type { DraftedObjects } from '../plan/objects/draftObjects.ts';
import { OBJECTS_FORMAT } from '../values/plan.ts';
import type { Answered, Failed } from './calls/performer.ts';
import { readInventory } from './readInventory.ts';
import type { SessionTools } from './sessionTools.ts';
import { runName } from './step.ts';

function specOf({ job, targets, done, isPastReturn }: RunState): JobSpec {
  return { task: job.task, targets, alreadyDone: done, isPastReturn };
}

function isRelease({ targets }: RunState): boolean {
  return targets.some(({ update }) => update === 'release');
}

async function checkIndex({ writer, performer, control, clock }: SessionTools): Promise<Failed | undefined> {
  const { job, attempt, isIndexChecked, checksStarted } = writer.state();
  const patience = { control, since: checksStarted?.at ?? clock.now() };
  const run = runName(job, 'diagnostics', attempt);
  const act = { kind: 'hook', hook: 'index-prerequisite', run } as const;
  const outcome = await performer.perform('the prerequisite check of the search index', act, patience);
  if (outcome.kind === 'failed') return outcome;
  if (outcome.kind === 'done' && !isIndexChecked) await writer.append({ kind: 'indexChecked' });
  return undefined;
}

/** Checks the database and the search index, which only a release changes. */
async function checkRelease(
  tools: SessionTools,
  { database, hooks }: Inventory,
  checks: readonly Check[],
): Promise<Failed | undefined> {
  const { writer, control } = tools;
  if (database !== undefined && !writer.state().isDatabaseValidated) {
    const result = checks.find(({ name }) => name === 'database')?.text.replace(/\.$/, '') ?? 'not asked';
    await writer.append({ kind: 'databaseValidated', result });
  }
  const hasFailed = checks.some(({ verdict }) => verdict === 'fail');
  if (hasFailed || !hooks.includes('index-prerequisite') || !control.mayContinue()) return undefined;
  return checkIndex(tools);
}

/** Compares the objects of the job with the deployment, and retries until the deadline of a step. */
function readObjects(tools: SessionTools): Promise<Answered<DraftedObjects>> {
  const { performer, writer, control, clock } = tools;
  const patience = { control, since: clock.now() };
  const spec = specOf(writer.state());
  return performer.insist('the objects of the deployment', patience, async (signal) => {
    const objects = await compareObjects(tools, spec, signal);
    const { problem } = objects;
    if (problem?.mayPass === true) throw new DeploymentOutage(problem.reason, { advice: problem.advice });
    return objects;
  });
}

/**
 * Runs all checks and writes their verdicts to the journal. Returns a failure if the deployment gives no inventory or the
 * index hook fails.
 */
export async function runChecks(tools: SessionTools): Promise<Failed | undefined> {
  const { writer, control, signal } = tools;
  const { attempt, checksStarted } = writer.state();
  if (checksStarted?.attempt !== attempt) await writer.append({ kind: 'checksStarted', attempt });
  const inventory = await readInventory(tools);
  if (inventory.kind !== 'answered') return inventory.kind === 'failed' ? inventory : undefined;
  const objects = await readObjects(tools);
  if (objects.kind !== 'answered') return objects.kind === 'failed' ? objects : undefined;
  const found = { inventory: inventory.value, objects: objects.value };
  const { checks } = await runPreflight(tools, specOf(writer.state()), found, jobPatience(signal));
  if (signal.aborted) throw new SessionStopped();
  if (isRelease(writer.state())) {
    const failed = await checkRelease(tools, inventory.value, checks);
    if (failed !== undefined || !control.mayContinue()) return failed;
  }
  await writer.append({ kind: 'checksDone', attempt, checks });
  tools.compared.set(attempt, objects.value);
  return undefined;
}

/** Makes the plan of the job. It is made once: a retry follows the plan in the journal. */
export async function preparePlan(tools: SessionTools): Promise<Failed | undefined> {
  const { writer } = tools;
  const { attempt, planStartedIn, job } = writer.state();
  if (planStartedIn !== attempt) await writer.append({ kind: 'planStarted', attempt });
  const inventory = await readInventory(tools);
  if (inventory.kind !== 'answered') return inventory.kind === 'failed' ? inventory : undefined;
  // The checks have compared the objects a moment ago, unless another session has made them.
  const compared = tools.compared.get(attempt);
  tools.compared.delete(attempt);
  const objects = compared === undefined ? await readObjects(tools) : { kind: 'answered' as const, value: compared };
  if (objects.kind !== 'answered') return objects.kind === 'failed' ? objects : undefined;
  const { contents } = objects.value;
  const found = { inventory: inventory.value, objects: objects.value };
  const plan = await draftPlan(tools, specOf(writer.state()), found);
  const { expectedPlan } = job.task;
  // A retry does not compare again, because the job itself has changed the deployment.
  if (attempt === 0 && expectedPlan !== undefined && expectedPlan !== plan.hash) {
    const failure = {
      reason:
        'The plan is not the one whose planHash the request named: the deployment or the version of Steward has changed since.',
      lines: [],
      advice: 'Make a new plan, review it, and send its planHash.',
    };
    return { kind: 'failed', failure };
  }
  if (plan.format === OBJECTS_FORMAT) await tools.objects.contents.keep(job.id, contents);
  const { restorePoint } = await tools.store.facts();
  const declared = restorePoint && isValidNow(restorePoint, tools.clock.now()) ? restorePoint : undefined;
  await writer.append({ kind: 'planned', plan, declared });
  return undefined;
}
