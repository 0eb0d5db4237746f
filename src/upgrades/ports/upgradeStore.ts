import type { Appended, Job, JournalEntry, Lease, Message, Progress } from '../../jobs/jobStore.ts';
import type { Actor } from '../../model/actor.ts';
import type { Decision } from '../../model/decision.ts';
import type { JobState } from '../../model/jobState.ts';
import type { Mode } from '../../model/mode.ts';
import type { Upload } from '../../model/upload.ts';
import type { Version } from '../../model/version.ts';
import type { Measurements, PlanContent } from '../values/plan.ts';
import type { PreviousImages } from '../values/target.ts';

export const UPGRADE = 'upgrade';
export const ROLLBACK = 'rollback';
/** The kinds of job that this area runs. */
export const KINDS: readonly string[] = [UPGRADE, ROLLBACK];

/** A version that was installed or adopted, and not removed since. */
export interface Installed {
  readonly seq: number;
  readonly version: Version;
  readonly at: number;
  readonly how: 'upgrade' | 'adopt';
  readonly by: string;
  readonly job: string | undefined;
  /** What each workload ran before, for a rollback. */
  readonly before: readonly PreviousImages[];
  /** The checksum of the bundle of objects that was in force with it. */
  readonly objects?: string | undefined;
}

export interface RestorePoint {
  readonly name: string;
  readonly at: number;
}

export interface Facts {
  /** Oldest first; the last one is the current version. */
  readonly installed: readonly Installed[];
  readonly known: readonly Version[];
  /** The product that the manifest of a known version names, by the id of the version. */
  readonly products: ReadonlyMap<string, string>;
  /** Known versions that are left out of `known`, because they are not signed with the configured key. */
  readonly unsigned?: ReadonlySet<string>;
  readonly restorePoint: RestorePoint | undefined;
  /** The job that installed the current version, if that is known. */
  readonly installedBy?: Job | undefined;
  /** The latest upgrade or rollback, in any state. */
  readonly latest: Job | undefined;
  /** When the store was restored last, in milliseconds; 0 if it never was. */
  readonly restoredAt?: number;
  /** The checksums of the bundles of objects that are kept. */
  readonly bundles: ReadonlySet<string>;
  /** The jobs whose contents of objects are kept. */
  readonly keptObjects: ReadonlySet<string>;
}

/** The facts as a transaction reads them under lock. */
export interface LockedFacts extends Facts {
  readonly mode: Mode;
}

/** What is appended to the journal of a job, with the messages that describe it. */
export interface JournalAddition {
  readonly entries: readonly JournalEntry[];
  readonly messages: readonly Message[];
}

/** A manifest file as it is kept, with its signature. */
export interface SignedManifest {
  /** Identifies the document. */
  readonly hash: string;
  readonly document: string;
}

export interface NewVersions {
  readonly versions: readonly Version[];
  readonly product: string;
  /** The manifest that they came with, if it has a signature. */
  readonly signed: SignedManifest | undefined;
}

/** The file with the objects of a version. Compressed before its transaction, because that takes a second for 16 MiB. */
export interface CompressedBundle {
  readonly checksum: string;
  readonly size: number;
  readonly gzip: Buffer;
}

/** Everything that one transaction may change together. */
export interface UpgradeChange {
  readonly addVersions?: NewVersions;
  readonly addBundle?: CompressedBundle;
  /** Deletes the contents of objects of all other jobs. */
  readonly dropContents?: { readonly except: readonly string[] };
  readonly install?: readonly Omit<Installed, 'seq'>[];
  /** By their sequence numbers. */
  readonly remove?: readonly number[];
  readonly restorePoint?: RestorePoint;
  readonly mode?: Mode;
  readonly addJob?: JournalAddition & {
    readonly job: Job;
    /** The upload that is kept for the job. */
    readonly usesUpload: string | undefined;
    /** That upload, if it is new. */
    readonly addUpload: (Upload & { readonly bytes: Buffer }) | undefined;
  };
  readonly controlJob?: JournalAddition & {
    readonly job: string;
    readonly state?: JobState;
    readonly cursor?: object;
    readonly isPausing?: boolean;
    readonly isCancelled?: boolean;
  };
}

export interface Conclusion extends UpgradeChange {
  readonly progress: Progress;
}

/** A plan that was shown to a person, so that a later request can be compared with it. */
export interface StoredPlan {
  readonly hash: string;
  readonly at: number;
  readonly content: PlanContent;
}

/** Each method is one transaction. */
export interface UpgradeStore {
  facts(): Promise<Facts>;
  /** Upgrades and rollbacks, newest first. */
  past(limit: number): Promise<readonly Job[]>;
  /** From the journals of the last jobs. */
  measurements(): Promise<Measurements>;
  /** The hashes of the signed manifests that are kept, oldest first. */
  signedManifests(): Promise<readonly string[]>;
  signedManifest(hash: string): Promise<string | undefined>;
  /** Keeps a plan, and deletes those made before `expired` and all but the latest `most`. */
  keepPlan(plan: StoredPlan, limits: { readonly expired: number; readonly most: number }): Promise<void>;
  storedPlan(hash: string): Promise<StoredPlan | undefined>;
  /** Keeps a bundle, also in place of a kept one, which may be damaged. */
  keepBundle(checksum: string, bytes: Buffer): Promise<void>;
  bundle(checksum: string): Promise<Buffer | undefined>;
  /** Keeps sealed contents of objects by their digests. Those that the job has already stay as they are. */
  keepContents(job: string, contents: ReadonlyMap<string, string>): Promise<void>;
  contents(job: string): Promise<ReadonlyMap<string, string>>;
  /** Replaces sealed contents by the result of `reseal`, unless it is undefined. Counts those for which `reseal` throws. */
  resealContents(
    reseal: (sealed: string) => string | undefined,
  ): Promise<{ readonly resealed: number; readonly failed: number }>;
  change(by: Actor, decide: (facts: LockedFacts) => Decision<UpgradeChange>): Promise<void>;
  /** The last transaction of a job, by its holder: it also leaves read-only mode. */
  conclude(
    lease: Lease,
    by: Actor,
    decide: (facts: LockedFacts, at: number) => Decision<Conclusion>,
  ): Promise<Appended>;
}
