/** Why an act cannot succeed as it is. */
export interface Failure {
  /** What happened and to what, as a sentence. */
  readonly reason: string;
  /** The last log lines. */
  readonly lines: readonly string[];
  /** What a person should do next, as a sentence. */
  readonly advice: string;
}

/** Thrown by a driver if the deployment does not answer and the driver knows what a person can do about it. It is temporary. */
export class DeploymentOutage extends Error {
  override readonly name = 'DeploymentOutage';
  /** As a sentence. */
  readonly advice: string;

  constructor(reason: string, advice: string) {
    super(reason);
    this.advice = advice;
  }
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
