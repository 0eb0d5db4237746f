import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import type { Appended, Job, Lease, Progress, Said, StepDone } from '../../jobs/jobStore.ts';
import type { Image } from '../../model/workload.ts';
import type { Mode } from '../../model/mode.ts';
import type { Upload } from '../../model/upload.ts';
import type { Version } from '../../model/version.ts';

export const UPGRADE = 'upgrade';
export const ROLLBACK = 'rollback';
export const KINDS: readonly string[] = [UPGRADE, ROLLBACK];

/** What was installed, or adopted, and not taken away since. */
export interface Installed {
  readonly seq: number;
  readonly version: Version;
  readonly at: number;
  readonly how: 'upgrade' | 'adopt';
  readonly by: string;
  readonly job: string | undefined;
  /** What each workload ran before, to go back to. */
  readonly before: readonly PreviousImages[];
}

export interface PreviousImages {
  readonly workload: string;
  readonly images: readonly Image[];
}

export interface RestorePoint {
  readonly name: string;
  readonly at: number;
}

export interface Facts {
  /** From old to new; the last one is where the deployment is. */
  readonly installed: readonly Installed[];
  readonly known: readonly Version[];
  readonly restorePoint: RestorePoint | undefined;
  /** The latest upgrade or rollback, whatever became of it. */
  readonly latest: Job | undefined;
}

export interface LockedFacts extends Facts {
  readonly mode: Mode;
}

/** Everything that one transaction may change together. */
export interface UpgradeChange {
  readonly know?: readonly Version[];
  readonly install?: readonly Omit<Installed, 'seq'>[];
  /** By their numbers. */
  readonly remove?: readonly number[];
  readonly restorePoint?: RestorePoint;
  readonly mode?: Mode;
  /** With what its journal begins; the upload that is kept for it, and its content where that is new. */
  readonly add?: {
    readonly job: Job;
    readonly steps: readonly StepDone[];
    readonly uses: string | undefined;
    readonly keeps: (Upload & { readonly bytes: Buffer }) | undefined;
  };
  readonly edit?: { readonly job: string } & Partial<Pick<Job, 'state' | 'isPausing' | 'isCancelled' | 'cursor'>>;
  readonly say?: { readonly job: string; readonly messages: readonly Said[] };
}

export interface UpgradeStore {
  facts(): Promise<Facts>;
  /** Upgrades and rollbacks, the newest first. */
  past(limit: number): Promise<readonly Job[]>;
  /** How long the steps of the last jobs took: by their keys, workloads as `workload/…`. */
  durations(): Promise<ReadonlyMap<string, number>>;
  change(by: Actor, decide: (seen: LockedFacts) => Decision<UpgradeChange>): Promise<void>;
  /** By who holds the job: the last transaction of a job leaves read-only mode in the same moment. */
  conclude(
    lease: Lease,
    by: Actor,
    decide: (seen: LockedFacts) => Decision<UpgradeChange & { readonly progress: Progress }>,
  ): Promise<Appended>;
}
