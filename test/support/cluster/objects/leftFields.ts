// Finds the fields that a former bundle gave an object and that it still has, although the new bundle does not give them.
import type { Json, JsonFields, LiveObject } from './clusterFacts.ts';
import { fieldsOf, textOf } from './clusterFacts.ts';
import { namedEntries } from './wantedFields.ts';

/** Managers that write when someone runs them. Their fields go with the version that had them. */
const WRITES_ONCE = /^(?:kubectl|steward)/;

interface Place {
  readonly path: string;
  readonly former: Json;
  readonly wanted: Json | undefined;
  readonly actual: Json | undefined;
  /** The same place in the sets of fields of the managers that reconcile. */
  readonly owned: readonly Json[];
}

/** The part of a set of fields below a field or an entry of a list. */
function below(set: Json, name: string, isEntry: boolean): Json | undefined {
  const fields = fieldsOf(set);
  if (!isEntry) return fields[`f:${name}`];
  return Object.entries(fields).find(([key]) => key.startsWith('k:') && key.includes(JSON.stringify(name)))?.[1];
}

/** Lists whose entries have names become records of them. */
function childrenOf(field: string, value: Json | undefined): JsonFields | undefined {
  if (Array.isArray(value)) return namedEntries(field, value as readonly Json[]);
  return typeof value === 'object' && value !== null ? (value as JsonFields) : undefined;
}

function leftBelow(field: string, { path, former, wanted, actual, owned }: Place): readonly string[] {
  if (actual === undefined || owned.some((set) => Object.keys(fieldsOf(set)).length === 0)) return [];
  const children = childrenOf(field, former);
  if (children === undefined)
    return wanted === undefined && JSON.stringify(actual) === JSON.stringify(former)
      ? [`${path}: still ${JSON.stringify(actual)}`]
      : [];
  const [kept, live] = [childrenOf(field, wanted) ?? {}, childrenOf(field, actual) ?? {}];
  const isEntry = Array.isArray(former);
  return Object.entries(children).flatMap(([name, value]) =>
    leftBelow(name, {
      path: `${path}.${name}`,
      former: value,
      wanted: kept[name],
      actual: live[name],
      owned: owned.flatMap((set) => below(set, name, isEntry) ?? []),
    }),
  );
}

/** All three as the cluster keeps them: see `normalised`. */
export function leftFields(
  name: string,
  former: JsonFields,
  wanted: JsonFields,
  actual: LiveObject,
): readonly string[] {
  const entries = (actual.metadata['managedFields'] ?? []) as readonly JsonFields[];
  const owned = entries
    .filter(({ manager }) => !WRITES_ONCE.test(textOf(manager)))
    .flatMap(({ fieldsV1 }) => (fieldsV1 === undefined ? [] : [fieldsV1]));
  return leftBelow('', { path: name, former, wanted, actual, owned });
}
