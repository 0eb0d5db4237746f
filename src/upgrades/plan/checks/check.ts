import type { Clock } from '../../../foundation/clock.ts';
import type { NextAction } from '../../../model/nextAction.ts';
import type { Version } from '../../../model/version.ts';
import type { Inventory } from '../../../model/workload.ts';
import type { Check, Deployment } from '../../ports/deployment.ts';
import type { RestorePoint } from '../../ports/upgradeStore.ts';
import type { Plan } from '../../values/plan.ts';
import type { DraftedObjects } from '../objects/draftObjects.ts';

/** What was found in the settings and the licence of a request. */
export interface RequestFindings {
  /** Required settings that are missing. */
  readonly missingSettings: readonly string[];
  readonly licence: {
    /** `notNeeded` if the version needs none and none was given. */
    readonly kind: 'notNeeded' | 'missing' | 'given';
    readonly problems: readonly string[];
    readonly todo: string;
  };
}

/** What a check of the request alone may look at. */
export interface RequestInput {
  /** The versions that the job installs, in the order of installation; empty for a rollback. */
  readonly versions: readonly Version[];
  /** Undefined in a job: settings and licence were checked when it was accepted. */
  readonly request: RequestFindings | undefined;
}

/** What a check may look at. */
export interface CheckInput extends RequestInput {
  readonly deployment: Deployment;
  readonly inventory: Inventory;
  readonly plan: Plan;
  readonly objects: DraftedObjects;
  readonly isRelease: boolean;
  /** Oldest first. */
  readonly installed: readonly Version[];
  readonly known: readonly Version[];
  readonly restorePoint: RestorePoint | undefined;
  readonly isRestorePointWaived: boolean;
  /** Workloads whose other managers the request acknowledges. */
  readonly acknowledged?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Aborts when the time of the check is over, so that its requests do not go on. */
  readonly signal?: AbortSignal;
}

export type Verdict = Omit<Check, 'name'>;

/** One preflight check: looks and answers, and changes nothing. */
export type CheckRule = (input: CheckInput) => Verdict | Promise<Verdict>;

export const pass = (text: string): Verdict => ({ verdict: 'pass', text, todo: '' });
export const warn = (text: string, todo: string): Verdict => ({ verdict: 'warn', text, todo });
export const unknown = (text: string, todo: string): Verdict => ({ verdict: 'unknown', text, todo });
export function fail(text: string, todo: string, ...nextActions: readonly NextAction[]): Verdict {
  return { verdict: 'fail', text, todo, ...(nextActions.length > 0 && { nextActions }) };
}
