import { StewardError } from '../../foundation/errors.ts';
import { newJob } from '../../jobs/jobStore.ts';
import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import { isActive } from '../../model/jobState.ts';
import type { Mode } from '../../model/mode.ts';
import { OPEN_MODE, modeEvent } from '../../model/mode.ts';
import { versionName } from '../../model/version.ts';
import { applyEntries } from '../journal/describe.ts';
import { withoutActions } from '../failure/shownFailure.ts';
import type { Entry } from '../journal/entry.ts';
import { initialState } from '../journal/runState.ts';
import type { Facts, LockedFacts, NewVersions, UpgradeChange } from '../ports/upgradeStore.ts';
import { ROLLBACK } from '../ports/upgradeStore.ts';
import { upgradeEvent } from '../journal/upgradeEvent.ts';
import type { Cursor, JobSpec, Task } from '../values/task.ts';
import { taskOf } from '../values/task.ts';

/** The mode of the system while a job runs. */
export function jobMode({ from, to }: Task, kind: string): Mode {
  const what = kind === ROLLBACK ? 'A rollback' : 'An upgrade';
  return {
    isReadOnly: true,
    message: `${what} from ${versionName(from)} to ${versionName(to)} is running. Watch it at system/upgrades.`,
    setBy: 'job',
  };
}

/** Throws if a job is running. */
export function refuseSecondJob({ latest }: Pick<Facts, 'latest'>): void {
  if (latest === undefined || !isActive(latest.state)) return;
  throw new StewardError(
    'conflict',
    `The job ${latest.id} is running: ${latest.kind} to ${versionName(taskOf(latest).to)}.`,
    { details: [`Watch it at system/upgrades, and control it at system/jobs/${latest.id}.`] },
  );
}

export interface AcceptedJob {
  readonly id: string;
  readonly kind: string;
  readonly spec: JobSpec;
  readonly now: number;
  /** Versions to add in the same transaction. */
  readonly addVersions: NewVersions;
  /** A licence that came with the request, to be kept as an upload. */
  readonly addUpload: NonNullable<UpgradeChange['addJob']>['addUpload'];
}

/** Decides the transaction that accepts a job: the job, its first messages, and read-only mode. */
export function acceptJob(facts: LockedFacts, by: Actor, accepted: AcceptedJob): Decision<UpgradeChange> {
  refuseSecondJob(facts);
  if (facts.mode.setBy === 'job')
    throw new StewardError('conflict', 'Another job holds read-only mode. Try again when it has ended.');
  const { id, kind, spec, addUpload, addVersions } = accepted;
  const { targets, isPastReturn } = spec;
  // The latest job is the one that was started last, even if the clocks of the replicas differ.
  const started = Math.max(accepted.now, (facts.latest?.started ?? 0) + 1);
  const task: Task = { ...spec.task, licenceUpload: addUpload?.id ?? spec.task.licenceUpload };
  const cursor: Cursor = { isPastReturn };
  const job = newJob({ id, kind, task, cursor, total: 0, startedBy: by.name, started, phase: 'start' });
  const alreadyDone = [...spec.alreadyDone];
  // A job that finishes a failed one ends the mode that the failure has left on.
  const modeBefore: Mode = facts.mode.setBy === 'failure' ? OPEN_MODE : facts.mode;
  const entries: readonly Entry[] = [{ kind: 'accepted', targets, alreadyDone, isPastReturn, modeBefore }];
  const { state, messages } = applyEntries(initialState(job), entries, started);
  const mode = jobMode(task, kind);
  const { versionId, planHash, isRestorePointWaived: withoutRestorePoint, afterFailure, acknowledged } = task;
  return {
    change: {
      ...withoutActions(facts.latest, 'Nothing: a later job has taken its place.'),
      addVersions,
      mode,
      addJob: { job, entries, messages, addUpload, usesUpload: task.licenceUpload },
    },
    announce: [upgradeEvent('upgrade.started', state.job), ...modeEvent(facts.mode, mode)],
    audit: [
      {
        action: `${kind}.start`,
        target: `job ${id}`,
        before: { version: versionName(task.from) },
        after: {
          id: versionId,
          version: versionName(task.to),
          withoutRestorePoint,
          ...(acknowledged !== undefined && { acknowledge: acknowledged.join(', ') }),
          planHash,
          afterFailure,
        },
      },
    ],
  };
}
