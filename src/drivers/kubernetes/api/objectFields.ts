// Reads fields of objects whose shape the cluster decides.
import { valueAt } from '../../../foundation/schema/json.ts';

/** The text at a path; empty if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The list at a path; empty if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The number at a path; undefined if there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

/** The condition of a type in the status of an object. */
export function conditionOf(object: { readonly status?: unknown } | undefined, type: string): unknown {
  return listAt(object?.status, 'conditions').find((one) => valueAt(one, 'type') === type);
}
