import type { Hook } from '../../model/hook.ts';
import type { DatabasePhase, Image, Volumes } from '../../model/workload.ts';

/** Written with every plan. A journal with a plan of another format is refused. */
export const PLAN_FORMAT = 1;

export type Update = 'patch' | 'release' | 'rollback';

/** A rollout is named after its update, numbered from the second of a kind on. */
export type RolloutId = Update | `${Update}-${number}`;

/** Unique within a plan, and the same in every plan. */
export type StepId = 'volumes' | 'licence' | `hook/${Hook}` | `database/${DatabasePhase}` | RolloutId;

/** One workload and its images before and after. */
export interface Change {
  readonly workload: string;
  readonly component: string;
  readonly module: string;
  readonly from: readonly Image[];
  readonly to: readonly Image[];
  readonly estimateMs: number;
}

interface StepBase<Id extends StepId> {
  readonly id: Id;
  /** What the step does, for people. */
  readonly title: string;
  /** Whether the step cannot be undone. */
  readonly isFinal: boolean;
  readonly estimateMs: number;
}

/** Updates all workloads that one target changes, wave after wave. */
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

export function changesIn(step: Step): readonly Change[] {
  return step.kind === 'rollout' ? step.waves.flat() : [];
}

/** Every workload update of a plan, in order. */
export function changesOf({ steps }: Pick<Plan, 'steps'>): readonly Change[] {
  return steps.flatMap(changesIn);
}
