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
    'Paused. The system stays in read-only mode until the job has ended; resume or cancel it at system/jobs/{job}.',
  ),
  resumed: row(2902, 'any', 'resumed', 'Resumed by {who}.'),
  cancelled: row(2903, 'any', 'cancelled', 'Cancelled by {who}. Everything will be put back.'),
  retried: row(
    2904,
    'any',
    'retried after a failure',
    'Retried by {who}: it goes on from the step that failed. The system is in read-only mode again.',
  ),
  takenOver: row(
    2905,
    'any',
    'a server continues a job that it or another server had started',
    'The job was taken up again and goes on from here.',
  ),
  backupStarted: row(2910, 'backup', 'release: before the hook `backup`', 'A restore point is being made.'),
  backupCompleted: row(2911, 'backup', 'the hook is done', 'The restore point is made.{lines}'),
  noRestorePoint: row(
    2912,
    'backup',
    'release without the hook `backup`',
    'No restore point is made by this job: {why}.',
  ),
  volumesReady: row(2915, 'volumes', 'volumes were created or expanded', 'Volumes are ready: {volumes}.'),
  licenceDelivered: row(2916, 'licence', 'the deployment has the licence', 'The licence was handed to the deployment.'),
  checkWarned: row(2920, 'diagnostics', 'a check has a warning', 'Check {name}, warning: {text} {todo}'),
  checkFailed: row(2921, 'diagnostics', 'a check failed', 'Check {name}, failed: {text} {todo}'),
  pointOfNoReturn: row(
    2925,
    'any',
    'before the first step that cannot be undone',
    'Point of no return: from here on ({step}) the job goes forward only.',
  ),
  undoStarted: row(
    2930,
    'undo',
    'before the point of no return, after a failure or a cancel',
    'What was changed is being put back.',
  ),
  workloadRestored: row(
    2931,
    'undo',
    'a workload runs its previous image again',
    'The workload {workload} runs its former image {image} again.',
  ),
  databaseRestored: row(
    2932,
    'undo',
    'the database is restored',
    'The relational database is as it was before: {primary} is the primary again, in read-write mode.',
  ),
  hookStopped: row(
    2933,
    'undo',
    'a hook that was under way is stopped',
    'The hook {hook} was under way and has been stopped.',
  ),
  hookStillRuns: row(
    2934,
    'undo',
    'a hook that was under way could not be stopped',
    'The hook {hook} was under way and could not be stopped: {reason}. It may still run; wait until it has ended before you start again.',
  ),
  undoFailed: row(2935, 'undo', 'something could not be rolled back', 'Could not be put back: {reason}'),
  stepFailed: row(2950, 'any', 'a step failed permanently', '{reason}{lines}'),
  advice: row(2951, 'any', 'after 2950', 'What to do: {advice}'),
  stillWaiting: row(
    2960,
    'any',
    'something takes long: after 10 s, then once a minute for each',
    'Still waiting for {what} after {elapsed}: {detail}. It is given up at {until}.',
  ),
  rollbackSucceeded: row(
    2980,
    'end',
    'a rollback succeeded, last',
    'Rolled back from {from} to {to} in {hh} hh {min} min {sec} sec {millisec} millisec.{simulated}',
  ),
  readOnlyKept: row(
    2985,
    'end',
    'instead of 2166, if no database instance accepts writes',
    'The system stays in read-only mode, because no database instance accepts writes. A successful retry ends it; an administrator can end it at mode.',
  ),
  upgradeStopped: row(
    2990,
    'end',
    'failed, last',
    'The upgrade from {from} to {to} stopped at "{step}", after the point of no return. {census} Remove the cause, then continue with POST system/jobs/{job}/retry.',
  ),
  rolledBack: row(
    2991,
    'end',
    'rolled back, last',
    'The deployment is at {from} as before: {what} Start again with {kind} {next}.',
  ),
  undoIncomplete: row(
    2992,
    'end',
    'something could not be rolled back, last',
    'The {kind} from {from} to {to} was stopped, but not everything could be rolled back. {census} Remove the cause, then continue the rollback with POST system/jobs/{job}/retry.',
  ),
} as const satisfies Readonly<Record<string, MessageRow>>;
