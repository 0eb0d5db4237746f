import type { NewFault } from '../../../src/drivers/simulated/state/injectedFault.ts';
import type { JobState } from '../../../src/model/jobState.ts';
import { CODE } from './codes.ts';
import type { Hook } from '../../../src/model/hook.ts';
import { HOOKS } from '../../../src/model/hook.ts';

/** Hooks that run before the database and the workloads are changed, in their order. A release whose early hook fails is undone. */
export const EARLY_HOOKS = ['index-prerequisite', 'backup'] as const satisfies readonly Hook[];

export type FinalHook = Exclude<Hook, (typeof EARLY_HOOKS)[number]>;

/** Hooks that run when all workloads are updated, in their order. A release whose final hook fails stops there. */
export const FINAL_HOOKS: readonly FinalHook[] = HOOKS.filter(
  (hook): hook is FinalHook => !EARLY_HOOKS.some((early) => early === hook),
);

export const JOB_KINDS = ['patch', 'release', 'rollback'] as const;
/** A patch with another bundle of objects than the installed version has, and its rollback. */
export const OBJECT_JOB_KINDS = ['objects', 'objectsRollback'] as const;
export type JobKindName = (typeof JOB_KINDS)[number] | (typeof OBJECT_JOB_KINDS)[number];

/** A fault in a job, and how the job must end. */
export interface FaultCase {
  readonly name: string;
  /** The message at which the faults are added; without it they are there from the start. */
  readonly when?: Readonly<Partial<Record<JobKindName, number>>>;
  readonly faults: readonly NewFault[];
  /** The control request that is sent at that message; the faults are then there from the start. A paused job is resumed at once. */
  readonly verb?: 'cancel' | 'pause';
  /** The end of each kind of job; kinds that do not meet the fault are left out. */
  readonly ends: Readonly<Partial<Record<JobKindName, JobState>>>;
  /** Whether no database instance accepts writes at the end, so that the system stays in read-only mode. */
  readonly leavesClosed?: true;
  /** Matches the message of the cause. */
  readonly names?: RegExp;
}

/** A workload that patches and releases update, and not in the first wave. */
const WORKLOAD = 'report-scheduler';
/** A workload that the patch over the release updates. */
const WORKLOAD_OF_PATCH = 'permissions';

const LATE = { patch: CODE.planExecuting, release: CODE.planExecuting, rollback: CODE.planExecuting } as const;
const UNDER_WAY = {
  patch: CODE.workloadUpdated,
  release: CODE.workloadUpdated,
  rollback: CODE.workloadUpdated,
} as const;

const SUCCEEDED = { patch: 'succeeded', release: 'succeeded', rollback: 'succeeded' } as const;
const UNDONE = { patch: 'undone', release: 'undone', rollback: 'undone' } as const;
/** The workloads of a release come after its point of no return. */
const AT_WORKLOAD = { patch: 'undone', release: 'failed', rollback: 'undone' } as const;

function atWorkload(kind: NewFault['kind']): FaultCase {
  return {
    name: `${kind} once the job is under way`,
    when: LATE,
    faults: [{ kind, workload: WORKLOAD }],
    ends: AT_WORKLOAD,
    names: new RegExp(WORKLOAD),
  };
}

function atStart(kind: NewFault['kind'], names: RegExp, workload?: string): FaultCase {
  return { name: `${kind} from the start`, faults: [{ kind, workload }], ends: UNDONE, names };
}

function atHook(hook: NewFault['hook'] & string, end: JobState): FaultCase {
  return {
    name: `hook ${hook} fails`,
    faults: [{ kind: 'hookFails', hook }],
    ends: { release: end },
    names: new RegExp(hook),
  };
}

export const NO_FAULT: FaultCase = { name: 'no fault', faults: [], ends: SUCCEEDED };

export const FAULT_CASES: readonly FaultCase[] = [
  NO_FAULT,
  atStart('imageAbsent', new RegExp(WORKLOAD), WORKLOAD),
  atStart('checksumDiffers', new RegExp(WORKLOAD), WORKLOAD),
  atStart('conflict', new RegExp(WORKLOAD), WORKLOAD),
  atStart('quota', /quota/),
  atStart('diskFull', /disk/),
  atWorkload('imageAbsent'),
  atWorkload('imageUnpullable'),
  atWorkload('checksumDiffers'),
  atWorkload('crashLoop'),
  atWorkload('slow'),
  atWorkload('conflict'),
  atWorkload('putBack'),
  {
    name: 'a node is lost',
    when: LATE,
    faults: [{ kind: 'nodeLost', workload: WORKLOAD, seconds: 5 }],
    ends: SUCCEEDED,
  },
  { name: 'the API is away for 5 s', faults: [{ kind: 'apiErrors', seconds: 5 }], ends: SUCCEEDED },
  {
    name: 'the API is away for 5 s once workloads are updated',
    when: UNDER_WAY,
    faults: [{ kind: 'apiErrors', seconds: 5 }],
    ends: SUCCEEDED,
  },
  {
    name: 'the API is away for longer than a step may take',
    when: UNDER_WAY,
    faults: [{ kind: 'apiErrors', seconds: 3000 }],
    ends: { patch: 'failed', release: 'failed', rollback: 'failed' },
    names: /object-store.*503 Service Unavailable/,
  },
  {
    name: 'crashLoop of the first workload, and of what is put back',
    when: LATE,
    faults: [{ kind: 'crashLoop' }],
    ends: AT_WORKLOAD,
    names: /object-store|scheduler/,
  },
  {
    name: 'conflict that comes when some are updated, and keeps them from being put back',
    when: { patch: CODE.patchProgress, release: CODE.releaseProgress, rollback: CODE.patchProgress },
    faults: [{ kind: 'conflict' }],
    ends: { patch: 'failed', release: 'failed', rollback: 'failed' },
    names: /are managed by/,
  },
  {
    name: 'crashLoop in the patch over the release',
    when: { ...LATE, release: CODE.modulePatchStarted },
    faults: [{ kind: 'crashLoop', workload: WORKLOAD_OF_PATCH }],
    ends: { release: 'failed' },
    names: new RegExp(WORKLOAD_OF_PATCH),
  },
  {
    name: 'the database does not come up',
    faults: [{ kind: 'databaseDown' }],
    ends: { release: 'undone' },
    names: /engine/,
  },
  {
    name: 'the database does not come up after the point of no return',
    faults: [{ kind: 'databaseDown', phase: 'readWrite' }],
    ends: { release: 'failed' },
    leavesClosed: true,
    names: /readWrite/,
  },
  {
    name: 'the database neither comes up nor can be put back',
    faults: [
      { kind: 'databaseDown', phase: 'afterEngine' },
      { kind: 'databaseDown', phase: 'restore' },
    ],
    ends: { release: 'failed' },
    leavesClosed: true,
    names: /restore/,
  },
  ...EARLY_HOOKS.map((hook) => atHook(hook, 'undone')),
  // The first and the last; the others behave in the same way.
  ...[...FINAL_HOOKS.slice(0, 1), ...FINAL_HOOKS.slice(-1)].map((hook) => atHook(hook, 'failed')),
  {
    // No rollout ends before the cancel takes effect.
    name: 'cancelled',
    when: { ...UNDER_WAY, release: CODE.engineUpgradeStarted },
    faults: [{ kind: 'slow' }],
    verb: 'cancel',
    ends: UNDONE,
  },
  {
    name: 'paused and resumed',
    when: { ...UNDER_WAY, release: CODE.deploymentStarted },
    faults: [],
    verb: 'pause',
    ends: SUCCEEDED,
  },
];
