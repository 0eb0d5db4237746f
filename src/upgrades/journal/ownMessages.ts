import type { MessageRow } from './messageRow.ts';
import { row } from './messageRow.ts';

/** Steward's own messages: 2072 and the block 2900 to 2999. */
export const OWN_MESSAGES = {
  rollbackStarted: row(
    2072,
    'start',
    'first in a rollback, alone in the response of `rollback`',
    'Rollback from {from} to {to} started.{simulated}',
  ),
  paused: row(
    2901,
    'any',
    'paused, after the work in progress is done',
    'The job is paused. The system stays in read-only mode. To continue: POST system/jobs/{job}/resume. {cancel}',
  ),
  resumed: row(2902, 'any', 'resumed', 'Resumed by `{who}`.'),
  cancelled: row(
    2903,
    'any',
    'cancelled',
    'Cancelled by `{who}`. Workloads and the database are rolled back; volumes and the licence are left as they are.',
  ),
  retried: row(2904, 'any', 'retried after a failure', 'Retried by `{who}`. The job continues where it stopped.'),
  takenOver: row(
    2905,
    'any',
    'a server continues a job that it or another server had started',
    'A server has taken over this job and continues it.',
  ),
  backupStarted: row(2910, 'backup', 'release: before the hook `backup`', 'A restore point is being created.'),
  backupCompleted: row(2911, 'backup', 'the hook is done', 'The restore point was created.{lines}'),
  noRestorePoint: row(2912, 'backup', 'release without the hook `backup`', 'This job creates no restore point: {why}.'),
  volumesReady: row(2915, 'volumes', 'volumes were created or expanded', 'Volumes are ready: {volumes}.'),
  licenceDelivered: row(
    2916,
    'licence',
    'the deployment has the licence',
    'The licence was delivered to the deployment.',
  ),
  checkWarned: row(2920, 'diagnostics', 'a check has a warning', 'The check `{name}` has a warning: {text} {todo}'),
  checkFailed: row(2921, 'diagnostics', 'a check failed', 'The check `{name}` failed: {text} {todo}'),
  pointOfNoReturn: row(
    2925,
    'any',
    'before the first step that cannot be undone',
    'Point of no return: from the step "{step}" on, the job cannot be cancelled or rolled back.',
  ),
  undoStarted: row(
    2930,
    'undo',
    'before the point of no return, after a failure or a cancel',
    'Rolling back: Steward compares each workload and the database with their state before the job and restores what differs.',
  ),
  workloadRestored: row(
    2931,
    'undo',
    'a workload runs its previous image again',
    'The workload `{workload}` runs its previous image {image} again.',
  ),
  databaseRestored: row(
    2932,
    'undo',
    'the database is restored',
    'The relational database is restored: `{primary}` is the primary again and accepts writes.',
  ),
  hookStopped: row(2933, 'undo', 'a running hook is stopped', 'The hook `{hook}` was running and has been stopped.'),
  hookStillRuns: row(
    2934,
    'undo',
    'a running hook could not be stopped',
    'The hook `{hook}` could not be stopped and may still run: {reason}. Wait until it has ended before you start another job.',
  ),
  undoFailed: row(2935, 'undo', 'something could not be rolled back', 'Rollback failed: {reason}'),
  stepFailed: row(2950, 'any', 'a step failed permanently', '{reason}{lines}'),
  advice: row(2951, 'any', 'after 2950', 'What to do: {advice}'),
  stillWaiting: row(
    2960,
    'any',
    'something takes long: after 10 s, then once a minute for each',
    'Still waiting for `{what}` after {elapsed}: {detail}. Time limit: {until}.',
  ),
  rollbackSucceeded: row(
    2980,
    'end',
    'a rollback succeeded, last',
    'Rolled back from {from} to {to} in {hh} hh {min} min {sec} sec {millisec} millisec.{simulated}{incomplete}',
  ),
  readOnlyKept: row(
    2985,
    'end',
    'instead of 2166, if no database instance accepts writes',
    'The system stays in read-only mode, because no database instance accepts writes. A successful retry ends it. Do not end it by hand before the database accepts writes: they would fail.',
  ),
  upgradeStopped: row(
    2990,
    'end',
    'failed, last',
    'The upgrade from {from} to {to} failed at the step "{step}", after the point of no return. It is not rolled back. {rest} {census} {access}\nCause: {reason}\nWhat to do: {advice} Then continue the upgrade with POST system/jobs/{job}/retry.',
  ),
  rolledBack: row(
    2991,
    'end',
    'rolled back, last',
    'The {kind} from {from} to {to} {ended}. {undone} The deployment runs {from} as before. {access}{cause}',
  ),
  undoIncomplete: row(
    2992,
    'end',
    'something could not be rolled back, last',
    'The {kind} from {from} to {to} {ended}, and its changes could not all be rolled back. {census} {access}{cause}\nRollback failed: {reasons}\nWhat to do: {advice} Then continue the rollback with POST system/jobs/{job}/retry.{after}',
  ),
} as const satisfies Readonly<Record<string, MessageRow>>;
