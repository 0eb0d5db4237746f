// Derives the messages of an entry. This is the only place that chooses messages; it never influences what a job does.
// It runs once for each entry, in the transaction that appends it, with the state before the entry.
import type { Message } from '../../jobs/jobStore.ts';
import { versionName } from '../../model/version.ts';
import type { Change, RolloutId, RolloutStep } from '../values/plan.ts';
import { changesIn, changesOf, isUpdate } from '../values/plan.ts';
import {
  describeObjectDone,
  describeObjectRestored,
  describeObjectsPlanned,
  describeRequested,
} from './describeObjects.ts';
import { imageNames } from '../versions/images.ts';
import type { Check } from '../ports/deployment.ts';
import { UPGRADE } from '../ports/upgradeStore.ts';
import { describeEnd, describeFailure } from './end/describeEnd.ts';
import { describeStepDone, describeStepStarted } from './describeStep.ts';
import type { ControlEntry, Entry, EntryKind } from './entry.ts';
import { message, minutes, simulatedNote } from './messageText.ts';
import type { RunState } from './runState.ts';
import { checkKey, fold, isWorkloadCounted, workloadKey } from './runState.ts';

type Descriptions = {
  readonly [K in EntryKind]: (entry: Entry<K>, state: RunState, at: number) => readonly Message[];
};

const NONE: readonly Message[] = [];

/** Messages of entries that a person's request causes; they need no state. */
export function describeControl(entry: ControlEntry): readonly Message[] {
  const who = entry.by;
  if (entry.kind === 'resumed') return [message('resumed', { who })];
  if (entry.kind === 'cancelled') return [message('cancelled', { who })];
  return [message('retried', { who }), message('readOnlyEntered', {})];
}

function describeAccepted({ job }: RunState): readonly Message[] {
  const { from, to, isSimulated } = job.task;
  const gaps = { from: versionName(from), to: versionName(to), simulated: simulatedNote(isSimulated) };
  const first = job.kind === UPGRADE ? message('upgradeStarted', gaps) : message('rollbackStarted', gaps);
  return [first, message('readOnlyEntered', {})];
}

/** A check for which Steward lacks an optional right is counted and not reported: nothing is wrong. */
function isTold({ verdict }: Check): boolean {
  return verdict === 'warn' || verdict === 'fail';
}

/** A warning or failure is reported once, and the counts once: a retry runs the checks again without repeating itself. */
function describeChecks({ checks }: Entry<'checksDone'>, state: RunState): readonly Message[] {
  const unreported = checks.filter((check) => isTold(check) && !state.reportedChecks.has(checkKey(check)));
  const count = (verdict: Check['verdict']): number => checks.filter((one) => one.verdict === verdict).length;
  const notMade = count('unknown') === 0 ? '' : `, ${count('unknown')} not made`;
  const counts = { passed: count('pass'), warned: count('warn'), failed: count('fail'), notMade };
  return [
    ...unreported.map(({ name, verdict, text, todo }) =>
      message(verdict === 'warn' ? 'checkWarned' : 'checkFailed', { name, text, todo }),
    ),
    ...(state.checks === undefined ? [message('diagnosticsCompleted', counts)] : []),
  ];
}

/** Why a job creates no restore point. A hook for it is left out only for the first two reasons. */
function noRestorePointReason({ declared }: Entry<'planned'>, { job, isPastReturn }: RunState): string {
  if (isPastReturn) return 'it finishes a failed release that is past the point of no return';
  if (job.task.isRestorePointWaived) return 'withoutRestorePoint is true';
  return declared === undefined
    ? 'the deployment has no hook `backup`'
    : `the restore point ${declared.name} of ${new Date(declared.at).toISOString()} was declared`;
}

function describePlanned(entry: Entry<'planned'>, state: RunState): readonly Message[] {
  const { plan } = entry;
  const { targets } = state;
  const isRelease = targets.some(({ update }) => update === 'release');
  const hasBackup = plan.steps.some(({ id }) => id === 'hook/backup');
  return [
    message('planExecuting', { steps: plan.steps.length, workloads: changesOf(plan).filter(isUpdate).length }),
    ...describeObjectsPlanned(plan),
    ...(isRelease && !hasBackup ? [message('noRestorePoint', { why: noRestorePointReason(entry, state) })] : []),
  ];
}

function rolloutOf({ plan }: RunState, id: RolloutId): RolloutStep {
  const step = plan?.steps.find((one) => one.id === id);
  if (step?.kind !== 'rollout') throw new Error(`the plan has no rollout ${id}`);
  return step;
}

function changeOf(step: RolloutStep, workload: string): Change {
  const change = changesIn(step).find((one) => one.workload === workload);
  if (change === undefined) throw new Error(`the rollout ${step.id} has no workload ${workload}`);
  return change;
}

function describeWorkloadStarted(entry: Entry<'workloadStarted'>, state: RunState): readonly Message[] {
  const step = rolloutOf(state, entry.step);
  const change = changeOf(step, entry.workload);
  if (!isUpdate(change)) return NONE;
  const { workload, component, module } = change;
  const isFirst = (is: (change: Change) => boolean): boolean =>
    !changesIn(step).some((one) => is(one) && state.workloads.has(workloadKey(step.id, one.workload)));
  if (step.update !== 'release') {
    const rollback = step.update === 'rollback' ? ` (rollback to ${versionName(state.job.task.to)})` : '';
    return isFirst((one) => one.module === module) ? [message('modulePatchStarted', { module, rollback })] : NONE;
  }
  const started = message('deploymentStarted', { workload });
  return isFirst((one) => one.component === component)
    ? [message('componentStarted', { component }), started]
    : [started];
}

function describeWorkloadDone(entry: Entry<'workloadDone'>, state: RunState, at: number): readonly Message[] {
  const step = rolloutOf(state, entry.step);
  const change = changeOf(step, entry.workload);
  const { workload, component } = change;
  if (!isUpdate(change)) return isWorkloadCounted(state, step.id, workload) ? NONE : describeObjectDone(change);
  const all = changesIn(step).filter(isUpdate);
  const open = all.filter((one) => one.workload !== workload && !isWorkloadCounted(state, step.id, one.workload));
  const ms = Math.max(0, at - state.job.started);
  // A workload that is done again after another controller reverted it is not counted again.
  if (isWorkloadCounted(state, step.id, workload)) return NONE;
  const progress = { done: all.length - open.length, total: all.length, ms, minutes: minutes(ms) };
  if (step.update !== 'release') return [message('patchProgress', progress)];
  return [
    message('deploymentCompleted', { workload }),
    message('releaseProgress', progress),
    ...(open.some((one) => one.component === component) ? [] : [message('componentCompleted', { component })]),
  ];
}

const DESCRIPTIONS: Descriptions = {
  accepted: (_, state) => describeAccepted(state),
  resumed: describeControl,
  cancelled: describeControl,
  retried: describeControl,
  launched: () => [message('upgraderLaunching', {})],
  takenOver: () => [message('takenOver', {})],
  paused: (_, { job, isPastReturn }) => {
    const cancel = isPastReturn
      ? 'It is past the point of no return and cannot be cancelled.'
      : `To roll back: POST system/jobs/${job.id}/cancel.`;
    return [message('paused', { job: job.id, cancel })];
  },
  checksStarted: (_, state) => (state.checksStarted === undefined ? [message('diagnosticsStarted', {})] : NONE),
  databaseValidated: ({ result }) => [message('databaseValidated', { result })],
  indexChecked: () => [message('indexPrerequisitePassed', {})],
  checksDone: describeChecks,
  planStarted: (_, state) => (state.planStartedIn === undefined ? [message('planPreparing', {})] : NONE),
  planned: describePlanned,
  pointOfNoReturnPassed: ({ step }, { plan }) => {
    return [message('pointOfNoReturn', { step: plan?.steps.find(({ id }) => id === step)?.title ?? step })];
  },
  stepStarted: describeStepStarted,
  stepDone: describeStepDone,
  workloadStarted: describeWorkloadStarted,
  imagesRequested: ({ step, workload }, state) => {
    return describeRequested(changeOf(rolloutOf(state, step), workload));
  },
  workloadDone: describeWorkloadDone,
  rolloutDone: () => NONE,
  workloadReverted: () => NONE,
  waited: ({ what, detail, until, report }) => {
    const elapsed = report === 1 ? '10 s' : `${report - 1} min`;
    return [message('stillWaiting', { what, elapsed, detail, until })];
  },
  stepFailed: ({ failure }) => describeFailure(failure),
  undoStarted: (_, { plan }) => (plan === undefined ? NONE : [message('undoStarted', {})]),
  changesFound: () => NONE,
  restoreStarted: () => NONE,
  workloadRestored: ({ workload }, { plan }) => {
    const change = plan && changesOf(plan).find((one) => one.workload === workload);
    return change?.object === undefined
      ? [message('workloadRestored', { workload, image: imageNames(change?.from ?? []) })]
      : describeObjectRestored(change, change.object);
  },
  databaseRestored: (_, { plan }) => {
    const step = plan?.steps.find((one) => one.kind === 'database');
    return [message('databaseRestored', { primary: step?.primary ?? '' })];
  },
  hookAbandoned: ({ hook, reason }) => [
    reason === undefined ? message('hookStopped', { hook }) : message('hookStillRuns', { hook, reason }),
  ],
  ended: describeEnd,
};

function describe<K extends EntryKind>(entry: Entry<K>, state: RunState, at: number): readonly Message[] {
  return DESCRIPTIONS[entry.kind](entry, state, at);
}

/** Folds entries one by one and collects their messages. */
export function applyEntries(
  before: RunState,
  entries: readonly Entry[],
  at: number,
): { readonly state: RunState; readonly messages: readonly Message[] } {
  let state = before;
  const messages: Message[] = [];
  for (const entry of entries) {
    messages.push(...describe(entry, state, at));
    state = fold(state, entry, at);
  }
  return { state, messages };
}
