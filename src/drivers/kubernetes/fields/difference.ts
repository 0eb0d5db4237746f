// The fields in which two states of an object differ, as people write them.
import type { JsonObject } from '../../../foundation/schema/json.ts';
import { isObject, valueAt } from '../../../foundation/schema/json.ts';
import type { FieldSet } from './fieldSet.ts';
import { childOf, elementsOf, keysOf, valueIn } from './fieldSet.ts';
import { withValue } from './places.ts';
import { isSame } from './sameFields.ts';

export interface FieldDifference {
  /** The elements of a field set that lead to it. */
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** What the server counts and records. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
]);

/** Count the changes of a DaemonSet and of a Deployment, as `generation` does. */
const SERVER_ANNOTATIONS = ['deprecated.daemonset.template.generation', 'deployment.kubernetes.io/revision'];

const PLAIN = /^[A-Za-z_][\w-]*$/;

function partOf(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith('k:')) return `[${Object.values(keysOf(element)).join('/')}]`;
  if (element.startsWith('f:')) return PLAIN.test(rest) ? `.${rest}` : `[${rest}]`;
  return element.startsWith('v:') ? `[${String(JSON.parse(rest))}]` : `[${rest}]`;
}

/** `spec.template.spec.containers[web].image`. */
export function fieldName(path: readonly string[]): string {
  return path.map(partOf).join('').replace(/^\./, '');
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** The elements of both values; undefined if they are compared as a whole, as a list whose items have no keys. */
function elementsIn({ before, after }: Pair, set: FieldSet | undefined): readonly string[] | undefined {
  const values = [before, after].filter((value) => value !== undefined);
  if (values.every(isObject)) return [...new Set(values.flatMap(Object.keys))].map((key) => `f:${key}`);
  if (!values.every(Array.isArray) || set === undefined) return undefined;
  const elements = elementsOf(set).filter((element) => /^[kv]:/.test(element));
  const isWhole = values.every((list) => {
    const found = new Set(elements.map((element) => valueIn(list, element)));
    return list.every((item) => found.has(item));
  });
  return elements.length > 0 && isWhole ? elements : undefined;
}

function walk(pair: Pair, set: FieldSet | undefined, path: readonly string[]): readonly FieldDifference[] {
  if (isSame(pair.before, pair.after)) return [];
  const elements = elementsIn(pair, set);
  if (elements === undefined || elements.length === 0) return [{ path, ...pair }];
  const inner = elements.flatMap((element) => {
    const next = { before: valueIn(pair.before, element), after: valueIn(pair.after, element) };
    return walk(next, childOf(set, element), [...path, element]);
  });
  // An item that comes or goes is named by its keys already.
  const keys = keysOf(path.at(-1) ?? '');
  const isKey = (one: FieldDifference): boolean =>
    one.path.length === path.length + 1 && (one.path.at(-1) ?? '').slice(2) in keys;
  const others = inner.filter((one) => !isKey(one));
  return others.length > 0 ? others : inner;
}

function compared(object: object): JsonObject {
  const { status: _, metadata, ...rest } = isObject(object) ? object : {};
  const kept = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => !SERVER_FIELDS.has(key));
  const marks = SERVER_ANNOTATIONS.reduce<JsonObject>((copy, name) => {
    const path = ['annotations', name];
    return valueAt(copy, ...path) === undefined ? copy : withValue(copy, path, undefined);
  }, Object.fromEntries(kept));
  return { ...rest, metadata: marks };
}

/** Compares two states of an object, without its status and what the server counts. `set` tells which lists have keys. */
export function differences(before: object, after: object, set: FieldSet): readonly FieldDifference[] {
  return walk({ before: compared(before), after: compared(after) }, set, []);
}
