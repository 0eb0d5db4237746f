export interface ProofOptions {
  readonly seconds: number;
  readonly replicas: number;
  readonly store: string;
  readonly seed: number;
  readonly restartDatabase: string | undefined;
}

export interface ProofRun {
  readonly options: ProofOptions;
  readonly folder: string;
  readonly streams: { score(text: string): void };
}
