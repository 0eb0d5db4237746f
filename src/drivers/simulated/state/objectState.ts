import type { JsonObject } from '../../../foundation/schema/json.ts';
import type { Manager } from '../../../model/workload.ts';
import type { InjectedFault } from './injectedFault.ts';
import { faultDurationMs } from './injectedFault.ts';

/** Another manager of fields of an object. */
export interface FieldOwner extends Pick<Manager, 'name' | 'reconciles'> {
  /** The ids of their paths. */
  readonly fields: readonly string[];
}

/** What an object is, apart from what was done to it. */
export interface ObjectContent {
  /** What is there; undefined if it does not exist. */
  readonly live?: JsonObject;
  /** What Steward applied last; undefined if it never did. */
  readonly content?: JsonObject;
  readonly owners: readonly FieldOwner[];
  readonly isOurs: boolean;
  /** The manager that changed it since Steward did. */
  readonly changedBy?: string;
}

/** An apply or a removal that was begun. Its status is derived from the time that has passed since. */
export interface ObjectChange {
  readonly kind: 'apply' | 'removal';
  readonly begun: number;
  readonly durationMs: number;
  /** Whether the rollout of the workload tells when it is done. */
  readonly isRollout?: true;
  /** A copy, because the fault may be used up or removed before the change is done. */
  readonly fault?: Pick<InjectedFault, 'id' | 'kind' | 'seconds'>;
  /** What another controller restores if it reverts the change. */
  readonly former?: ObjectContent;
}

/** What is written for an object. A removed one is kept without `live`: observations tell that it was removed, and by whom. */
export interface ObjectState extends ObjectContent {
  readonly name: string;
  readonly generation: number;
  readonly change?: ObjectChange;
}

/** One second after the change, and in any case before it is done. */
export function isReverted({ begun, durationMs, fault }: ObjectChange, now: number): boolean {
  return fault?.kind === 'objectReverted' && now - begun >= Math.min(1000, durationMs);
}

export function isNeverReady({ fault }: ObjectChange): boolean {
  return fault?.kind === 'objectNeverReady' || fault?.kind === 'slow';
}

/** Whether the time that the change takes is over. */
export function isOver(change: ObjectChange, now: number): boolean {
  return !isNeverReady(change) && now - change.begun >= change.durationMs;
}

/** Whether the API still shows the object from before the change, as a cache that lags behind does. */
export function isHidden({ begun, fault }: ObjectChange, now: number): boolean {
  return fault?.kind === 'lag' && now - begun < faultDurationMs(fault);
}
