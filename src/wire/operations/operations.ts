import type { Shape } from '../../foundation/schema/shape.ts';
import type { Role } from '../../model/actor.ts';
import type { ClosedWhen } from '../../model/mode.ts';
import type { Fields } from '../fields/fields.ts';

/**
 * One row of the interface below {root}. A `resource` is read with GET or POST. An `operation` takes POST only.
 * `settings` are read like a resource and changed by a POST with at least one of their fields.
 */
export interface Operation<
  F extends Fields = Fields,
  R extends Role | 'anyone' = Role | 'anyone',
  A extends Shape = Shape,
> {
  readonly kind: 'resource' | 'operation' | 'settings';
  /** `{service}` matches `name.type` and `folder/name.type`; any other name in braces matches one part of the path. */
  readonly path: string;
  readonly role: R;
  /** Set if the starter of the job `{id}` may do this too, whatever the role. */
  readonly starterMay?: true;
  /** The role that may change settings; `role` may read them. */
  readonly changeRole?: Role;
  readonly closedWhen: ClosedWhen;
  /** Set if it stores something new; it is refused if the disk is nearly full. */
  readonly fillsDisk?: true;
  /** Addresses outside {root} with the same answer. */
  readonly alsoAt?: readonly string[];
  /** Addresses of the interface without {root}. They can be switched off, so that a proxy can close {root}. */
  readonly aliases?: readonly string[];
  /** Set if unknown fields are ignored, because older clients send more than they need. */
  readonly ignoresUnknown?: true;
  /** Set if it signs a browser in with a cookie; pages of other sites may not do that. */
  readonly signsIn?: true;
  readonly description: string;
  readonly fields: F;
  /** The body of a success. Handlers are checked against its type, and the OpenAPI document shows it. */
  readonly answer: A;
  /** The content type of a success that is not JSON. A stream of events is JSON if the request asks for a format with `f`. */
  readonly media?: 'application/octet-stream' | 'application/x-ndjson' | 'text/event-stream';
}

export type Operations = Readonly<Record<string, Operation>>;

/** What a resource begins with. It has no fields, unless its row adds them. */
export function resource<R extends Role | 'anyone', C extends ClosedWhen, A extends Shape>(
  role: R,
  closedWhen: C,
  answer: A,
) {
  return { kind: 'resource', role, closedWhen, answer, fields: {} } as const;
}

/** The same for an operation. */
export function operation<R extends Role | 'anyone', C extends ClosedWhen, A extends Shape>(
  role: R,
  closedWhen: C,
  answer: A,
) {
  return { ...resource(role, closedWhen, answer), kind: 'operation' } as const;
}

/** Checks the rows of a table and keeps their exact types. */
export function operations<const T extends Operations>(table: T): T {
  return table;
}
