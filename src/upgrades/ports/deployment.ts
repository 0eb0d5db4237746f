import type { Failure, Remedy } from '../../model/failure.ts';
import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Inventory, Volumes } from '../../model/workload.ts';
import type { ObjectAct, ObjectFinding, WantedObject } from './objects.ts';

/**
 * The deployment that is upgraded. Upgrades reach everything outside Steward through this port, so they do not depend on
 * Kubernetes.
 *
 * Every method ends early when its signal aborts. It throws `DeploymentRefusal` if no retry changes the answer (forbidden,
 * invalid); any other error is temporary. What was begun is visible in every later observation, on every replica.
 */
export interface Deployment {
  readonly isSimulated: boolean;
  /** The reference to configure for an image of a manifest: pinned to its checksum, and in a mirror if there is one. */
  referenceFor(image: string, checksum: string): string;
  inventory(signal?: AbortSignal): Promise<Inventory>;
  /** Asks the registry about each of these images. */
  findImages(images: readonly Image[], signal?: AbortSignal): Promise<readonly ImageFinding[]>;
  /** The file with the objects of a version, from the registry. The caller compares its checksum. */
  fetchObjects(image: string, signal?: AbortSignal): Promise<Buffer>;
  /** Says for each object what an act on it would do now. Changes nothing. */
  compareObjects(wanted: readonly WantedObject[], signal?: AbortSignal): Promise<readonly ObjectFinding[]>;
  /** What the driver alone can check before anything is changed: permissions, quota, nodes. */
  readonly diagnostics: readonly DriverCheck[];
  /** Says for each act why it would be refused if it were begun now; undefined if it would not be. Changes nothing. */
  rehearse(acts: readonly Act[], signal?: AbortSignal): Promise<readonly (Failure | undefined)[]>;
  /** A failure of before without what a person has done about it since, if the driver can tell. */
  withoutDone?(failure: Failure, signal?: AbortSignal): Promise<Failure>;
  /**
   * Announces a new holder of the job, which may be changing these objects. From now on `begin` with a lower fence answers
   * `overtaken`.
   */
  takeOver(fence: number, signal?: AbortSignal, objects?: readonly string[]): Promise<void>;
  /** Starts an act. Does nothing if it is under way or done. */
  begin(act: Act, fence: number, signal?: AbortSignal): Promise<Begun>;
  /** Observes all of these acts with one request. */
  observe(acts: readonly BegunAct[], signal?: AbortSignal): Promise<readonly Observation[]>;
  /** Stops a hook that is under way. */
  abandon(act: HookAct, fence: number, signal?: AbortSignal): Promise<Abandoned>;
  /** Publishes read-only mode, so that the workloads can detect it. */
  showMode(mode: ShownMode, signal?: AbortSignal): Promise<void>;
  /** Throws if the mode could not be published now. Changes nothing. */
  rehearseMode(signal?: AbortSignal): Promise<void>;
  /** Records the start or the end of a job where operators of the deployment look for events. */
  record(note: JobNote, signal?: AbortSignal): Promise<void>;
}

/** A replica that is late must not overwrite a later mode: the highest revision is the current one. */
export interface ShownMode {
  readonly isReadOnly: boolean;
  readonly message: string;
  readonly revision: number;
}

export interface JobNote {
  readonly kind: 'started' | 'succeeded' | 'failed' | 'undone';
  readonly job: string;
  readonly text: string;
}

/** One change of the deployment. Beginning it twice does it once; `run` identifies a run of a hook or of a database phase. */
export type Act =
  | {
      readonly kind: 'images';
      readonly workload: string;
      readonly images: readonly Image[];
      /** Whether they are changed although another manager may revert that: the request has acknowledged it. */
      readonly isAcknowledged?: boolean | undefined;
    }
  | ObjectAct
  | HookAct
  | DatabaseAct
  | { readonly kind: 'volumes'; readonly volumes: Volumes }
  | { readonly kind: 'licence'; readonly content: string };

export interface HookAct {
  readonly kind: 'hook';
  readonly hook: Hook;
  readonly run: string;
}

/** One phase of the upgrade of the database; `run` identifies a run of it. */
export type DatabaseAct =
  | {
      readonly kind: 'database';
      readonly phase: Exclude<DatabasePhase, 'restore'>;
      readonly run: string;
      /** The roles before the job. */
      readonly primary: string;
      readonly standby: string;
      /** The version that the job installs. */
      readonly version: string;
    }
  | {
      readonly kind: 'database';
      readonly phase: 'restore';
      readonly run: string;
      /** The runs that it undoes, in their order. */
      readonly undoes: readonly string[];
    };

/** An act with the receipt of its `begin`, if it has one: the journal keeps it, and the driver recognizes a stale answer by it. */
export type BegunAct = Act & { readonly receipt?: string | undefined };

export type Begun =
  | { readonly kind: 'begun'; readonly receipt?: string }
  /** A holder with a higher fence has taken over. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'refused'; readonly failure: Failure };

export type Abandoned =
  | { readonly kind: 'stopped' }
  /** It could not be stopped, or not be found any more. */
  | { readonly kind: 'left'; readonly reason: string };

export type Observation =
  /** Not begun. For images: the workload is configured with other images; `changedBy` tells by whom, if the driver knows. */
  | { readonly state: 'absent'; readonly changedBy?: string; readonly remedy?: Remedy }
  /**
   * `movedAt` is when something last changed, if the driver knows. `trouble` is what keeps it from being done, if the driver
   * knows: it may pass, and becomes the failure at the time limit.
   */
  | { readonly state: 'running'; readonly detail: string; readonly movedAt?: number; readonly trouble?: Failure }
  /** For images: the rollout is complete and the running images have the checksums. `lines` are the last log lines of a hook. */
  | { readonly state: 'done'; readonly lines: readonly string[] }
  /** A failed rollout may become healthy by itself, and is then observed as done. */
  | { readonly state: 'failed'; readonly failure: Failure }
  /** Could not be observed now. */
  | { readonly state: 'unknown'; readonly reason: string };

export type ImageFinding =
  /** `aliases`: checksums that the registry proves to be the same image, such as the platforms of an index. */
  | { readonly kind: 'found'; readonly aliases: readonly string[] }
  | { readonly kind: 'absent'; readonly reason: string; readonly remedy?: Remedy }
  | { readonly kind: 'differs'; readonly found: string; readonly remedy?: Remedy }
  /** `isRefused`: the registry has answered, and refuses the credentials. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly isRefused?: true };

/** A check of a driver, which changes nothing. Each runs by itself: one that hangs or throws does not hide the others. */
export interface DriverCheck {
  readonly name: string;
  run(signal?: AbortSignal): Promise<Omit<Check, 'name'>>;
}

/** The result of a preflight check. */
export interface Check {
  readonly name: string;
  /** `unknown`: the check did not answer in time, which a job decides, or Steward lacks a right that is optional. */
  readonly verdict: 'pass' | 'warn' | 'fail' | 'unknown';
  readonly text: string;
  /** What to do about it; empty if the check passed. */
  readonly todo: string;
  /** What a person can do about it through Steward, if anything. */
  readonly nextActions?: Failure['nextActions'];
}
