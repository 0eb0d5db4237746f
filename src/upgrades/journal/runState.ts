// The state of an upgrade job as a pure fold over its journal: what is done, what to undo, and where to continue. A server
// that takes a job over computes it from the stored entries; the session that runs the job keeps it up to date.
import type { Job, JournalRecord } from '../../jobs/jobStore.ts';
import type { Hook } from '../../model/hook.ts';
import type { AfterFailure, Mode } from '../../model/mode.ts';
import type { Inventory } from '../../model/workload.ts';
import type { Plan, RolloutId, StepId } from '../values/plan.ts';
import { isKnownFormat } from '../values/plan.ts';
import type { Check } from '../ports/deployment.ts';
import type { Task } from '../values/task.ts';
import { taskOf } from '../values/task.ts';
import type { Entry, EntryKind, Outcome, UndoCause } from './entry.ts';
import type { Target } from '../values/target.ts';
import type { StoredEntry } from './storedEntry.ts';
import { entryOf } from './storedEntry.ts';
import { withItems, withKey } from './copies.ts';

/** The facts about a job that never change. */
export interface JobFacts extends Pick<Job, 'id' | 'kind' | 'started' | 'startedBy'> {
  readonly task: Task;
}

/** A workload update that was started. */
interface WorkloadRun {
  /** The latest attempt that requested the new images, when it did, and what the deployment answered. */
  readonly requested:
    | { readonly attempt: number; readonly at: number; readonly receipt: string | undefined }
    | undefined;
  readonly isDone: boolean;
  /** Whether it was done before and is counted. Progress never goes back, even if the workload was reverted. */
  readonly isCounted: boolean;
}

/** The latest attempt that started something, and when. Deadlines count from then. */
interface Started {
  readonly attempt: number;
  readonly at: number;
}

interface UndoState {
  readonly attempt: number;
  readonly at: number;
  readonly cause: UndoCause;
}

export interface RunState {
  readonly job: JobFacts;
  readonly targets: readonly Target[];
  readonly modeBefore: Mode;
  readonly afterFailure: AfterFailure;
  /** Raised by each retry. */
  readonly attempt: number;
  readonly phase: string;
  readonly lastKind: EntryKind | undefined;
  readonly isLaunched: boolean;
  /** When the current pause began. */
  readonly pausedAt: number | undefined;
  readonly isPastReturn: boolean;
  readonly checksStarted: Started | undefined;
  readonly isDatabaseValidated: boolean;
  readonly isIndexChecked: boolean;
  /** The latest result of the checks, and the attempt that ran them. */
  readonly checks: { readonly attempt: number; readonly results: readonly Check[] } | undefined;
  /** Warnings and failures that were reported, as `name:verdict`. */
  readonly reportedChecks: ReadonlySet<string>;
  readonly planStartedIn: number | undefined;
  readonly plan: Plan | undefined;
  readonly started: ReadonlyMap<StepId, Started>;
  readonly done: ReadonlySet<StepId>;
  /** By `workloadKey`. */
  readonly workloads: ReadonlyMap<string, WorkloadRun>;
  /** Units of progress that are done. */
  readonly units: number;
  /** The last report of each wait, by `waitKey`. */
  readonly waits: ReadonlyMap<string, number>;
  readonly undo: UndoState | undefined;
  readonly changedWorkloads: ReadonlySet<string>;
  readonly restoresStarted: ReadonlyMap<string, Started>;
  readonly restoredWorkloads: ReadonlySet<string>;
  readonly isDatabaseRestored: boolean;
  /** The database after its restore, if the deployment answered. */
  readonly restoredDatabase: Inventory['database'];
  readonly abandonedHooks: ReadonlySet<Hook>;
  /** When the deployment last answered, as far as the journal tells. */
  readonly answeredAt: number | undefined;
  /** How the latest attempt has ended. */
  readonly outcome: Outcome['kind'] | undefined;
  readonly end: Outcome | undefined;
}

const START_PHASE = 'start';
const CHECK_PHASE = 'diagnostics';
const PLAN_PHASE = 'plan';
const UNDO_PHASE = 'putting back';
const END_PHASE = 'ended';

export function jobFacts(job: Pick<Job, keyof JobFacts>): JobFacts {
  const { id, kind, started, startedBy } = job;
  return { id, kind, started, startedBy, task: taskOf(job) };
}

export function initialState(job: Pick<Job, keyof JobFacts>): RunState {
  return {
    job: jobFacts(job),
    targets: [],
    modeBefore: { isReadOnly: false, message: '', setBy: 'hand' },
    afterFailure: taskOf(job).afterFailure ?? 'readOnly',
    attempt: 0,
    phase: START_PHASE,
    lastKind: undefined,
    isLaunched: false,
    pausedAt: undefined,
    isPastReturn: false,
    checksStarted: undefined,
    isDatabaseValidated: false,
    isIndexChecked: false,
    checks: undefined,
    reportedChecks: new Set(),
    planStartedIn: undefined,
    plan: undefined,
    started: new Map(),
    done: new Set(),
    workloads: new Map(),
    units: 0,
    waits: new Map(),
    undo: undefined,
    changedWorkloads: new Set(),
    restoresStarted: new Map(),
    restoredWorkloads: new Set(),
    isDatabaseRestored: false,
    restoredDatabase: undefined,
    abandonedHooks: new Set(),
    answeredAt: undefined,
    outcome: undefined,
    end: undefined,
  };
}

export function workloadKey(step: RolloutId, workload: string): string {
  return `${step}/${workload}`;
}

export function waitKey(what: string, since: number): string {
  return `${since} ${what}`;
}

export function checkKey({ name, verdict }: Check): string {
  return `${name}:${verdict}`;
}

type Folds = {
  readonly [K in EntryKind]: (state: RunState, entry: Entry<K>, at: number) => Partial<RunState>;
};

function withWorkload(
  { workloads }: RunState,
  { step, workload }: { readonly step: RolloutId; readonly workload: string },
  change: Partial<WorkloadRun>,
): ReadonlyMap<string, WorkloadRun> {
  const key = workloadKey(step, workload);
  const before = workloads.get(key) ?? { requested: undefined, isDone: false, isCounted: false };
  return withKey(workloads, key, { ...before, ...change });
}

function isReported({ verdict }: Check): boolean {
  return verdict !== 'pass';
}

/** The time of a pause does not count towards the deadlines of what was under way. */
function shiftDeadlines(
  { pausedAt, started, workloads }: RunState,
  _: Entry<'resumed'>,
  at: number,
): Partial<RunState> {
  if (pausedAt === undefined) return {};
  const pausedMs = Math.max(0, at - pausedAt);
  return {
    pausedAt: undefined,
    started: new Map([...started].map(([step, one]) => [step, { ...one, at: one.at + pausedMs }])),
    workloads: new Map(
      [...workloads].map(([key, run]) => {
        const { requested } = run;
        return [key, { ...run, requested: requested && { ...requested, at: requested.at + pausedMs } }];
      }),
    ),
  };
}

/** What each kind of entry changes. */
const FOLDS: Folds = {
  accepted: (_, { targets, alreadyDone, isPastReturn, modeBefore }) => {
    return { targets, isPastReturn, modeBefore, done: new Set(alreadyDone) };
  },
  resumed: shiftDeadlines,
  cancelled: () => ({}),
  retried: (state, { modeBefore = state.modeBefore, afterFailure = state.afterFailure }) => {
    return { attempt: state.attempt + 1, modeBefore, afterFailure, outcome: undefined, end: undefined };
  },
  launched: () => ({ isLaunched: true }),
  takenOver: () => ({}),
  paused: (_, __, at) => ({ pausedAt: at }),
  checksStarted: (_, { attempt }, at) => ({ phase: CHECK_PHASE, checksStarted: { attempt, at } }),
  databaseValidated: () => ({ isDatabaseValidated: true }),
  indexChecked: () => ({ isIndexChecked: true }),
  checksDone: ({ reportedChecks }, { attempt, checks }) => ({
    checks: { attempt, results: checks },
    reportedChecks: withItems(reportedChecks, checks.filter(isReported).map(checkKey)),
  }),
  planStarted: (_, { attempt }) => ({ phase: PLAN_PHASE, planStartedIn: attempt }),
  planned: (_, { plan }) => ({ plan }),
  pointOfNoReturnPassed: () => ({ isPastReturn: true }),
  stepStarted: ({ started }, { step, attempt }, at) => {
    return { phase: step, started: withKey(started, step, { attempt, at }) };
  },
  stepDone: ({ done, units }, { step }) => ({ done: withItems(done, [step]), units: units + 1 }),
  workloadStarted: (state, entry) => ({ workloads: withWorkload(state, entry, {}) }),
  imagesRequested: (state, entry, at) => {
    const { attempt, receipt } = entry;
    return { workloads: withWorkload(state, entry, { requested: { attempt, at, receipt } }) };
  },
  workloadDone: (state, entry) => {
    const isCounted = isWorkloadCounted(state, entry.step, entry.workload);
    const workloads = withWorkload(state, entry, { isDone: true, isCounted: true });
    return { workloads, units: state.units + (isCounted ? 0 : 1) };
  },
  rolloutDone: ({ done }, { step }) => ({ done: withItems(done, [step]) }),
  workloadReverted: (state, entry) => ({
    workloads: withWorkload(state, entry, { isDone: false, requested: undefined }),
    done: new Set([...state.done].filter((step) => step !== entry.step)),
  }),
  waited: ({ waits }, { what, since, report }) => ({ waits: withKey(waits, waitKey(what, since), report) }),
  stepFailed: () => ({}),
  undoStarted: (_, { attempt, cause }, at) => ({ phase: UNDO_PHASE, undo: { attempt, at, cause } }),
  changesFound: ({ changedWorkloads }, { workloads }) => {
    return { changedWorkloads: withItems(changedWorkloads, workloads) };
  },
  restoreStarted: ({ restoresStarted }, { part, attempt }, at) => {
    return { restoresStarted: withKey(restoresStarted, part, { attempt, at }) };
  },
  workloadRestored: ({ restoredWorkloads }, { workload }) => {
    return { restoredWorkloads: withItems(restoredWorkloads, [workload]) };
  },
  databaseRestored: (_, { database }) => ({ isDatabaseRestored: true, restoredDatabase: database }),
  hookAbandoned: ({ abandonedHooks }, { hook }) => ({ abandonedHooks: withItems(abandonedHooks, [hook]) }),
  ended: (_, { outcome }) => ({ phase: END_PHASE, outcome: outcome.kind, end: outcome }),
};

/** Entries that follow an answer of the deployment. */
const ANSWERS: ReadonlySet<EntryKind> = new Set([
  ...(['checksDone', 'planned', 'stepDone', 'imagesRequested', 'workloadDone', 'workloadReverted'] as const),
  ...(['changesFound', 'workloadRestored', 'databaseRestored'] as const),
]);

/** The state after one more entry. */
export function fold<K extends EntryKind>(state: RunState, entry: Entry<K>, at: number): RunState {
  const answeredAt = ANSWERS.has(entry.kind) ? at : state.answeredAt;
  return { ...state, ...FOLDS[entry.kind](state, entry, at), lastKind: entry.kind, answeredAt };
}

function isEntry(value: JournalRecord['entry']): value is StoredEntry {
  return Object.hasOwn(FOLDS, value.kind);
}

/** Folds a stored journal. The entries were written by this room, so beyond kind and format their shapes are trusted. */
export function readState(job: Job, records: readonly JournalRecord[]): RunState {
  let state = initialState(job);
  for (const { entry, at } of records) {
    if (!isEntry(entry)) throw new Error(`the journal of the job ${job.id} has an unknown entry ${entry.kind}`);
    if (entry.kind === 'planned' && !isKnownFormat(entry.plan))
      throw new Error(
        `the plan of the job ${job.id} has the format ${entry.plan.format}, which this build does not know`,
      );
    state = fold(state, entryOf(entry), at);
  }
  return state;
}

export function isWorkloadDone({ workloads }: RunState, step: RolloutId, workload: string): boolean {
  return workloads.get(workloadKey(step, workload))?.isDone === true;
}

export function isWorkloadCounted({ workloads }: RunState, step: RolloutId, workload: string): boolean {
  return workloads.get(workloadKey(step, workload))?.isCounted === true;
}

/** Whether the job has begun to change the database. */
export function isDatabaseTouched({ plan, started }: RunState): boolean {
  return plan?.steps.some(({ kind, id }) => kind === 'database' && started.has(id)) ?? false;
}

/** Whether the upgrade of the database has started but is not complete. */
export function isDatabaseIncomplete({ plan, done }: RunState): boolean {
  return plan?.steps.some(({ kind, id }) => kind === 'database' && !done.has(id)) ?? false;
}
