/** Bodies of the answers about jobs. Times are milliseconds since 1970. */

export interface MessageAnswer {
  /** Absent in messages of jobs that have no codes. */
  readonly code: number | undefined;
  readonly message: string;
  readonly when: number;
}

/** The fields that every job has, wherever it is shown. */
export interface JobProgressAnswer {
  readonly phase: string;
  readonly progress: { readonly done: number; readonly total: number };
  readonly startedAt: number;
  readonly startedBy: string;
  /** The end of a job that has ended; null while it is paused and before the first estimate. */
  readonly estimatedEnd: number | null;
  readonly endedAt: number | null;
  readonly pausing: boolean;
  readonly cancelling: boolean;
}

/** Beside these fields a job has those that its kind adds. */
export interface JobAnswer extends JobProgressAnswer {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
}

export interface JobStepAnswer {
  readonly step: string;
  readonly title: string;
  readonly state: 'pending' | 'running' | 'done' | 'stopped' | 'undone';
  readonly canBeUndone: boolean;
  readonly progress: { readonly done: number; readonly total: number };
}

export interface UpgradeJobAnswer extends JobProgressAnswer {
  readonly id: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly versionId: string;
  /** Why the job has ended: completed, checksFailed, failed or cancelled; null while it goes forward. */
  readonly reason: 'completed' | 'checksFailed' | 'failed' | 'cancelled' | null;
  readonly pastPointOfNoReturn: boolean;
  readonly simulated: boolean;
  /** Empty until the plan is made; left out in lists. */
  readonly steps: readonly JobStepAnswer[];
}
