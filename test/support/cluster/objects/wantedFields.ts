// Compares the fields that a bundle gives an object with those that it has in the cluster.
import type { Json, JsonFields, LiveObject } from './clusterFacts.ts';
import { fieldsOf, textOf } from './clusterFacts.ts';

export interface FieldRules {
  /** The checksums of the manifest, by reference. */
  readonly digests: Readonly<Record<string, string>>;
  /** Workloads whose replicas an autoscaler of the bundle sets, as `kind/name`. */
  readonly autoscaled: ReadonlySet<string>;
}

/** The fields that name the entry of a list, by the field of the list. */
const KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'name',
  versions: 'name',
};
const QUANTITIES = /\.(?:requests|limits|capacity|hard)\./;
const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
};

function quantity(value: Json | undefined): number | undefined {
  const [, count, unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(textOf(value)) ?? [];
  const factor = UNITS[unit];
  return count === undefined || factor === undefined ? undefined : Number((Number(count) * factor).toPrecision(12));
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The entries of a list by the field that names them; undefined if it is a list of texts or one that is replaced whole. */
export function namedEntries(field: string, list: readonly Json[]): Readonly<Record<string, Json>> | undefined {
  const key = KEYS[field];
  if (key === undefined) return undefined;
  const named = list.map((one) => [textOf(fieldsOf(one)[key]), one] as const);
  return named.some(([name]) => name === '') ? undefined : Object.fromEntries(named);
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

interface Compared {
  readonly path: string;
  /** The name of the field that has the values. */
  readonly field: string;
  readonly wanted: Json;
  readonly actual: Json | undefined;
}

function compareChildren(wanted: JsonFields, actual: JsonFields, path: string, rules: FieldRules): readonly string[] {
  return Object.entries(wanted).flatMap(([name, value]) =>
    compare({ path: `${path}.${name}`, field: name, wanted: value, actual: actual[name] }, rules),
  );
}

function compareLists({ path, field, wanted, actual }: Compared, rules: FieldRules): readonly string[] {
  const [all, found] = [wanted as readonly Json[], Array.isArray(actual) ? (actual as readonly Json[]) : []];
  const [byName, foundByName] = [namedEntries(field, all), namedEntries(field, found)];
  if (byName !== undefined && foundByName !== undefined) return compareChildren(byName, foundByName, path, rules);
  const lengths = all.length === found.length ? [] : [`${path}: ${found.length} entries, not ${all.length}`];
  return [
    ...lengths,
    ...all.flatMap((one, n) => compare({ path: `${path}[${n}]`, field: '', wanted: one, actual: found[n] }, rules)),
  ];
}

function isSame({ path, field, wanted, actual }: Compared, { digests }: FieldRules): boolean {
  if (wanted === actual) return true;
  if (field === 'image' && typeof wanted === 'string' && typeof actual === 'string') {
    const digest = digests[wanted];
    return digest !== undefined && actual.endsWith(`@${digest}`);
  }
  const count = quantity(wanted);
  return QUANTITIES.test(path) && count !== undefined && count === quantity(actual);
}

function compare(compared: Compared, rules: FieldRules): readonly string[] {
  const { path, wanted, actual } = compared;
  if (isEmpty(wanted) && isEmpty(actual)) return [];
  if (Array.isArray(wanted)) return compareLists(compared, rules);
  if (typeof wanted === 'object' && wanted !== null)
    return actual === undefined
      ? [`${path}: is missing`]
      : compareChildren(fieldsOf(wanted), fieldsOf(actual), path, rules);
  // Pods must run what the manifest names, so the tag alone is a difference.
  const isPinned = compared.field !== 'image' || textOf(actual).includes('@');
  return isPinned && isSame(compared, rules) ? [] : [`${path}: ${shown(actual)}, not ${shown(wanted)}`];
}

/** The object as the cluster keeps it: texts of a Secret in base64, and no number of replicas if an autoscaler sets it. */
export function normalised(object: LiveObject, { autoscaled }: FieldRules): JsonFields {
  const { stringData, ...rest } = object as JsonFields;
  const texts = Object.entries(fieldsOf(stringData)).map(([name, text]) => [
    name,
    Buffer.from(textOf(text)).toString('base64'),
  ]);
  const withData: JsonFields =
    stringData === undefined ? rest : { ...rest, data: { ...fieldsOf(rest['data']), ...Object.fromEntries(texts) } };
  if (!autoscaled.has(`${object.kind}/${object.metadata.name}`)) return withData;
  const { replicas: _, ...spec } = fieldsOf(withData['spec']);
  return { ...withData, spec };
}

/** The fields that a bundle gives and that the cluster has with another value. */
export function wrongFields(
  wanted: LiveObject,
  actual: LiveObject,
  name: string,
  rules: FieldRules,
): readonly string[] {
  return compareChildren(normalised(wanted, rules), actual, name, rules);
}
