import { reasonOf } from '../foundation/errors.ts';

/** Why an act cannot succeed as it is. */
export interface Failure {
  /** What happened and to what, as a sentence. */
  readonly reason: string;
  /** The last log lines. */
  readonly lines: readonly string[];
  /** What a person should do next, as a sentence. */
  readonly advice: string;
}

/** Why the deployment did not do what it was asked, now. */
export interface Outage {
  readonly reason: string;
  /** What the driver says about it, as a sentence; undefined if it says nothing. */
  readonly advice?: string | undefined;
  /** Whether the deployment has answered, with an error that may pass. If not, it cannot be reached. */
  readonly isAnswer?: boolean | undefined;
}

/** Thrown by a driver if the deployment does not do it now, and the driver knows what a person can do about it. It is temporary. */
export class DeploymentOutage extends Error {
  /** As a sentence. */
  readonly advice: string;
  /** Whether the deployment has answered. */
  readonly isAnswer: boolean;

  constructor(reason: string, advice: string, isAnswer = false) {
    super(reason);
    this.name = 'DeploymentOutage';
    this.advice = advice;
    this.isAnswer = isAnswer;
  }
}

/** Describes an error of a call to the deployment that may pass. */
export function outageOf(error: unknown): Outage {
  const reason = reasonOf(error);
  return error instanceof DeploymentOutage ? { reason, advice: error.advice, isAnswer: error.isAnswer } : { reason };
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
