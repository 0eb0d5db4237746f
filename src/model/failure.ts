import { reasonOf } from '../foundation/errors.ts';
import type { NextAction } from './nextAction.ts';
import { distinctActions } from './nextAction.ts';

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

/** What a person can do about all of these through Steward. */
export function actionsOf(remedies: readonly (Pick<Failure, 'nextActions'> | undefined)[]): readonly NextAction[] {
  return distinctActions(remedies.flatMap((one) => one?.nextActions ?? []));
}

/** Why the deployment did not do what it was asked, now. */
export interface Outage {
  readonly reason: string;
  /** What the driver advises; undefined if it knows nothing. */
  readonly remedy?: Remedy | undefined;
  /** Whether the deployment has answered, with an error that may pass. If not, it cannot be reached. */
  readonly isAnswer?: boolean | undefined;
}

/** Thrown by a driver if the deployment does not do it now, and the driver knows what a person can do about it. It is temporary. */
export class DeploymentOutage extends Error {
  readonly remedy: Remedy;
  /** Whether the deployment has answered. */
  readonly isAnswer: boolean;

  constructor(reason: string, remedy: Remedy, isAnswer = false) {
    super(reason);
    this.name = 'DeploymentOutage';
    this.remedy = remedy;
    this.isAnswer = isAnswer;
  }
}

/** Describes an error of a call to the deployment that may pass. */
export function outageOf(error: unknown): Outage {
  const reason = reasonOf(error);
  return error instanceof DeploymentOutage ? { reason, remedy: error.remedy, isAnswer: error.isAnswer } : { reason };
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
