// A change of an object by hand, in the simulated deployment: what the API server of a cluster would refuse is refused here, rather than
// accepted without effect.
import { invalidField } from '../../foundation/errors.ts';
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';
import type { FieldPath } from '../../drivers/simulated/fields/leaves.ts';
import { fieldAt, fieldText, isLeaf, namedItems, readField } from '../../drivers/simulated/fields/leaves.ts';

const IDENTITY: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace']);
const EXAMPLES = 'data.THEME or spec.ports[http].port';

/** Why nothing can be set below the first `depth` steps of a path; undefined if it can. */
function stepProblem(live: JsonObject, path: FieldPath, depth: number): string | undefined {
  const [above, step] = [path.slice(0, depth), path[depth]];
  const found = depth === 0 ? live : fieldAt(live, above);
  if (step === undefined || found === undefined) return undefined;
  const key = typeof step === 'string' ? step : step.item;
  const names = namedItems(found)?.map(({ name }) => name);
  if (names !== undefined) {
    if (typeof step !== 'string' && names.includes(key)) return undefined;
    const name = names.includes(key) ? key : (names[Number(key)] ?? names[0] ?? key);
    const working = fieldText([...above, { item: name }, ...path.slice(depth + 1)]);
    return `names no item of the list ${fieldText(above)}; its items are known by their names, such as ${working}`;
  }
  if (Array.isArray(found))
    return `is in the list ${fieldText(above)}, whose items have no names; such a list cannot be changed here`;
  return isObject(found) ? undefined : `is below ${fieldText(above)}, which is a value and has no fields`;
}

function valueFrom(text: string | undefined, before: unknown): unknown {
  if (text === undefined) {
    if (before === undefined)
      throw invalidField('field', 'is not in the object, so it cannot be removed; send a value');
    if (!isLeaf(before)) throw invalidField('field', 'is an object with fields; name one of them');
    return undefined;
  }
  if (typeof before === 'object' && before !== null)
    throw invalidField(
      'field',
      Array.isArray(before) ? 'is a list; name a field of an item' : 'is an object; name one of its fields',
    );
  if (typeof before === 'number') {
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw invalidField('value', 'must be a number, as the field is one');
    return Number(text);
  }
  if (typeof before !== 'boolean') return text;
  if (text !== 'true' && text !== 'false') throw invalidField('value', 'must be true or false, as the field is one');
  return text === 'true';
}

/** Returns the value to set, in the type of the field; undefined to remove it. Refuses what would have no effect. */
export function handChange(live: JsonObject, field: string, text: string | undefined): unknown {
  const path = readField(field, live);
  if (path === undefined) throw invalidField('field', `must be the path of a field, such as ${EXAMPLES}`);
  if (IDENTITY.has(fieldText(path)))
    throw invalidField(
      'field',
      'must not be apiVersion, kind, metadata.name or metadata.namespace: they tell objects apart',
    );
  for (const depth of path.keys()) {
    const problem = stepProblem(live, path, depth);
    if (problem !== undefined) throw invalidField('field', problem);
  }
  return valueFrom(text, fieldAt(live, path));
}
