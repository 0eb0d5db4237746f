import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Volumes } from '../../model/workload.ts';

/** Written with every plan without objects. A journal with a plan of an unknown format is refused. */
export const PLAN_FORMAT = 1;
/** Written with a plan that changes objects, which builds without them must not continue. */
export const OBJECTS_FORMAT = 2;

export type Update = 'patch' | 'release' | 'rollback';

/** The steps that change objects other than workloads. */
export type ObjectsStepId = 'objects/definitions' | 'objects/before' | 'objects/after' | 'objects/removals';

/** A rollout is named after its update, numbered from the second of a kind on. */
export type RolloutId = Update | `${Update}-${number}` | ObjectsStepId;

/** Unique within a plan, and the same in every plan. */
export type StepId = 'volumes' | 'licence' | `hook/${Hook}` | `database/${DatabasePhase}` | RolloutId;

/** What happens to an object as a whole. Contents are named by their fingerprints, and kept beside the journal. */
export interface ObjectChange {
  readonly verb: 'create' | 'change' | 'remove';
  /** What is applied; undefined for a removal. */
  readonly content: string | undefined;
  /** What undoes it; undefined if the object did not exist. */
  readonly former: string | undefined;
  /** Whether the object was compared when the plan was made. If not, whatever is there is changed. */
  readonly isCompared: boolean;
  /** Of a workload: as `WantedObject.configuration`. */
  readonly configuration?: string | undefined;
  /** Why it cannot be undone; undefined if it can. */
  readonly final?: string | undefined;
}

/** One workload and its images before and after, or another object. */
export interface Change {
  /** An object other than a workload has its name here, and neither images nor component. */
  readonly workload: string;
  readonly component: string;
  readonly module: string;
  readonly from: readonly Image[];
  readonly to: readonly Image[];
  readonly estimateMs: number;
  /** Undefined if the images alone are changed. */
  readonly object?: ObjectChange | undefined;
}

interface StepBase<Id extends StepId> {
  readonly id: Id;
  /** What the step does, for people. */
  readonly title: string;
  /** Whether the step cannot be undone. */
  readonly isFinal: boolean;
  readonly estimateMs: number;
}

/** Updates all workloads that one target changes, or other objects, wave after wave. */
export interface RolloutStep extends StepBase<RolloutId> {
  readonly kind: 'rollout';
  readonly update: Update;
  readonly waves: readonly (readonly Change[])[];
}

export interface VolumesStep extends StepBase<'volumes'> {
  readonly kind: 'volumes';
  readonly volumes: Volumes;
}

export interface LicenceStep extends StepBase<'licence'> {
  readonly kind: 'licence';
  readonly upload: string;
}

export interface HookStep extends StepBase<`hook/${Hook}`> {
  readonly kind: 'hook';
  readonly hook: Hook;
}

export interface DatabaseStep extends StepBase<`database/${DatabasePhase}`> {
  readonly kind: 'database';
  readonly phase: Exclude<DatabasePhase, 'restore'>;
  readonly primary: string;
  readonly standby: string;
}

/** A step that is one act on the deployment. */
export type ActStep = VolumesStep | LicenceStep | HookStep | DatabaseStep;

export type Step = RolloutStep | ActStep;

export interface Plan {
  readonly format: number;
  readonly steps: readonly Step[];
  /** The first step that cannot be undone. */
  readonly pointOfNoReturn: StepId | undefined;
  /** Units of progress: each workload of a rollout, and each other step. */
  readonly total: number;
  readonly estimateMs: number;
  /** Objects that the version no longer has and that stay, with the reason. */
  readonly kept?: readonly { readonly object: string; readonly reason: string }[] | undefined;
  /** Covers the steps and the deployment for which they were planned. */
  readonly hash: string;
}

/** Everything that a plan promises, as lines that a person can read: what it is about, and its value. */
export type PlanContent = Readonly<Record<string, string>>;

/** How long steps and rollouts of workloads took in earlier jobs, oldest first. */
export interface Measurements {
  readonly steps: ReadonlyMap<StepId, readonly number[]>;
  readonly workloads: ReadonlyMap<string, readonly number[]>;
}

/** How long steps and rollouts of workloads are expected to take, because earlier jobs took as long. */
export interface Durations {
  readonly steps: ReadonlyMap<StepId, number>;
  readonly workloads: ReadonlyMap<string, number>;
}

/** Whether a change is an update of a workload, which is counted for people. */
export function isUpdate({ to }: Pick<Change, 'to'>): boolean {
  return to.length > 0;
}

export function changesIn(step: Step): readonly Change[] {
  return step.kind === 'rollout' ? step.waves.flat() : [];
}

/** Every change of a plan, in order. */
export function changesOf({ steps }: Pick<Plan, 'steps'>): readonly Change[] {
  return steps.flatMap(changesIn);
}

/** Whether this build can continue a plan. */
export function isKnownFormat({ format }: Pick<Plan, 'format'>): boolean {
  return format === PLAN_FORMAT || format === OBJECTS_FORMAT;
}
