import type { Role } from '../../model/actor.ts';
import type { ClosedWhen } from '../../model/mode.ts';
import type { Fields } from './fields.ts';

/**
 * One row of the interface below {root}.
 * A `resource` is a noun: GET and POST read it. An `operation` is a verb: POST only. `settings` are read like a resource,
 * and changed by a POST that carries one of their fields.
 */
export interface Operation<F extends Fields = Fields, R extends Role | 'anyone' = Role | 'anyone'> {
  readonly kind: 'resource' | 'operation' | 'settings';
  /** `{service}` stands for `name.type` and for `folder/name.type`; every other name in braces is one part of the path. */
  readonly path: string;
  readonly role: R;
  /** Who may change settings; `role` may read them. */
  readonly changeRole?: Role;
  readonly closedWhen: ClosedWhen;
  /** Whether it stores something new, and so is refused when the disk runs out. */
  readonly fillsDisk?: true;
  /** Addresses outside {root} that answer the same. */
  readonly alsoAt?: readonly string[];
  readonly description: string;
  readonly fields: F;
}

export type Operations = Readonly<Record<string, Operation>>;

/** Keeps the exact types of a table's rows while checking each. */
export function operations<const T extends Operations>(table: T): T {
  return table;
}
