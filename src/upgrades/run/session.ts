// One session of a job: it continues from where the journal ends, until the job has ended or another holder takes it. The
// state is the fold of the journal; nextAction.ts decides, and `act` below is the one place that acts.
import { reasonOf } from '../../foundation/errors.ts';
import type { Log } from '../../foundation/log.ts';
import type { JobKind, StepResult } from '../../jobs/jobRunner.ts';
import type { Job, JobStore, Lease } from '../../jobs/jobStore.ts';
import { localActor } from '../../model/actor.ts';
import type { Version } from '../../model/version.ts';
import { versionName } from '../../model/version.ts';
import type { Entry, Outcome, UndoCause } from '../journal/entry.ts';
import { SessionStopped, createJournalWriter } from './journalWriter.ts';
import type { RunState } from '../journal/runState.ts';
import { readState } from '../journal/runState.ts';
import { changesOf } from '../values/plan.ts';
import type { Failure } from '../../model/failure.ts';
import type { JobNote } from '../ports/deployment.ts';
import type { UpgradeStore } from '../ports/upgradeStore.ts';
import type { ControlWatch } from './control.ts';
import { UNSTOPPABLE, watchControlRequests } from './control.ts';
import { confirmDone, findOmissions } from './confirm.ts';
import { confirmDatabase } from './confirmDatabase.ts';
import { findState } from './findState.ts';
import { conclude, endingText } from './finish.ts';
import type { Action } from './nextAction.ts';
import { nextAction } from './nextAction.ts';
import { createObserver } from './calls/observer.ts';
import { createPerformer } from './calls/performer.ts';
import { whyModeIsNotShown } from './modeNotShown.ts';
import { readOnce } from '../../foundation/cache/readOnce.ts';
import { preparePlan, runChecks } from './prepare.ts';
import type { SessionTools } from './sessionTools.ts';
import { runStep } from './step.ts';
import { causeNow, undoChanges } from './undo.ts';

export interface SessionOptions extends Pick<
  SessionTools,
  'deployment' | 'store' | 'objects' | 'clock' | 'parallel' | 'deadlineMs' | 'licence'
> {
  readonly jobs: JobStore;
  /** Why versions must not be installed, as their signatures say now; undefined if they may be. */
  readonly problemOf: (versions: readonly Version[]) => Promise<string | undefined>;
  readonly log: Log;
  readonly observeEveryMs: number;
}

interface Session {
  readonly job: Job;
  readonly lease: Lease;
  readonly control: ControlWatch;
  readonly tools: SessionTools;
  readonly store: UpgradeStore;
  readonly problemOf: SessionOptions['problemOf'];
  readonly log: Log;
}

type ForwardAction = Exclude<Action, { kind: 'fail' }>;
type ActResult =
  | { readonly kind: 'done' | 'halted' | 'ended' }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly step: string };

const PREPARATION = 'preparation';
const CONFIRMATION = 'Final check of all workloads';
const CANCELLED: UndoCause = { kind: 'cancelled' };

/** Tells the operators of the deployment. A job does not depend on it. */
async function record(
  { job, tools: { deployment, signal }, log }: Session,
  kind: JobNote['kind'],
  text: string,
): Promise<void> {
  try {
    await deployment.record({ kind, job: job.id, text }, signal);
  } catch (error) {
    log.warn({ job: job.id, reason: reasonOf(error) }, 'the deployment could not record an event of the job');
  }
}

const END_NOTES = {
  succeeded: 'succeeded',
  stopped: 'failed',
  undone: 'undone',
  undoIncomplete: 'failed',
} as const satisfies Record<Outcome['kind'], JobNote['kind']>;

/** Ends the job. False if a cancel was accepted in the meantime, which only a success yields to. */
async function end(session: Session, outcome: Outcome): Promise<boolean> {
  const { job, lease, store, tools } = session;
  let ending = '';
  const modeNotShown = await whyModeIsNotShown(tools);
  const appended = await store.conclude(lease, localActor(job.startedBy), (facts, at) => {
    ending = endingText(tools.writer.state(), outcome, at);
    return conclude(tools.writer.state(), { outcome, modeNotShown }, facts, at);
  });
  if (appended === 'lost') throw new SessionStopped();
  if (appended === 'written') await record(session, END_NOTES[outcome.kind], ending);
  return appended === 'written';
}

async function undo(session: Session): Promise<void> {
  const { tools } = session;
  const failures = await undoChanges(tools.writer.state().plan, tools);
  if (failures.length === 0) await end(session, { kind: 'undone' });
  else await end(session, { kind: 'undoIncomplete', failures, found: await findState(tools) });
}

async function startUndo(session: Session, cause: UndoCause): Promise<void> {
  const { writer } = session.tools;
  const { attempt } = writer.state();
  const failed: readonly Entry[] = cause.kind === 'failed' ? [{ kind: 'stepFailed', failure: cause.failure }] : [];
  await writer.appendAlone([...failed, { kind: 'undoStarted', attempt, cause }], { state: 'undoing' });
  await undo(session);
}

/** Continues an undo that a session before this one, or a person, has started. */
async function continueUndo(session: Session): Promise<void> {
  const { writer, deployment, signal } = session.tools;
  const { attempt, undo: undoing } = writer.state();
  if (undoing?.attempt !== attempt) {
    const cause = undoing === undefined ? CANCELLED : await causeNow(undoing.cause, deployment, signal);
    await writer.append({ kind: 'undoStarted', attempt, cause });
  }
  await undo(session);
}

/** Before the point of no return a failure undoes the job; after it the job stops and can be retried. */
async function fail(session: Session, failure: Failure, step: string): Promise<void> {
  if (!session.tools.writer.state().isPastReturn) return startUndo(session, { kind: 'failed', failure });
  await end(session, { kind: 'stopped', failure, step, found: await findState(session.tools) });
}

/** Ends the job, unless what is done has been changed since. A cancel that was accepted a moment ago takes precedence. */
async function succeed(session: Session): Promise<ActResult> {
  const lost = await confirmDone(session.tools);
  if (lost !== undefined) return lost.kind === 'failed' ? { ...lost, step: CONFIRMATION } : lost;
  const found = await findOmissions(session.tools);
  if (found.kind !== 'answered') return found.kind === 'failed' ? { ...found, step: CONFIRMATION } : found;
  const incomplete = found.value.length === 0 ? {} : { incomplete: found.value };
  if (!(await end(session, { kind: 'succeeded', ...incomplete }))) await startUndo(session, CANCELLED);
  return { kind: 'ended' };
}

async function act(action: ForwardAction, session: Session): Promise<ActResult> {
  const { tools } = session;
  const { writer } = tools;
  if (action.kind === 'succeed') return succeed(session);
  if (action.kind === 'passPointOfNoReturn') {
    const lost = (await confirmDone(tools)) ?? (await confirmDatabase(tools));
    if (lost !== undefined) return lost.kind === 'failed' ? { ...lost, step: action.step.title } : lost;
    const entry = { kind: 'pointOfNoReturnPassed', step: action.step.id } as const;
    const isPassed = await writer.appendAlone([entry], { onlyIf: 'notCancelled' });
    return { kind: isPassed ? 'done' : 'halted' };
  }
  if (action.kind === 'runStep') {
    const failed = await runStep(action.step, tools);
    if (failed !== undefined) return { ...failed, step: action.step.title };
    return { kind: writer.state().done.has(action.step.id) ? 'done' : 'halted' };
  }
  const failed = await (action.kind === 'runChecks' ? runChecks(tools) : preparePlan(tools));
  if (failed !== undefined) return { ...failed, step: PREPARATION };
  const { checks, attempt } = writer.state();
  return { kind: action.kind === 'runChecks' && checks?.attempt !== attempt ? 'halted' : 'done' };
}

/** Pauses or undoes the job, as requested. False if the request was withdrawn. */
async function halt(session: Session): Promise<boolean> {
  const { control, tools } = session;
  const isPaused = await tools.writer.appendAlone([{ kind: 'paused' }], { state: 'paused', onlyIf: 'pausing' });
  if (isPaused) return true;
  await control.poll();
  if (!control.isCancelled()) return false;
  await startUndo(session, CANCELLED);
  return true;
}

async function goForward(session: Session): Promise<void> {
  const { tools, control } = session;
  for (;;) {
    const action = nextAction(tools.writer.state());
    if (action.kind === 'fail') return fail(session, action.failure, PREPARATION);
    const mayAct = action.kind === 'succeed' || control.mayContinue();
    const result: ActResult = mayAct ? await act(action, session) : { kind: 'halted' };
    if (result.kind === 'failed') return fail(session, result.failure, result.step);
    if (result.kind === 'ended') return;
    if (result.kind !== 'halted') continue;
    if (await halt(session)) return;
    control.proceed();
  }
}

/** A version that is not signed any more, because the key or the store was changed, is not installed. */
async function unsignedFailure({ tools, problemOf }: Session): Promise<Failure | undefined> {
  const versions = tools.writer.state().targets.flatMap(({ version, replacedBy }) => [version ?? [], replacedBy ?? []]);
  const reason = await problemOf(versions.flat());
  if (reason === undefined) return undefined;
  return { reason, lines: [], advice: 'Import the signed manifest of this version.' };
}

/** The objects that the job changes, as far as they are known. */
function objectsOf({ plan }: RunState): readonly string[] {
  const changes = plan === undefined ? [] : changesOf(plan);
  return [...new Set(changes.flatMap(({ workload, object }) => (object === undefined ? [] : [workload])))];
}

async function run(session: Session): Promise<void> {
  const { job, lease, tools, control } = session;
  const { writer, performer, deployment } = tools;
  const patience = { control: job.state === 'undoing' ? UNSTOPPABLE : control, since: tools.clock.now() };
  const fenced = await performer.insist('the deployment', patience, (signal) =>
    deployment.takeOver(lease.fence, signal, objectsOf(writer.state())),
  );
  // An undo goes on even if the deployment does not answer now: each of its acts is retried by itself.
  if (job.state === 'undoing') return continueUndo(session);
  if (fenced.kind === 'halted') {
    if (await halt(session)) return;
    control.proceed();
    return run(session);
  }
  if (fenced.kind === 'failed') return fail(session, fenced.failure, PREPARATION);
  const { isLaunched, lastKind } = writer.state();
  if (!isLaunched) {
    await writer.append({ kind: 'launched' });
    const { from, to } = writer.state().job.task;
    void record(session, 'started', `The ${job.kind} from ${versionName(from)} to ${versionName(to)} has started.`);
  }
  // A resume or a retry by a person is not a takeover.
  else if (lastKind !== 'resumed' && lastKind !== 'retried') await writer.append({ kind: 'takenOver' });
  const unsigned = await unsignedFailure(session);
  return unsigned === undefined ? goForward(session) : fail(session, unsigned, PREPARATION);
}

async function openSession(
  options: SessionOptions,
  { job, lease, control, signal }: Pick<Session, 'job' | 'lease' | 'control'> & { readonly signal: AbortSignal },
): Promise<Session> {
  const { deployment, store, objects, jobs, clock, parallel, deadlineMs, licence } = options;
  const initial = readState(job, await jobs.journal(job.id));
  const writer = createJournalWriter({ jobs, lease, initial, clock, parallel });
  const observer = createObserver({ deployment, clock, everyMs: options.observeEveryMs, signal });
  const performer = createPerformer({ deployment, observer, writer, clock, signal, fence: lease.fence, deadlineMs });
  const { fence } = lease;
  const tools: SessionTools = {
    deployment,
    store,
    objects,
    writer,
    performer,
    control,
    clock,
    parallel,
    deadlineMs,
    licence,
    signal,
    fence,
    compared: new Map(),
    contents: readOnce(() => objects.contents.of(job.id)),
  };
  return { job, lease, control, tools, store, problemOf: options.problemOf, log: options.log };
}

/** Runs upgrades and rollbacks. */
export function upgradeJob(options: SessionOptions): JobKind {
  const { jobs, clock, log } = options;
  return {
    cancelsItself: true,
    async step(job, lease, signal): Promise<StepResult> {
      const control = await watchControlRequests({ jobs, job: job.id, clock, log });
      // Everything that works for a session ends with it.
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      try {
        await run(await openSession(options, { job, lease, control, signal: either }));
        return { kind: 'ended' };
      } catch (error) {
        if (error instanceof SessionStopped) return signal.aborted ? { kind: 'more', afterMs: 0 } : { kind: 'lost' };
        throw error;
      } finally {
        over.abort();
        await control.loop.stop();
      }
    },
  };
}
