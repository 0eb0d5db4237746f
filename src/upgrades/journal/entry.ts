// The journal of an upgrade: what happened, in order. Recovery depends on these entries alone (runState.ts folds them),
// and messages are derived from them (describe.ts). An entry, its messages and the change it reports are one transaction.
import type { Hook } from '../../model/hook.ts';
import type { AfterFailure, Mode } from '../../model/mode.ts';
import type { Inventory } from '../../model/workload.ts';
import type { Omission } from '../values/omission.ts';
import type { Plan, RolloutId, StepId } from '../values/plan.ts';
import type { Failure } from '../../model/failure.ts';
import type { Check } from '../ports/deployment.ts';
import type { RestorePoint } from '../ports/upgradeStore.ts';
import type { Target } from '../values/target.ts';

/** Why the changes of a job are undone. */
export type UndoCause = { readonly kind: 'cancelled' } | { readonly kind: 'failed'; readonly failure: Failure };

/** The deployment as a job that failed has left it. */
export interface Found {
  /** Whether a database instance accepts writes. If none does, the system stays in read-only mode. */
  readonly acceptsWrites: boolean;
  /** Undefined if Steward does not manage the database, or the deployment did not answer. */
  readonly database: Inventory['database'];
  /** How many workloads of the plan run what; undefined if the deployment did not answer. */
  readonly workloads:
    | {
        readonly updated: number;
        /** Workloads that run the release of a job that goes on to its latest patch. */
        readonly between: number;
        readonly previous: number;
        /** Workloads that are configured with their new images and do not run them completely. */
        readonly unfinished: readonly string[];
        /** Workloads that run neither their new nor their previous images. */
        readonly other: readonly string[];
        /** Workloads of which no replica runs, or that are not there any more. Older journals do not have them. */
        readonly notRunning?: readonly string[] | undefined;
        /** `advice` is what to do about it, if the deployment knows. */
        readonly unhealthy: readonly {
          readonly workload: string;
          readonly trouble: string;
          readonly advice?: string | undefined;
          readonly nextActions?: Failure['nextActions'];
        }[];
      }
    | undefined;
}

/** Why something could not be undone. */
export interface UndoFailure extends Failure {
  /** The workloads that were not undone because of it. */
  readonly workloads?: readonly string[];
}

export type Outcome =
  /** `incomplete`: the containers that do not run the images of the version; absent if all do. */
  | { readonly kind: 'succeeded'; readonly incomplete?: readonly Omission[] }
  /** After the point of no return: the job stops at `step` (its title), and `retry` continues there. */
  | { readonly kind: 'stopped'; readonly failure: Failure; readonly step: string; readonly found: Found }
  | { readonly kind: 'undone' }
  | { readonly kind: 'undoIncomplete'; readonly failures: readonly UndoFailure[]; readonly found: Found };

interface Fields {
  /** Written in the transaction that accepts the job. */
  readonly accepted: {
    readonly targets: readonly Target[];
    /** Steps that a failed job has done, if this job completes it. */
    readonly alreadyDone: readonly StepId[];
    readonly isPastReturn: boolean;
    readonly modeBefore: Mode;
  };
  /** Written on behalf of a person who controls the job, not by its session. */
  readonly resumed: { readonly by: string };
  readonly cancelled: { readonly by: string };
  /** `modeBefore` is the mode to return to, if a person has changed it since the failure; `afterFailure` replaces that of the task. */
  readonly retried: {
    readonly by: string;
    readonly modeBefore: Mode | undefined;
    readonly afterFailure?: AfterFailure | undefined;
  };

  /** A session started the job, or continued it after another session. */
  readonly launched: object;
  readonly takenOver: object;
  readonly paused: object;

  readonly checksStarted: { readonly attempt: number };
  readonly databaseValidated: { readonly result: string };
  readonly indexChecked: object;
  readonly checksDone: { readonly attempt: number; readonly checks: readonly Check[] };
  readonly planStarted: { readonly attempt: number };
  /** `declared` is the restore point that made a hook for one unnecessary. */
  readonly planned: { readonly plan: Plan; readonly declared?: RestorePoint | undefined };

  readonly pointOfNoReturnPassed: { readonly step: StepId };
  readonly stepStarted: { readonly step: StepId; readonly attempt: number };
  /** `lines` are the last log lines of a hook, or the result of a database phase. */
  readonly stepDone: { readonly step: StepId; readonly tookMs: number; readonly lines: readonly string[] };
  readonly workloadStarted: { readonly step: RolloutId; readonly workload: string };
  readonly imagesRequested: {
    readonly step: RolloutId;
    readonly workload: string;
    readonly attempt: number;
    /** What the deployment answered to the request, for its own use. */
    readonly receipt?: string | undefined;
  };
  readonly workloadDone: { readonly step: RolloutId; readonly workload: string; readonly tookMs: number };
  readonly rolloutDone: { readonly step: RolloutId };
  /** A workload that was done does not run its new images any more; it is updated again. */
  readonly workloadReverted: { readonly step: RolloutId; readonly workload: string };
  /** Something that began at `since` is not done yet. `report` numbers the reports of one wait. */
  readonly waited: {
    readonly what: string;
    readonly since: number;
    readonly report: number;
    readonly detail: string;
    readonly until: string;
  };

  readonly stepFailed: { readonly failure: Failure };
  readonly undoStarted: { readonly attempt: number; readonly cause: UndoCause };
  /** The workloads that did not run their previous images when the undo began. */
  readonly changesFound: { readonly workloads: readonly string[] };
  /** `part` is a workload or the database, in the words of the messages. */
  readonly restoreStarted: { readonly part: string; readonly attempt: number };
  readonly workloadRestored: { readonly workload: string };
  /** `database` is how it was found afterwards, if the deployment answered. */
  readonly databaseRestored: { readonly database?: Inventory['database'] | undefined };
  /** A hook that was under way when the undo began. `reason` is why it could not be stopped; undefined if it was. */
  readonly hookAbandoned: { readonly hook: Hook; readonly reason: string | undefined };
  /** `modeNotShown` is why the end of read-only mode cannot be shown to the workloads; undefined if it can. */
  readonly ended: { readonly outcome: Outcome; readonly modeNotShown?: Failure | undefined };
}

export type EntryKind = keyof Fields;

/** Every entry, or with a kind the entry of that kind. */
export type Entry<K extends EntryKind = EntryKind> = { [P in K]: { readonly kind: P } & Fields[P] }[K];

export type ControlEntry = Entry<'resumed' | 'cancelled' | 'retried'>;
