/** One message: its code, and its text with gaps in braces. `step` and `when` are for docs/messages.md. */
export interface MessageRow<Text extends string = string> {
  readonly code: number;
  readonly step: string;
  readonly when: string;
  readonly text: Text;
}

function row<const Text extends string>(code: number, step: string, when: string, text: Text): MessageRow<Text> {
  return { code, step, when, text };
}

/** Every message: first those of the interface, in the order of a job, then Steward's own. Only this table has codes. */
export const MESSAGES = {
  upgradeStarted: row(
    2010,
    'start',
    'first, alone in the response of `upgrade`',
    'Upgrade from {from} to {to} started.{simulated}',
  ),
  readOnlyEntered: row(2165, 'start', 'second', 'The system is now in read-only mode.'),
  upgraderLaunching: row(2168, 'start', 'a server starts the job for the first time', 'The upgrader is launching.'),
  diagnosticsStarted: row(2287, 'diagnostics', 'before the checks run', 'Pre-diagnostics started.'),
  databaseValidated: row(
    2094,
    'diagnostics',
    'release: the database was inspected',
    'Validation of the relational database: {result}.',
  ),
  indexPrerequisitePassed: row(
    2281,
    'diagnostics',
    'release: the hook `index-prerequisite` passed',
    'Direct-upgrade prerequisite check of the search index passed.',
  ),
  diagnosticsCompleted: row(
    2288,
    'diagnostics',
    'after the checks',
    'Pre-diagnostics completed: {passed} passed, {warned} with a warning, {failed} failed.',
  ),
  planPreparing: row(2270, 'plan', 'before the plan is made', 'An upgrade plan is being prepared.'),
  planExecuting: row(
    2271,
    'plan',
    'the plan is stored in the journal',
    'The upgrade plan is being executed: steps {steps}, workload updates {workloads}.',
  ),
  databaseUpgradeStarted: row(
    2108,
    'database',
    'release: before the first phase',
    'Release upgrade of the relational database started.',
  ),
  primarySetReadOnly: row(
    2087,
    'database',
    'phase `readOnly` is done',
    'The primary relational-database instance {primary} is set to read-only mode.',
  ),
  standbyPromoted: row(2090, 'database', 'phase `promote` is done', 'The standby {standby} is promoted to primary.'),
  engineUpgradeStarted: row(
    2144,
    'database',
    'before the phase `engine`',
    'Database engine upgrade on {standby} started.',
  ),
  engineUpgradeFinished: row(
    2145,
    'database',
    'phase `engine` is done',
    'Database engine upgrade on {standby} finished.',
  ),
  databaseResult: row(2153, 'database', 'after 2145; the text is one JSON document', '{result}'),
  databasePostUpgradeStarted: row(2148, 'database', 'before the phase `afterEngine`', 'Database post-upgrade started.'),
  databasePostUpgradeCompleted: row(
    2149,
    'database',
    'phase `afterEngine` is done',
    'Database post-upgrade completed.',
  ),
  primarySetReadWrite: row(
    2093,
    'database',
    'phase `readWrite` is done: the point of no return has been passed',
    'The new primary {standby} is set to read-write mode.',
  ),
  rolesChanged: row(
    2151,
    'database',
    'phase `roles` is done',
    'Role change: {standby} is the primary now; everything that connects to the database was told.',
  ),
  standbyAdded: row(
    2092,
    'database',
    'phase `standby` is done',
    '{primary} is added as the new standby and replication is set up.',
  ),
  databaseUpgradeCompleted: row(
    2109,
    'database',
    'after the last phase',
    'Release upgrade of the relational database completed.',
  ),
  componentStarted: row(
    2134,
    'release',
    'before the first deployment of a component',
    'Release upgrade of the component {component} started.',
  ),
  deploymentStarted: row(
    2101,
    'release',
    'before a deployment is changed',
    'Release upgrade of the deployment {workload} started.',
  ),
  workloadUpdated: row(
    2038,
    'release, patch or rollback',
    'the new image was set on the workload',
    'The workload {workload} is updated with the image {image}.',
  ),
  deploymentCompleted: row(
    2103,
    'release',
    'the rollout is complete and the running image has the checksum',
    'Release upgrade of the deployment {workload} completed.',
  ),
  releaseProgress: row(
    2175,
    'release',
    'after each 2103',
    '{done} out of {total} deployments updated. Elapsed: {ms} ms, approximately {minutes} min.',
  ),
  componentCompleted: row(
    2132,
    'release',
    'after the last deployment of a component',
    'Release upgrade of the component {component} completed.',
  ),
  modulePatchStarted: row(
    2291,
    'patch or rollback',
    'before the first workload of a module',
    'Patch update of the module {module} started.',
  ),
  patchProgress: row(
    2173,
    'patch or rollback',
    'a workload is done',
    '{done} out of {total} deployments updated. Elapsed: {ms} ms, approximately {minutes} min.',
  ),
  portalContentStarted: row(2187, 'portal-content', 'release: before the hook', 'Update of portal content started.'),
  portalContentCompleted: row(2188, 'portal-content', 'the hook is done', 'Update of portal content completed.{lines}'),
  postUpgradeStarted: row(
    2179,
    'post-upgrade',
    'release: before the first of the three hooks that follow',
    'Post-upgrade operations started.',
  ),
  loggingStarted: row(2180, 'logging', 'before the hook', 'Post-upgrade operations for logging started.'),
  loggingSucceeded: row(2181, 'logging', 'the hook is done', 'Post-upgrade operations for logging succeeded.{lines}'),
  servicesRefreshStarted: row(
    2178,
    'auto-deployed-services',
    'before the hook',
    'Refresh of auto-deployed services started.',
  ),
  servicesRefreshCompleted: row(
    2185,
    'auto-deployed-services',
    'the hook is done',
    'Refresh of auto-deployed services completed.{lines}',
  ),
  searchIndicesStarted: row(
    2191,
    'search-indices',
    'before the hook',
    'Refresh of portal search indices for items, groups and users started.',
  ),
  searchIndicesCompleted: row(
    2192,
    'search-indices',
    'the hook is done',
    'Refresh of portal search indices for items, groups and users completed.{lines}',
  ),
  readOnlyLeft: row(2166, 'end', 'in the transaction that ends the job, for every outcome', '{left}.'),
  upgradeCompleted: row(
    2011,
    'end',
    'success',
    'Upgrade completed in {hh} hh {min} min {sec} sec {millisec} millisec.',
  ),
  upgradeSucceeded: row(
    2012,
    'end',
    'success, last',
    'Deployment upgraded successfully from {from} to {to}.{simulated}',
  ),
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

export type MessageName = keyof typeof MESSAGES;
