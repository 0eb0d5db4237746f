import type { Job } from '../jobs/jobStore.ts';
import type { Volumes, Workload } from '../model/workload.ts';
import type { Mode } from '../model/mode.ts';
import type { Leg } from './plan/plan.ts';
import { imagesOf } from './plan/plan.ts';
import type { PreviousImages } from './ports/upgradeStore.ts';
import type { CurrentVersion, Version } from '../model/version.ts';
import { versionName } from '../model/version.ts';

/** What an upgrade or a rollback is to do, as it was accepted. */
export interface Task {
  readonly versionId: string;
  readonly from: CurrentVersion;
  readonly to: CurrentVersion;
  readonly volumes: Volumes;
  /** The upload that is kept for the job; its content is not in the task, which is shown. */
  readonly licenceUpload: string | undefined;
  readonly planHash: string | undefined;
  readonly isRestorePointWaived: boolean;
  readonly isSimulated: boolean;
  /** Of a rollback: what it takes away. */
  readonly removes: number | undefined;
}

/** How far it has come, beyond what the journal says. */
export interface Cursor {
  /** Raised by each retry. */
  readonly attempt: number;
  readonly isPastReturn: boolean;
  /** To be restored at the end. */
  readonly modeBefore: Mode;
  /** Why everything is being put back, for the last message. */
  readonly cause?: string;
}

/** One version after the other; kept as the first entry of the journal, because it is long. */
export interface TaskLeg {
  readonly update: 'patch' | 'release' | 'rollback';
  readonly version: Version | undefined;
  /** Images of a later leg that are installed at once, because those of this version have failed. */
  readonly replacedBy: Version | undefined;
  readonly former: readonly PreviousImages[];
}

export const LEGS = 'legs';

export const taskOf = (job: Job): Task => job.task as Task;
export const cursorOf = (job: Job): Cursor => job.cursor as Cursor;

function formerImages(former: readonly PreviousImages[]): Leg['imagesFor'] {
  const known = new Map(former.map(({ workload, images }) => [workload, images]));
  return (workload: Workload) => known.get(workload.name) ?? workload.images;
}

export function planLegs(legs: readonly TaskLeg[]): readonly Leg[] {
  return legs.map(({ update, version, replacedBy, former }) => {
    if (version === undefined)
      return { update, title: 'Go back to the former images', imagesFor: formerImages(former) };
    const versions = replacedBy === undefined ? [version] : [version, replacedBy];
    return { update, title: `Update workloads to ${versionName(version)}`, imagesFor: imagesOf(...versions) };
  });
}

export function versionsIn(legs: readonly TaskLeg[]): readonly Version[] {
  return legs.flatMap(({ version }) => (version === undefined ? [] : [version]));
}
