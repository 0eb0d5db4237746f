/** Bodies of the answers about jobs. Times are milliseconds since 1970. */

export interface MessageAnswer {
  /** Absent in messages of jobs that have no codes. */
  readonly code: number | undefined;
  readonly message: string;
  readonly when: number;
}

interface JobProgressAnswer {
  readonly phase: string;
  readonly progress: { readonly done: number; readonly total: number };
  readonly startedBy: string;
  /** The end of a job that has ended; null while it is paused and before the first estimate. */
  readonly estimatedEnd: number | null;
  readonly pausing: boolean;
  readonly cancelling: boolean;
}

/** Beside these fields a job has those that its kind adds. */
export interface JobAnswer extends JobProgressAnswer {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly started: number;
  readonly ended: number | null;
}

export interface UpgradeJobAnswer extends JobProgressAnswer {
  readonly id: string;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly versionId: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly pastPointOfNoReturn: boolean;
  readonly simulated: boolean;
}
