import type { MessageAnswer, UpgradeJobAnswer } from './jobAnswers.ts';

/** Bodies of the answers about upgrades. Times are milliseconds since 1970. */

export interface UpgradeStatusAnswer {
  readonly status: {
    readonly state: string;
    readonly code: number;
    readonly messages: readonly MessageAnswer[];
  };
  /** Absent until the first upgrade. */
  readonly job?: UpgradeJobAnswer;
}

export interface PlannedChangeAnswer {
  readonly workload: string;
  readonly component: string;
  readonly module: string;
  readonly images: readonly {
    readonly container: string;
    readonly from: string | null;
    readonly to: string;
    readonly checksum: string | null;
  }[];
}

export interface PlannedStepAnswer {
  readonly step: string;
  readonly title: string;
  readonly canBeUndone: boolean;
  readonly estimateMs: number;
  /** Only of a step that changes images. */
  readonly waves?: readonly (readonly PlannedChangeAnswer[])[];
}

export interface PlanAnswer {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly canStart: boolean;
  readonly checks: readonly {
    readonly name: string;
    /** `unknown`: the check did not answer in time. The job runs it again before it changes anything. */
    readonly verdict: 'pass' | 'warn' | 'fail' | 'unknown';
    readonly text: string;
    readonly todo: string;
  }[];
  readonly steps: readonly PlannedStepAnswer[];
  readonly pointOfNoReturn: string | null;
  readonly estimate: { readonly totalMs: number; readonly readOnlyMs: number };
  readonly planHash: string;
  readonly simulated: boolean;
}
