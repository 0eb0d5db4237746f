// What needs a person because of an upgrade or of the deployment, computed from the state of both.
import { DAY } from '../foundation/clock.ts';
import { reasonOf } from '../foundation/errors.ts';
import { sentence } from '../foundation/text/sentence.ts';
import { listed } from '../foundation/text/listed.ts';
import type { Job } from '../jobs/jobStore.ts';
import type { AttentionItem, AttentionSubject } from '../model/attention.ts';
import { DeploymentOutage } from '../model/failure.ts';
import { isActive } from '../model/jobState.ts';
import type { NextAction } from '../model/nextAction.ts';
import { versionName } from '../model/version.ts';
import type { Workload } from '../model/workload.ts';
import { acceptsWrites } from '../model/workload.ts';
import { shownFailure } from './failure/shownFailure.ts';
import type { Facts } from './ports/upgradeStore.ts';
import { cursorOf, taskOf } from './values/task.ts';
import { omissionText } from './values/omission.ts';
import { failedJob } from './versions/currentVersion.ts';
import type { RunningDeployment, RunningWorkload } from './versions/runningVersions.ts';

export interface UpgradeView {
  readonly facts: Facts;
  /** Undefined if no deployment is configured; an error if it does not answer. */
  readonly running: RunningDeployment | undefined | Error;
  readonly now: number;
}

const LOOK: NextAction = { action: 'diagnostics', parameters: { of: 'deployment' } };
const NO_ADVICE = { nextActions: [], alternatives: [] };
const DEPLOYMENT: AttentionSubject = { kind: 'deployment', name: 'deployment' };

function jobName({ kind, ...job }: Job): string {
  const { from, to } = taskOf(job);
  return `The ${kind} from ${versionName(from)} to ${versionName(to)}`;
}

/** The latest job, if it waits for a person. One that was rolled back is shown for a day. */
function jobItems({ facts, now }: UpgradeView): readonly AttentionItem[] {
  const { latest } = facts;
  const failure = latest === undefined ? null : shownFailure(latest);
  if (latest === undefined || failure === null) return [];
  const { reason, nextActions, alternatives } = failure;
  const common = {
    subject: { kind: 'job', name: `${latest.kind} to ${versionName(taskOf(latest).to)}`, id: latest.id },
    job: latest.id,
    nextActions,
    alternatives,
  } as const;
  if (latest.state === 'paused') {
    const cause = `${jobName(latest)} is paused. The system stays in read-only mode until it goes on.`;
    return [{ kind: 'upgradePaused', severity: 'warning', since: null, cause, ...common }];
  }
  const since = latest.ended ?? null;
  if (failedJob(facts) !== undefined) {
    const cause = `${jobName(latest)} has failed and is not finished. ${reason}`;
    return [{ kind: 'upgradeFailed', severity: 'critical', since, cause, ...common }];
  }
  const isCancelled = cursorOf(latest).reason === 'cancelled';
  if (latest.state !== 'undone' || isCancelled || since === null || now - since >= DAY) return [];
  const cause = `${jobName(latest)} failed and was rolled back. ${reason}`;
  return [{ kind: 'upgradeRolledBack', severity: 'notice', since, cause, ...common }];
}

/** Workloads that run other images, in two groups: those that a failed job of Steward explains, and all others. */
function driftItems({ workloads, incomplete }: RunningDeployment, { facts }: UpgradeView): readonly AttentionItem[] {
  const { latest, installed } = facts;
  const last = installed.at(-1)?.version;
  if (last === undefined) return [];
  // `incompleteItems` names those that the version leaves out.
  const isLeftOut = ({ name }: Workload): boolean =>
    incomplete.some(({ container, why }) => why === 'leftOut' && container.startsWith(`${name}/`));
  const drifted = workloads.filter(({ runs, workload }) => runs === 'other' && !isLeftOut(workload));
  const named = (isOfJob: boolean): readonly string[] =>
    drifted.filter((one) => one.isOfJob === isOfJob).map(({ workload }) => workload.name);
  const [ofJob, others] = [named(true), named(false)];
  const common = { kind: 'drift', severity: 'warning', subject: DEPLOYMENT, since: null } as const;
  const items: AttentionItem[] = [];
  if (ofJob.length > 0 && latest !== undefined && !isActive(latest.state)) {
    const cause = `These workloads are between two versions, because Steward's own ${latest.kind} to ${versionName(taskOf(latest).to)} has not finished them: ${listed(ofJob)}.`;
    items.push({ ...common, ...NO_ADVICE, cause, job: latest.id });
  }
  if (others.length > 0) {
    const cause = `These workloads run other images than those of ${versionName(last)}, and Steward did not set them: ${listed(others)}. Find out who changed them; the plan of the next upgrade says what can be done.`;
    items.push({ ...common, cause, job: null, nextActions: [LOOK], alternatives: [] });
  }
  return items;
}

/** The installed version, if the deployment lacks a part of it. */
function incompleteItems({ incomplete }: RunningDeployment, { facts }: UpgradeView): readonly AttentionItem[] {
  const last = facts.installed.at(-1)?.version;
  if (last === undefined || incomplete.length === 0 || failedJob(facts) !== undefined) return [];
  const parts = listed(incomplete.map(omissionText), '; ');
  const whys = new Set(incomplete.map(({ why }) => why));
  const todo = [
    ...(whys.has('absent') ? ['Install the missing workloads, or a version that does not name them.'] : []),
    ...(whys.has('leftOut') ? ['Install a version that names the containers that keep their images.'] : []),
  ];
  const cause = [`${versionName(last)} is not complete: ${parts}.`, ...todo].join(' ');
  const common = {
    kind: 'versionIncomplete',
    severity: 'warning',
    subject: DEPLOYMENT,
    since: null,
    job: null,
  } as const;
  return [{ ...common, cause, nextActions: [LOOK], alternatives: [] }];
}

function unhealthyItems(workloads: readonly RunningWorkload[], { facts }: UpgradeView): readonly AttentionItem[] {
  const job = facts.latest !== undefined && isActive(facts.latest.state) ? facts.latest : failedJob(facts);
  return workloads.flatMap(({ workload: { name, trouble }, runs, isOfJob }): AttentionItem[] => {
    const ofJob = runs === 'next' || isOfJob ? job : undefined;
    // A running job replaces pods and reports its own trouble.
    if (trouble === undefined || (ofJob !== undefined && isActive(ofJob.state))) return [];
    const advice = ofJob === undefined ? { nextActions: [LOOK], alternatives: [] } : NO_ADVICE;
    const subject = { kind: 'workload', name } as const;
    const cause = `The workload ${name} is unhealthy: ${trouble}`;
    return [
      {
        kind: 'workloadUnhealthy',
        severity: 'warning',
        subject,
        since: null,
        cause,
        job: ofJob?.id ?? null,
        ...advice,
      },
    ];
  });
}

/** While a job runs, it closes the database on purpose. */
function databaseItems({ inventory }: RunningDeployment, { facts }: UpgradeView): readonly AttentionItem[] {
  if (facts.latest !== undefined && isActive(facts.latest.state)) return [];
  const failed = failedJob(facts);
  const advice = failed === undefined ? { nextActions: [LOOK], alternatives: [] } : NO_ADVICE;
  const common = { subject: { kind: 'database', name: 'database' }, since: null, job: failed?.id ?? null } as const;
  const trouble = inventory.database?.trouble;
  const writer = 'No database instance accepts writes.';
  return [
    ...(acceptsWrites(inventory)
      ? []
      : [{ kind: 'databaseWithoutWriter', severity: 'critical', cause: writer, ...common, ...advice } as const]),
    ...(trouble === undefined
      ? []
      : [{ kind: 'databaseTrouble', severity: 'warning', cause: trouble, ...common, ...advice } as const]),
  ];
}

function unansweredItem(error: Error): AttentionItem {
  const remedies = error instanceof DeploymentOutage ? (error.remedy.nextActions ?? []) : [];
  return {
    kind: 'deploymentNotAnswering',
    severity: 'critical',
    subject: DEPLOYMENT,
    since: null,
    cause: `The deployment does not answer: ${sentence(reasonOf(error))}`,
    job: null,
    nextActions: [...remedies, LOOK],
    alternatives: [],
  };
}

export function upgradeAttention(view: UpgradeView): readonly AttentionItem[] {
  const { running } = view;
  const items = jobItems(view);
  if (running === undefined) return items;
  if (running instanceof Error) return [...items, unansweredItem(running)];
  return [
    ...items,
    ...databaseItems(running, view),
    ...unhealthyItems(running.workloads, view),
    ...driftItems(running, view),
    ...incompleteItems(running, view),
  ];
}
