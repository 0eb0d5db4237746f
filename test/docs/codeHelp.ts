// What to do about each message of an upgrade and each error of a request. docs/troubleshooting.md is made of these tables and of the
// tables of messages and errors, so that codes and texts are written once.
import type { ErrorCode } from '../../src/foundation/errors.ts';
import type { MessageName } from '../../src/upgrades/journal/messages.ts';

export interface MessageHelp {
  readonly means: string;
  readonly lookAt: string;
  readonly act: string;
}

const UPGRADES = '[upgrades.md](upgrades.md#troubleshooting)';

/** The messages after which a person decides something, in the order of their codes. */
export const MESSAGE_HELP: Partial<Readonly<Record<MessageName, MessageHelp>>> = {
  paused: {
    means: 'A person paused the job. It starts no new work, and the system is read-only until the job ends.',
    lookAt: 'Who paused it: `security/audit`. Rollouts that had begun are left to the deployment.',
    act: '`resume`, or `cancel` before the point of no return (2925).',
  },
  takenOver: {
    means:
      'The process that ran the job was stopped or died, and a server continues the job. Nothing is lost, and no step is done twice.',
    lookAt: 'If it repeats every few seconds: the clocks of the replicas (`timedatectl`), and restarts of the server.',
    act: 'Nothing, if it comes once. Otherwise synchronise the clocks, or remove the cause of the restarts.',
  },
  noRestorePoint: {
    means: 'You cannot go back from this release after its point of no return, unless you have your own backup.',
    lookAt: 'The reason in the text: a person waived it, or the deployment has no hook `backup`.',
    act: 'If that is not what you want, cancel the job before the point of no return and [declare a restore point](upgrades.md#restore-points).',
  },
  checkWarned: {
    means: 'A check has found something that may cause trouble. The job continues.',
    lookAt: `The text of the check, and its row in ${UPGRADES}.`,
    act: 'Decide whether it matters. If it does, cancel the job before the point of no return.',
  },
  checkFailed: {
    means:
      'A check failed when the job ran it again, so the job ends before it changes anything. 2991 follows, and `job.reason` is `checksFailed`.',
    lookAt: `The text of the check, and its row in ${UPGRADES}.`,
    act: 'Do what the text says, then start the upgrade again.',
  },
  pointOfNoReturn: {
    means: 'From here on, the job cannot be cancelled. A failure stops the job (2990) instead of rolling it back.',
    lookAt: 'The step that the text names, in the plan.',
    act: 'Nothing. If the job fails later, remove the cause and `retry`.',
  },
  hookStillRuns: {
    means: 'The job is rolled back, but a hook that it had started may still change something.',
    lookAt: 'The hook itself; on Kubernetes its Job (`kubectl get jobs`).',
    act: 'Wait until it has ended, or stop it, before you start another job.',
  },
  undoFailed: {
    means: 'A workload or the database could not be restored. Steward restores the rest, and 2992 ends the job.',
    lookAt: 'The reason in the text, and 2951 after it.',
    act: 'As for 2992.',
  },
  stepFailed: {
    means:
      'A step failed and is not tried again. Before the point of no return a rollback follows (2930), after it the end (2990).',
    lookAt: `The reason and the last log lines in the text; ${UPGRADES} lists the reasons that we have provoked, and [kubernetes.md](kubernetes.md#when-something-fails) those of a cluster.`,
    act: 'What 2951, the next message, says.',
  },
  advice: {
    means: 'What to do about the failure in the message before it. The last message of the job repeats it.',
    lookAt: 'The message before it: 2950 or 2935.',
    act: 'What the text says.',
  },
  stillWaiting: {
    means: 'Something takes longer than 10 seconds. Steward asks again and again until the time limit in the text.',
    lookAt: 'The state in the text: which pods are not ready, or why the deployment does not answer.',
    act: 'Help it: free a node, correct a probe, repair the network. Or cancel the job before the point of no return. If it only needs longer, raise `STEWARD_UPGRADE_DEADLINE_SECONDS` and restart the server.',
  },
  modeNotShown: {
    means:
      'The job leaves read-only mode, and the deployment does not accept the change by which the workloads would see that.',
    lookAt: 'The reason in the text. On Kubernetes: `kubectl get configmap steward-mode -o yaml`.',
    act: 'What the text says, such as granting the right. Steward then writes the mode by itself, also if the job has ended long ago.',
  },
  readOnlyKept: {
    means: 'The job has failed while no database instance accepts writes, so the system stays read-only.',
    lookAt: 'The state of both instances in the last message, 2990 or 2992.',
    act: 'Repair the database, then `retry`: a job that succeeds ends the mode. End it by hand (`isReadOnly=false` at `mode`; before that, it needs `force=true`) only when the database accepts writes.',
  },
  readOnlyKeptAfterFailure: {
    means:
      'The job has failed between two versions, so the system stays read-only: what is written now may be lost when it is repaired or restored.',
    lookAt: 'The cause in the last message, 2990 or 2992.',
    act: '`retry`, or `adopt` the version that runs: a success ends the mode. If writes must go on before that, end it by hand (`isReadOnly=false` at `mode`).',
  },
  readOnlyKeptByHand: {
    means: 'The job has failed between two versions, and a person had set read-only mode before it.',
    lookAt: 'The reason in the text, and the cause in the last message, 2990 or 2992.',
    act: '`retry`, or `adopt` the version that runs. Then end the mode by hand (`isReadOnly=false` at `mode`).',
  },
  upgradeStopped: {
    means:
      'The job stopped after the point of no return, and owns the deployment until it is finished. Its state is `failed`.',
    lookAt:
      'The text: it counts the workloads by version, names the unhealthy ones, and gives the state of the database, the cause and the next request.',
    act: `Remove the cause, then \`retry\`. If the version is to be abandoned, ${UPGRADES} describes the two other ways out.`,
  },
  rolledBack: {
    means: 'The job failed or was cancelled, and the deployment runs what it ran before. Its state is `rolled_back`.',
    lookAt: 'The cause at the end of the text. After a cancel there is none; 2903 says who cancelled.',
    act: 'Remove the cause, then send the request that the text gives.',
  },
  undoIncomplete: {
    means:
      'The job failed or was cancelled, and not everything could be rolled back. It owns the deployment until it is finished. Its state is `failed`.',
    lookAt: 'The text: what runs which version, the state of the database, and why each part was not restored.',
    act: 'Remove the cause, then `retry`, which rolls back the rest. If you have restored it by other means, [`adopt`](upgrades.md#a-deployment-that-steward-did-not-install) what runs, with `force=true`.',
  },
};

export interface StepHelp {
  readonly does: string;
  readonly lookAt: string;
}

/** What happens while the messages of a step are the last ones. A step of the table of messages without a row is a failed test. */
export const STEP_HELP: Readonly<Record<string, StepHelp>> = {
  start: {
    does: 'The job waits for a server that runs it: less than a second, or up to 15 seconds after a server died.',
    lookAt: '`/readyz` of each replica, and the log of the one that runs the job.',
  },
  diagnostics: {
    does: 'The checks ask the deployment, the registry and the database, and the hook `index-prerequisite` runs. Nothing has been changed.',
    lookAt: 'Whether Steward can reach the API of the cluster, the registry and the database: `steward doctor`.',
  },
  plan: {
    does: 'Steward computes the steps and stores them. Nothing has been changed.',
    lookAt: 'As for the checks: the plan asks the deployment what runs.',
  },
  backup: {
    does: 'The hook `backup` creates the restore point. It takes as long as your backup does.',
    lookAt: 'The log of the hook.',
  },
  objects: {
    does: 'Objects of the version are created, changed or removed.',
    lookAt: 'The plan, which lists them with their fields, and kubectl describe of the object that is named.',
  },
  volumes: { does: 'Volumes are created or expanded.', lookAt: 'The claims and their events in the cluster.' },
  licence: { does: 'The licence is given to the deployment.', lookAt: 'The rights of Steward on Secrets.' },
  database: {
    does: 'The pair of databases is switched and upgraded. Clients can read; they cannot write until 2093.',
    lookAt:
      'The log of both servers, and the output of `STEWARD_DATABASE_COMMAND`; [database.md](database.md#what-happens-step-by-step) has each phase.',
  },
  workloads: {
    does: 'Workloads get their new images, and Steward waits for their rollouts.',
    lookAt: 'Message 2960 names what a rollout waits for. `kubectl get pods`, and the log of a pod that is not ready.',
  },
  'portal-content': { does: 'The hook `portal-content` runs.', lookAt: 'The log of the hook.' },
  'post-upgrade': { does: 'The last three hooks follow.', lookAt: 'The log of the hook that runs.' },
  logging: { does: 'The hook `logging` runs.', lookAt: 'The log of the hook.' },
  'auto-deployed-services': { does: 'The hook `auto-deployed-services` runs.', lookAt: 'The log of the hook.' },
  'search-indices': {
    does: 'The hook `search-indices` runs, which may take long for large indices.',
    lookAt: 'The log of the hook.',
  },
  undo: {
    does: 'Steward restores what differs from before the job. A rollback cannot be paused or cancelled.',
    lookAt: 'Message 2960, and the pods of the workloads that are restored.',
  },
  any: { does: 'A message that can come in every step.', lookAt: 'The messages before it, which belong to a step.' },
  end: { does: 'The job has ended.', lookAt: 'The last message: 2012 or 2980 is success; the others are above.' },
};

export interface ErrorHelp {
  readonly means: string;
  readonly act: string;
}

/** What to do about each error of a request. */
export const ERROR_HELP: Readonly<Record<ErrorCode, ErrorHelp>> = {
  invalid: {
    means: 'a field, the body or the address is not valid; nothing was changed',
    act: 'correct what `details` names',
  },
  tokenInvalid: {
    means: 'the token is unknown, has expired, was revoked, or is bound to another client',
    act: 'sign in again; [access.md](access.md#tokens) lists what ends a token',
  },
  tokenMissing: { means: 'the operation needs a token', act: 'send one as `Authorization: Bearer …`' },
  forbidden: {
    means: 'the role, or the service of a named token, is not sufficient; or the CSRF token of a session is missing',
    act: 'use an account with the [role](access.md#roles) that the message names',
  },
  notFound: { means: 'there is nothing under this name, id or address', act: 'check the spelling; list the parent' },
  methodNotAllowed: { means: 'the address takes another method', act: 'use a method of the header `Allow`' },
  requestTimeout: {
    means: 'the body arrived too slowly',
    act: 'send it again; [operations.md](operations.md#limits) has the limits',
  },
  conflict: {
    means:
      'the state does not allow it: a name is taken, a revision has changed, a check has failed, or a job is running',
    act: 'read the message and `details`; during a job, watch it at `system/upgrades`',
  },
  tooLarge: {
    means: 'the body or a file is too large',
    act: 'send less; [operations.md](operations.md#limits) has the limits',
  },
  headTooLarge: { means: 'the head of the request is larger than 16 KiB', act: 'send fewer or shorter headers' },
  unsupportedMedia: {
    means: 'the content type or the content encoding is not supported',
    act: 'send a form, JSON or a SOAP envelope, without compression unless it is SOAP',
  },
  throttled: {
    means: 'too many failed sign-ins of this account from this address, or from this address',
    act: 'wait for `Retry-After`; behind a proxy, check `STEWARD_TRUSTED_PROXIES` ([access.md](access.md#failed-sign-ins))',
  },
  internal: {
    means: 'a fault of Steward; nothing was changed',
    act: 'report it with the `X-Request-Id` of the response and the log lines that have it',
  },
  readOnly: {
    means: 'the system is in read-only mode, set by a person or by a job that the message names',
    act: 'try again after `Retry-After`; see `{root}/mode`',
  },
  unavailable: {
    means: 'the store, the deployment or the disk is not available now, or too much arrives at once',
    act: 'try again after `Retry-After`; `/readyz` and [operations.md](operations.md#if-the-store-has-a-problem) say why',
  },
};
