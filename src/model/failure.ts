/** Why an act cannot succeed as it is. */
export interface Failure {
  /** What happened and to what, as a sentence. */
  readonly reason: string;
  /** The last log lines. */
  readonly lines: readonly string[];
  /** What a person should do next, as a sentence. */
  readonly advice: string;
}

/** Thrown by a driver if the deployment refuses a request and no retry changes that: forbidden, or invalid. */
export class DeploymentRefusal extends Error {
  override readonly name = 'DeploymentRefusal';
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.reason);
    this.failure = failure;
  }
}
