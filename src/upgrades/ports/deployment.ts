import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Inventory, Volumes } from '../../model/workload.ts';

/**
 * The deployment that is upgraded. Upgrades reach everything outside Steward through this port, so they do not depend on
 * Kubernetes.
 */
export interface Deployment {
  readonly isSimulated: boolean;
  inventory(): Promise<Inventory>;
  /** Asks the registry about each of these images. */
  findImages(images: readonly Image[]): Promise<readonly ImageFinding[]>;
  /** Checks what the driver alone can check before anything is changed: permissions, quota, nodes. */
  diagnose(): Promise<readonly Check[]>;
  /** Announces a new holder of the job. From now on `begin` with a lower fence answers `overtaken`. */
  takeOver(fence: number): Promise<void>;
  /** Starts an act. Does nothing if it is under way or done. */
  begin(act: Act, fence: number): Promise<Begun>;
  /** Observes all of these acts with one request. */
  observe(acts: readonly Act[]): Promise<readonly Observation[]>;
  /** Publishes read-only mode, so that the workloads can detect it. */
  showMode(isReadOnly: boolean, message: string): Promise<void>;
}

/** One change of the deployment. Beginning it twice does it once; `run` identifies a run of a hook or of a database phase. */
export type Act =
  | { readonly kind: 'images'; readonly workload: string; readonly images: readonly Image[] }
  | { readonly kind: 'hook'; readonly hook: Hook; readonly run: string }
  | { readonly kind: 'database'; readonly phase: DatabasePhase; readonly run: string }
  | { readonly kind: 'volumes'; readonly volumes: Volumes }
  | { readonly kind: 'licence'; readonly content: string };

/** Why an act cannot succeed as it is. */
export interface Failure {
  /** What happened and to what, as a sentence. */
  readonly reason: string;
  /** The last log lines. */
  readonly lines: readonly string[];
  /** What a person should do next, as a sentence. */
  readonly advice: string;
}

export type Begun =
  | { readonly kind: 'begun' }
  /** A holder with a higher fence has taken over. */
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'refused'; readonly failure: Failure };

export type Observation =
  /** Not begun. For images: the workload is configured with other images. */
  | { readonly state: 'absent' }
  | { readonly state: 'running'; readonly detail: string }
  /** For images: the rollout is complete and the running images have the checksums. `lines` are the last log lines of a hook. */
  | { readonly state: 'done'; readonly lines: readonly string[] }
  | { readonly state: 'failed'; readonly failure: Failure };

export type ImageFinding =
  | { readonly kind: 'found' }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'differs'; readonly found: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** The result of a preflight check. */
export interface Check {
  readonly name: string;
  readonly verdict: 'pass' | 'warn' | 'fail';
  readonly text: string;
  /** What to do about it; empty if the check passed. */
  readonly todo: string;
}
