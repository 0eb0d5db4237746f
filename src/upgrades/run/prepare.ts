// Before anything is changed: runs the checks, then makes the plan and stores it in the journal.
import { SessionStopped } from '../journal/journalWriter.ts';
import type { RunState } from '../journal/runState.ts';
import { draftPlan, runPreflight } from '../plan/draftPlan.ts';
import type { Check } from '../ports/deployment.ts';
import type { JobSpec } from '../task.ts';
import type { Inventory } from '../../model/workload.ts';
import type { Failed } from './performer.ts';
import type { SessionTools } from './sessionTools.ts';
import { runName } from './step.ts';

function specOf({ job, targets, done, isPastReturn }: RunState): JobSpec {
  return { task: job.task, targets, alreadyDone: done, isPastReturn };
}

function isRelease({ targets }: RunState): boolean {
  return targets.some(({ update }) => update === 'release');
}

async function checkIndex({ writer, performer, control }: SessionTools): Promise<Failed | undefined> {
  const { job, attempt, isIndexChecked } = writer.state();
  const run = runName(job, 'diagnostics', attempt);
  const act = { kind: 'hook', hook: 'index-prerequisite', run } as const;
  const outcome = await performer.perform('The prerequisite check of the search index', act, control);
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

/**
 * Runs all checks and writes their verdicts to the journal. Returns a failure if the deployment gives no inventory or the
 * index hook fails.
 */
export async function runChecks(tools: SessionTools): Promise<Failed | undefined> {
  const { deployment, performer, writer, control, signal } = tools;
  const { attempt, checksStartedIn } = writer.state();
  if (checksStartedIn !== attempt) await writer.append({ kind: 'checksStarted', attempt });
  const inventory = await performer.insist('looking at the deployment', () => deployment.inventory());
  if (inventory.kind === 'failed') return inventory;
  const { checks } = await runPreflight(tools, specOf(writer.state()), inventory.value, { isPatient: true, signal });
  if (signal.aborted) throw new SessionStopped();
  if (isRelease(writer.state())) {
    const failed = await checkRelease(tools, inventory.value, checks);
    if (failed !== undefined || !control.mayContinue()) return failed;
  }
  await writer.append({ kind: 'checksDone', attempt, checks });
  return undefined;
}

/** Makes the plan of the job. It is made once: a retry follows the plan in the journal. */
export async function preparePlan(tools: SessionTools): Promise<Failed | undefined> {
  const { deployment, performer, writer } = tools;
  const { attempt, planStartedIn, job } = writer.state();
  if (planStartedIn !== attempt) await writer.append({ kind: 'planStarted', attempt });
  const inventory = await performer.insist('looking at the deployment', () => deployment.inventory());
  if (inventory.kind === 'failed') return inventory;
  const plan = await draftPlan(tools, specOf(writer.state()), inventory.value);
  const { planHash } = job.task;
  // A retry does not compare again, because the job itself has changed the deployment.
  if (attempt === 0 && planHash !== undefined && planHash !== plan.hash) {
    const failure = {
      reason: 'The deployment has changed since the plan was made that this job was to follow.',
      lines: [],
      advice: 'Make a new plan, look at it, and start again with its planHash.',
    };
    return { kind: 'failed', failure };
  }
  await writer.append({ kind: 'planned', plan });
  return undefined;
}
