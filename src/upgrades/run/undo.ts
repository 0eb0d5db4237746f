import type { RunState } from '../journal/runState.ts';
import { isDatabaseTouched, workloadKey } from '../journal/runState.ts';
import { neverRemoved } from '../../model/objects/objectMarks.ts';
import { OBJECTS_AT_ONCE } from '../plan/estimate.ts';
import type { Change, Plan, RolloutId } from '../values/plan.ts';
import { isUpdate } from '../values/plan.ts';
import type { ActContext } from './changeAct.ts';
import { contentsFor, undoAct } from './changeAct.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { UndoCause, UndoFailure } from '../journal/entry.ts';
import type { Failure } from '../../model/failure.ts';
import type { Abandoned, Act, Deployment, HookAct, Observation } from '../ports/deployment.ts';
import { UNSTOPPABLE } from './control.ts';
import { inParallel } from './parallel.ts';
import type { Answered, Patience, Performed } from './calls/performer.ts';
import type { SessionTools } from './sessionTools.ts';
import { runName } from './step.ts';

/** The database, where a restore names a workload otherwise. */
const DATABASE_PART = 'the restore of the relational database';

/** The cause of an undo that a person has retried: what was done about it since is not advised again. */
export async function causeNow(cause: UndoCause, { withoutDone }: Deployment, signal: AbortSignal): Promise<UndoCause> {
  if (cause.kind !== 'failed' || withoutDone === undefined) return cause;
  const { failure } = cause;
  return { kind: 'failed', failure: await withoutDone(failure, signal).catch(() => failure) };
}

/** No request interrupts an undo. */
function insistent(clock: Clock): Patience {
  return { control: UNSTOPPABLE, since: clock.now() };
}

/** A cancel takes effect within 5 s, also if the deployment does not answer: then the hook is left running, and a message says so. */
const STOP_HOOKS_WITHIN_MS = 4 * SECOND;
const NO_ANSWER = `the deployment did not answer within ${STOP_HOOKS_WITHIN_MS / SECOND} s`;

/** The runs of hooks that were begun and have not ended, as far as the journal tells. */
function openHooks(plan: Plan | undefined, state: RunState): readonly HookAct[] {
  const { job, targets, started, done, abandonedHooks, checksStarted, isIndexChecked } = state;
  const acts = (plan?.steps ?? []).flatMap((step): HookAct[] => {
    const attempt = started.get(step.id)?.attempt;
    const isOpen = step.kind === 'hook' && attempt !== undefined && !done.has(step.id);
    return isOpen ? [{ kind: 'hook', hook: step.hook, run: runName(job, step.id, attempt) }] : [];
  });
  const isRelease = targets.some(({ update }) => update === 'release');
  if (plan === undefined && isRelease && checksStarted !== undefined && !isIndexChecked)
    acts.push({ kind: 'hook', hook: 'index-prerequisite', run: runName(job, 'diagnostics', checksStarted.attempt) });
  return acts.filter(({ hook }) => !abandonedHooks.has(hook));
}

/** Stops the hooks that were under way: nothing of a job that is undone may go on working. */
async function abandonHooks(plan: Plan | undefined, tools: SessionTools): Promise<void> {
  const { writer, performer, deployment, fence, clock, signal } = tools;
  const acts = openHooks(plan, writer.state());
  if (acts.length === 0) return;
  const [late, over] = [new AbortController(), new AbortController()];
  void clock.sleep(STOP_HOOKS_WITHIN_MS, AbortSignal.any([over.signal, signal])).then(() => late.abort());
  const patience = { control: { ...UNSTOPPABLE, signal: () => late.signal }, since: clock.now() };
  for (const act of acts) {
    const what = `the hook ${act.hook}`;
    const seen = await performer.insist(what, patience, (either) => deployment.observe([act], either));
    if (seen.kind === 'answered' && seen.value[0]?.state !== 'running') continue;
    const answer = await performer.insist(what, patience, (either) => deployment.abandon(act, fence, either));
    await writer.append({ kind: 'hookAbandoned', hook: act.hook, reason: abandonedReason(answer) });
  }
  over.abort();
}

/** Why a hook could not be stopped; undefined if it was. */
function abandonedReason(answer: Answered<Abandoned>): string | undefined {
  if (answer.kind === 'halted') return NO_ANSWER;
  if (answer.kind === 'failed') return answer.failure.reason;
  return answer.value.kind === 'left' ? answer.value.reason : undefined;
}

/** Each workload with its images from before the job, wave by wave in reverse order. */
function wavesToUndo({ steps }: Plan): readonly (readonly Change[])[] {
  const seen = new Set<string>();
  const waves: (readonly Change[])[] = [];
  for (const step of steps) {
    if (step.kind !== 'rollout') continue;
    for (const wave of step.waves) {
      waves.unshift(wave.filter(({ workload }) => !seen.has(workload)));
      for (const { workload } of wave) seen.add(workload);
    }
  }
  return waves;
}

/** Whether the job has requested other images for a workload. If not, its condition is not this job's concern. */
function wasRequested({ writer }: SessionTools, plan: Plan, workload: string): boolean {
  const { workloads } = writer.state();
  return plan.steps.some(
    (step) => step.kind === 'rollout' && workloads.get(workloadKey(step.id, workload))?.requested !== undefined,
  );
}

/** Records the workloads that differ from before, so that a session that takes over reports the restored ones too. */
async function findChanges(
  tools: SessionTools,
  plan: Plan,
  observed: ReadonlyMap<Change, Observation['state'] | undefined>,
): Promise<ReadonlySet<string>> {
  const { writer } = tools;
  const found = [...observed]
    .filter(([, state]) => state !== 'done')
    .filter(([{ workload }, state]) => state === 'absent' || wasRequested(tools, plan, workload))
    .map(([{ workload }]) => workload);
  if (found.length > 0 && writer.state().changedWorkloads.size === 0)
    await writer.append({ kind: 'changesFound', workloads: found });
  return new Set([...writer.state().changedWorkloads, ...found]);
}

/** Performs an act of the undo. Its deadline counts from the journal, so that a takeover does not start it again. */
async function performRestore(part: string, act: Act, { writer, performer, clock }: SessionTools): Promise<Performed> {
  const { attempt } = writer.state();
  if (writer.state().restoresStarted.get(part)?.attempt !== attempt)
    await writer.append({ kind: 'restoreStarted', part, attempt });
  const { at: since = clock.now() } = writer.state().restoresStarted.get(part) ?? {};
  return performer.perform(part, act, { control: UNSTOPPABLE, since });
}

/** The runs of database phases that the job has begun, in their order. */
function databaseRuns({ job, plan, started }: RunState): readonly string[] {
  return (plan?.steps ?? []).flatMap(({ kind, id }) => {
    const begun = started.get(id);
    return kind === 'database' && begun !== undefined ? [runName(job, id, begun.attempt)] : [];
  });
}

async function restoreDatabase(tools: SessionTools): Promise<readonly Failure[]> {
  const { writer, deployment, signal } = tools;
  const state = writer.state();
  const { job, attempt, isDatabaseRestored } = state;
  if (isDatabaseRestored) return [];
  const act = {
    kind: 'database',
    phase: 'restore',
    run: runName(job, 'undo', attempt),
    undoes: databaseRuns(state),
  } as const;
  const outcome = await performRestore(DATABASE_PART, act, tools);
  if (outcome.kind === 'failed') return [outcome.failure];
  const inventory = await deployment.inventory(signal).catch(() => undefined);
  await writer.append({ kind: 'databaseRestored', database: inventory?.database });
  return [];
}

/**
 * Restores everything that differs from before the job, found by observation: for the last act that was begun, the journal
 * cannot tell whether it took effect. A part that cannot be restored does not keep the others from being restored.
 */
export async function undoChanges(plan: Plan | undefined, tools: SessionTools): Promise<readonly UndoFailure[]> {
  await abandonHooks(plan, tools);
  return plan === undefined ? [] : restoreChanges(plan, tools);
}

/** Several workloads may fail for the same reason, which is reported once, with their names. */
function addFailure(failures: Map<string, UndoFailure>, failure: Failure, workload: string): void {
  const { workloads = [] } = failures.get(failure.reason) ?? {};
  failures.set(failure.reason, { ...failure, workloads: [...workloads, workload] });
}

function isStarted({ writer }: SessionTools, step: RolloutId, workload: string): boolean {
  return writer.state().workloads.has(workloadKey(step, workload));
}

/**
 * Whether a change is undone: an image always, because another manager may have set it; an object only if the job has begun to change it.
 * What is never removed stays.
 */
function isUndone(change: Change, context: ActContext, tools: SessionTools, plan: Plan): boolean {
  const { workload, object } = change;
  if (object === undefined) return true;
  const isBegun = plan.steps.some((step) => step.kind === 'rollout' && isStarted(tools, step.id, workload));
  if (object.verb !== 'create') return isBegun;
  const content = object.content === undefined ? undefined : context.contentOf(object.content);
  return isBegun && !(content !== undefined && neverRemoved(workload, content));
}

async function restoreChanges(plan: Plan, tools: SessionTools): Promise<readonly UndoFailure[]> {
  const { writer, performer, deployment, parallel, clock } = tools;
  // Each act is written to the journal before it is begun, so nothing else can have been changed.
  if (writer.state().workloads.size === 0 && !isDatabaseTouched(writer.state())) return [];
  const context = { task: writer.state().job.task, contentOf: await contentsFor(tools) };
  const waves = wavesToUndo(plan).map((wave) => wave.filter((change) => isUndone(change, context, tools, plan)));
  const changes = waves.flat();
  const answer = await performer.insist('the state of the changed workloads', insistent(clock), (signal) =>
    deployment.observe(
      changes.map((change) => undoAct(change, context)),
      signal,
    ),
  );
  if (answer.kind !== 'answered') return answer.kind === 'failed' ? [answer.failure] : [];
  const observed = new Map(changes.map((change, n) => [change, answer.value[n]?.state]));
  const changed = await findChanges(tools, plan, observed);
  const failures = new Map<string, UndoFailure>();

  async function restore(change: Change): Promise<undefined> {
    const { workload } = change;
    if (!changed.has(workload)) return undefined;
    if (observed.get(change) !== 'done') {
      const outcome = await performRestore(workload, undoAct(change, context), tools);
      if (outcome.kind === 'failed') {
        addFailure(failures, outcome.failure, workload);
        return undefined;
      }
    }
    if (!writer.state().restoredWorkloads.has(workload)) await writer.append({ kind: 'workloadRestored', workload });
    return undefined;
  }

  for (const wave of waves)
    await inParallel(wave, wave.some(isUpdate) ? parallel : OBJECTS_AT_ONCE, UNSTOPPABLE, restore);
  const ofDatabase = isDatabaseTouched(writer.state()) ? await restoreDatabase(tools) : [];
  return [...failures.values(), ...ofDatabase];
}
