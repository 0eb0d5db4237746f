import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Inventory, Volumes } from '../../model/workload.ts';

/** What is upgraded. Everything outside that an upgrade touches goes through this port; nothing here knows Kubernetes. */
export interface Deployment {
  readonly isSimulated: boolean;
  inventory(): Promise<Inventory>;
  /** What the registry says of each of these images. */
  findImages(images: readonly Image[]): Promise<readonly ImageFinding[]>;
  /** What else must be right before anything is changed: rights, quota, nodes. */
  diagnose(): Promise<readonly Check[]>;
  /** A new holder of the job: nobody with a lower fence may begin anything from now on. */
  takeOver(fence: number): Promise<void>;
  /** Starts an act, or does nothing where it is under way or done already. */
  begin(act: Act, fence: number): Promise<Begun>;
  /** Where each of these acts stands, all in one look. */
  observe(acts: readonly Act[]): Promise<readonly Observation[]>;
  /** Tells the workloads of read-only mode. */
  showMode(isReadOnly: boolean, message: string): Promise<void>;
}

/** One thing to be done. Beginning it twice does it once: hooks and phases of the database are told apart by `run`. */
export type Act =
  | { readonly kind: 'images'; readonly workload: string; readonly images: readonly Image[] }
  | { readonly kind: 'hook'; readonly hook: Hook; readonly run: string }
  | { readonly kind: 'database'; readonly phase: DatabasePhase; readonly run: string }
  | { readonly kind: 'volumes'; readonly volumes: Volumes }
  | { readonly kind: 'licence'; readonly content: string };

/** Why something can never succeed as it is. */
export interface Failure {
  /** What happened, to what: a whole sentence. */
  readonly reason: string;
  /** The last lines of its log. */
  readonly lines: readonly string[];
  /** What a person should do next: a whole sentence. */
  readonly advice: string;
}

export type Begun =
  | { readonly kind: 'begun' }
  | { readonly kind: 'overtaken' }
  | { readonly kind: 'refused'; readonly fault: Failure };

export type Observation =
  /** Not begun; of images: it is told to run others. */
  | { readonly state: 'absent' }
  | { readonly state: 'running'; readonly detail: string }
  /** Of images: the rollout is complete and what runs has the checksums. `lines` are the last that a hook wrote. */
  | { readonly state: 'done'; readonly lines: readonly string[] }
  | { readonly state: 'failed'; readonly fault: Failure };

export type ImageFinding =
  | { readonly kind: 'found' }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'differs'; readonly found: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Check {
  readonly name: string;
  readonly verdict: 'pass' | 'warn' | 'fail';
  readonly text: string;
  /** What to do about it; empty where it passes. */
  readonly todo: string;
}
