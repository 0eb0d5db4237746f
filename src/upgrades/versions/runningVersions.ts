import { cacheFor } from '../../foundation/cache/cacheFor.ts';
import type { Clock } from '../../foundation/clock.ts';
import { SECOND } from '../../foundation/clock.ts';
import type { Job } from '../../jobs/jobStore.ts';
import { isActive } from '../../model/jobState.ts';
import type { Version } from '../../model/version.ts';
import type { Inventory, Workload } from '../../model/workload.ts';
import type { ReferenceFor } from './images.ts';
import { imagesOf, imagesToRun, isDrifted } from './images.ts';
import type { Omission } from '../values/omission.ts';
import { leftOutContainers, omissionsOf } from './omissions.ts';
import type { Deployment } from '../ports/deployment.ts';
import type { Facts, UpgradeStore } from '../ports/upgradeStore.ts';
import { taskOf } from '../values/task.ts';

/** What a workload runs: the installed version, the one that a job installs, something else, or nothing that a version names. */
export type RunningVersion = 'installed' | 'next' | 'other' | 'unnamed';

export interface RunningWorkload {
  readonly workload: Workload;
  readonly runs: RunningVersion;
  /** Whether it is configured with images of the latest job or of before it, so that the job explains what it runs. */
  readonly isOfJob: boolean;
}

/** The versions that the latest job installs, one after the other, if it has not ended. */
function nextVersions(latest: Job | undefined, known: readonly Version[]): readonly Version[] {
  if (latest === undefined || !(isActive(latest.state) || latest.state === 'failed')) return [];
  const { versionId, to } = taskOf(latest);
  const isLast = ({ version, build }: Version): boolean => version === to?.version && build === to.build;
  // A release may continue to its latest patch.
  return [...known.filter(({ id }) => id === versionId), ...known.filter((one) => one.id !== versionId && isLast(one))];
}

/** Compares what runs with the installed versions and with those of the job. */
export function runningWorkloads(
  { workloads }: Inventory,
  { installed, known, latest }: Pick<Facts, 'installed' | 'known' | 'latest'>,
  referenceFor: ReferenceFor,
): readonly RunningWorkload[] {
  const present = installed.map(({ version }) => version);
  const next = nextVersions(latest, known);
  const imagesNow = imagesOf(referenceFor, present);
  const stages = next.map((_, n) => imagesOf(referenceFor, [...present, ...next.slice(0, n + 1)]));
  const imagesLast = stages.at(-1) ?? imagesNow;
  const isNamed = (workload: Workload): boolean =>
    imagesLast(workload).some((image, n) => image !== workload.images[n]);
  const leftOut = new Set(leftOutContainers(present, workloads).map(({ workload }) => workload));
  return workloads.map((workload) => {
    if (!isNamed(workload)) return { workload, runs: 'unnamed', isOfJob: false };
    const images = imagesToRun(workload);
    // What the job does not change counts as installed.
    if (!leftOut.has(workload) && !isDrifted(images, imagesNow(workload)))
      return { workload, runs: 'installed', isOfJob: false };
    const isNext = stages.some((imagesThen) => !isDrifted(images, imagesThen(workload)));
    // The rollout of a failed job may stop half-way: then the checksums are those of the old pods.
    const configured = images.map((image) => ({ ...image, checksum: undefined }));
    const isOfJob = next.length > 0 && [imagesNow, ...stages].some((then) => !isDrifted(configured, then(workload)));
    return { workload, runs: isNext ? 'next' : 'other', isOfJob };
  });
}

/** What the deployment runs. */
export interface RunningDeployment {
  readonly inventory: Inventory;
  readonly workloads: readonly RunningWorkload[];
  /** What the installed versions leave out. */
  readonly incomplete: readonly Omission[];
}

/** Makes the function that tells what the deployment runs; undefined if none is configured. Many readers cost one look a second. */
export function createRunningView({
  deployment,
  store,
  clock,
}: {
  readonly deployment: Deployment | undefined;
  readonly store: Pick<UpgradeStore, 'facts'>;
  readonly clock: Clock;
}) {
  return cacheFor(clock, SECOND, async (): Promise<RunningDeployment | undefined> => {
    if (deployment === undefined) return undefined;
    const [inventory, facts] = await Promise.all([deployment.inventory(), store.facts()]);
    const installed = facts.installed.map(({ version }) => version);
    const incomplete: readonly Omission[] = omissionsOf(installed, inventory.workloads);
    return { inventory, workloads: runningWorkloads(inventory, facts, deployment.referenceFor), incomplete };
  });
}
