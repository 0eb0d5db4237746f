import type { JsonObject } from '../../../../foundation/schema/json.ts';
import { valueAt } from '../../../../foundation/schema/json.ts';
import { definitionOf } from '../../../../model/objects/definitions.ts';
import { containersOf, templatePath } from '../../../../model/objects/podTemplate.ts';
import type { FieldChange, ObjectProblem } from '../../../../upgrades/ports/objects.ts';
import type { FoundProblem, Owner } from '../../faults/objectFaults.ts';
import { faultRemedy } from '../../state/injectedFault.ts';
import { kindIn } from './presentObject.ts';

const MOST_FIELDS = 5;

function fieldList(fields: readonly FieldChange[]): string {
  const names = fields.slice(0, MOST_FIELDS).map(({ field }) => `\`${field}\``);
  const more = fields.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Another manager that would revert the change. The values of the fields are not in the text: they may be secret. */
export function conflictProblem(object: string, { name, fault }: Owner, fields: readonly FieldChange[]): FoundProblem {
  const advice = `Pause \`${name}\`, or change the object in its source.`;
  const reason =
    fields.length === 0
      ? `The simulated object \`${object}\` is managed by \`${name}\`, which would create it again.`
      : `Fields of the simulated object \`${object}\` are managed by \`${name}\`, which would revert a change: ${fieldList(fields)}.`;
  return {
    fault,
    problem: { kind: 'conflict', reason, ...(fault === undefined ? { advice } : faultRemedy(fault.id, advice)) },
  };
}

/** The paths whose fields cannot change once they are set, by kind. */
const IMMUTABLE: ReadonlyMap<string, readonly string[]> = new Map([
  ['Deployment', ['spec.selector']],
  ['DaemonSet', ['spec.selector']],
  ['StatefulSet', ['spec.selector', 'spec.serviceName', 'spec.volumeClaimTemplates']],
  ['RoleBinding', ['roleRef']],
  ['ClusterRoleBinding', ['roleRef']],
  ['PersistentVolumeClaim', ['spec.storageClassName', 'spec.accessModes']],
]);
const SEALABLE: ReadonlySet<string> = new Set(['ConfigMap', 'Secret']);

export function immutableProblem(
  object: string,
  live: JsonObject,
  fields: readonly FieldChange[],
): ObjectProblem | undefined {
  const kind = kindIn(object);
  const isSealed = SEALABLE.has(kind) && live['immutable'] === true;
  const paths = isSealed ? ['data', 'binaryData', 'immutable'] : (IMMUTABLE.get(kind) ?? []);
  // Of a field that is not set there is nothing to keep.
  const isSet = (path: string): boolean => isSealed || valueAt(live, ...path.split('.')) !== undefined;
  const changed = fields.filter(({ field }) =>
    paths.some(
      (path) => isSet(path) && (field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`)),
    ),
  );
  if (changed.length === 0) return undefined;
  return {
    kind: 'immutable',
    reason: `Fields of the simulated object \`${object}\` cannot be changed once they are set: ${fieldList(changed)}.`,
    advice: 'Give the object another name in the bundle, or remove it before the upgrade.',
  };
}

/** The API of a cluster refuses a workload that runs nothing. */
export function emptyProblem(object: string, content: JsonObject): ObjectProblem | undefined {
  if (templatePath(content) === undefined || containersOf(content).length > 0) return undefined;
  return {
    kind: 'refused',
    reason: `The simulated workload \`${object}\` has no containers in its template.`,
    advice: 'Correct the bundle of the version.',
  };
}

function isBalanced(live: JsonObject): boolean {
  return live['kind'] === 'Service' && valueAt(live, 'spec', 'type') === 'LoadBalancer';
}

const ADDRESS = 'its address is released, and it may get another one when it is created again';

/** Why a removal cannot be undone; undefined if it can. */
export function finalRemoval(live: JsonObject): string | undefined {
  const finalizers = valueAt(live, 'metadata', 'finalizers');
  if (Array.isArray(finalizers) && finalizers.length > 0)
    return `its finalizers clean up before it is removed (${finalizers.join(', ')})`;
  return isBalanced(live) ? ADDRESS : undefined;
}

/** Why a change cannot be undone; undefined if it can. */
export function finalChange(live: JsonObject, next: JsonObject): string | undefined {
  const [present, wanted] = [definitionOf(live), definitionOf(next)];
  const served = valueAt(next, 'spec', 'versions');
  const kept = new Set((Array.isArray(served) ? served : []).map((one: unknown) => valueAt(one, 'name')));
  const dropped = present?.stored.filter((one) => !kept.has(one.slice(one.indexOf('/') + 1))) ?? [];
  if (wanted !== undefined && dropped.length > 0) return `it drops ${dropped.join(', ')}, in which objects are stored`;
  return isBalanced(live) && !isBalanced(next) ? ADDRESS : undefined;
}
