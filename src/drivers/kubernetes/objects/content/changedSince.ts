// Whether an object is as a plan has found it, and who has changed it since.
import type { ClusterObject } from '../../api/clusterApi.ts';
import { differences, fieldName } from '../../fields/difference.ts';
import { wholeSet } from '../../fields/fieldSet.ts';
import { ownersOf } from '../../fields/owners.ts';
import type { Wanted } from './body.ts';

/** The manager that wrote a field last, without Steward and the controllers of the cluster. */
export function lastOwner(object: ClusterObject, paths: readonly (readonly string[])[]): string | undefined {
  const owners = new Set(paths.flatMap((path) => ownersOf(object, path)));
  const entries = (object.metadata.managedFields ?? []).filter(({ manager }) => owners.has(manager));
  return entries.toSorted((one, other) => (other.time ?? '').localeCompare(one.time ?? ''))[0]?.manager;
}

const REPLICAS = 'spec.replicas';

/** Says what has changed since the plan; undefined if nothing has. An autoscaler may change the replicas at any time. */
export function changedSince(
  { object, expected }: Pick<Wanted, 'object' | 'expected'>,
  live: ClusterObject | undefined,
  isAutoscaled: boolean,
): string | undefined {
  if (expected === 'any') return undefined;
  if (live === undefined) return expected === undefined ? undefined : `${object} was removed since the plan.`;
  if (expected === undefined) {
    const by = lastOwner(live, [[]]);
    return `${object} was created${by === undefined ? '' : ` by ${by}`} since the plan.`;
  }
  const changed = differences(expected, live, wholeSet(live)).filter(
    ({ path, before }) => before !== undefined && before !== null && !(isAutoscaled && fieldName(path) === REPLICAS),
  );
  const [first] = changed;
  if (first === undefined) return undefined;
  const by = lastOwner(
    live,
    changed.map(({ path }) => path),
  );
  return `${fieldName(first.path)} of ${object} was changed${by === undefined ? '' : ` by ${by}`} since the plan.`;
}
