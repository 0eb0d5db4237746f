import type { NextAction } from './nextAction.ts';

/** Why an act cannot succeed as it is. */
export interface Failure {
  /** What happened and to what, as a sentence. */
  readonly reason: string;
  /** The last log lines. */
  readonly lines: readonly string[];
  /** What a person should do next, as a sentence. */
  readonly advice: string;
  /** What a person can do about the cause through Steward, if anything. Failures of earlier versions have none. */
  readonly nextActions?: readonly NextAction[] | undefined;
}

/** What a driver advises. */
export type Remedy = Pick<Failure, 'advice' | 'nextActions'>;

/** Thrown by a driver if the deployment does not answer and the driver knows what a person can do about it. It is temporary. */
export class DeploymentOutage extends Error {
  override readonly name = 'DeploymentOutage';
  readonly remedy: Remedy;

  constructor(reason: string, remedy: Remedy) {
    super(reason);
    this.remedy = remedy;
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
