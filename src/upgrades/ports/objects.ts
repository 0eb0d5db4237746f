// The objects of a version, beside the images of workloads, as the deployment port sees them. What an apply, a manager or a field
// means is the driver's concern; upgrades know create, change, remove, keep and conflict.
import type { JsonObject } from '../../foundation/schema/json.ts';
import type { Failure } from '../../model/failure.ts';
import type { Image, Manager, Workload } from '../../model/workload.ts';

/** What an object should be. */
export interface WantedObject {
  /** `kind/name`, as workloads are named: see `objectName`. */
  readonly object: string;
  /** Undefined: it should not exist. */
  readonly content: JsonObject | undefined;
  /** Its content in the installed version: what `content` no longer has is removed, even if another tool has installed that version. */
  readonly installed?: JsonObject | undefined;
  /**
   * Of a workload: identifies the configuration that its pods have read. The driver writes it to the pods, so that another one
   * restarts them. Undefined: as it is.
   */
  readonly configuration?: string | undefined;
  /** Whether it is changed although another manager may revert that: the request has acknowledged it. */
  readonly isAcknowledged?: boolean | undefined;
  /** Whether `content` is what was there before a job: it is applied as it is, with nothing that makes an object Steward's. */
  readonly isUndo?: boolean | undefined;
}

/** A field that an apply changes. */
export interface FieldChange {
  /** As people write it: `spec.replicas`, `spec.template.spec.containers[web].env[MODE].value`. */
  readonly field: string;
  /** Undefined if it is not there. */
  readonly before: unknown;
  readonly after: unknown;
  /** The other managers that own the field. */
  readonly managers: readonly string[];
}

/** Why an object could not be applied or removed now. */
export interface ObjectProblem extends Pick<Failure, 'reason' | 'advice' | 'nextActions'> {
  /** `conflict`: another manager would revert it. `refused`: any other answer of the deployment, such as that of an admission webhook. */
  readonly kind: 'notServed' | 'immutable' | 'forbidden' | 'quota' | 'conflict' | 'refused';
}

/** What an apply or a removal would do, found without a change. */
export interface ObjectFinding {
  readonly object: string;
  /**
   * `unknown`: its kind is not served until a definition of the same job is established. `keep`: it should not exist, and the driver
   * must not remove it (`kept` says why). `absent`: it should not exist, and does not.
   */
  readonly kind: 'create' | 'change' | 'unchanged' | 'unknown' | 'remove' | 'keep' | 'absent';
  readonly fields: readonly FieldChange[];
  /**
   * What undoes it: the fields that the apply would change or take over, as they are now; for a removal the whole object. Undefined if it
   * does not exist.
   */
  readonly former: JsonObject | undefined;
  /** Other managers of fields that would change. */
  readonly managers: readonly Manager[];
  readonly problems: readonly ObjectProblem[];
  readonly kept?: string | undefined;
  /** Why the change cannot be undone; undefined if it can. */
  readonly final?: string | undefined;
  /** Of a workload that would be created: where it belongs. Workloads that exist are in the inventory. */
  readonly place?: Pick<Workload, 'component' | 'module' | 'wave' | 'isSteward'> | undefined;
}

/** Applies or removes one object whole. It is done when the object is as wanted and, by its kind, ready. */
export interface ObjectAct extends WantedObject {
  readonly kind: 'object';
  /** What the plan has found, as `ObjectFinding.former`: if the object is otherwise now, the act is refused. `any` does not compare. */
  readonly expected: JsonObject | undefined | 'any';
  /** Of a workload: the images in `content` with their checksums, which its pods must run. */
  readonly images: readonly Image[];
}
