export interface ProofOptions {
  readonly seconds: number;
  readonly replicas: number;
  readonly store: string;
  readonly seed: number;
  readonly restartDatabase: string | undefined;
  /** The longest stall that is allowed. */
  readonly maxStallMs: number;
}

export interface ProofRun {
  readonly options: ProofOptions;
  readonly folder: string;
  readonly streams: { score(text: string): void };
}
