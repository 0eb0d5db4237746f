// Checks JSON documents against a JSON Schema and names every problem in words. TypeBox decides whether a document
// fits; if it does not, `explain` walks the document in the order of the schema and collects the texts that the
// schema's nodes carry. TypeBox's own error list has neither our texts nor this order.
import type { Validator, XStatic } from 'typebox/schema';
import { Compile } from 'typebox/schema';
import type { JsonObject } from './json.ts';
import { isObject } from './json.ts';

/** A node of JSON Schema, as far as our documents need it, with the texts of its rules. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Items without a rule are covered by the rule of their list. */
  readonly items?: Schema;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** The problem of a value that does not fit this node; undefined if another field's problem says it already. */
  readonly rule?: string | ((value: unknown, parent: JsonObject) => string | undefined);
  /** What JSON Schema cannot say about a property: returns the problem. Called if the property fits, or is absent. */
  readonly check?: (value: unknown, parent: JsonObject) => string | undefined;
  /** What JSON Schema cannot say about an object as a whole: returns the problem. Called if all properties fit. */
  readonly whole?: (value: JsonObject) => string | undefined;
  /** The problem of a field that the object does not have. Unknown fields are allowed without it. */
  readonly unknownField?: (key: string) => string;
  /** The key by which the objects of a list differ, what one of them is called, and the keys that may be shown. */
  readonly distinct?: { readonly key: string; readonly noun: string; readonly label?: RegExp };
}

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The type of the values that fit a schema. */
export type SchemaType<S> = DeepReadonly<XStatic<S>>;

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  /** Whether it concerns the fields of the object at `path` and not the place of the object in its parent. */
  readonly isInside: boolean;
  readonly text: string;
}

/** Writes where a problem is, with all that separates it from the text. */
export type PlaceFormat = (problem: Problem, document: unknown) => string;

export type Checked<S> =
  | { readonly kind: 'valid'; readonly value: SchemaType<S> }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** For each item of a list the position of an earlier item with the same key. */
function earlierItems(list: readonly unknown[], key: string): readonly (number | undefined)[] {
  const places = new Map<string, number>();
  return list.map((item, n) => {
    const value = isObject(item) ? item[key] : undefined;
    if (typeof value !== 'string') return undefined;
    const earlier = places.get(value);
    if (earlier === undefined) places.set(value, n);
    return earlier;
  });
}

/**
 * Whether a value keeps the rules that JSON Schema cannot express: `whole`, `distinct` and `check`. TypeBox calls this as a
 * refinement.
 */
function keepsRules({ properties = {}, whole, distinct }: Schema, value: unknown): boolean {
  if (Array.isArray(value))
    return distinct === undefined || earlierItems(value, distinct.key).every((one) => one === undefined);
  if (!isObject(value)) return true;
  if (whole?.(value) !== undefined) return false;
  return Object.entries(properties).every(([key, { check }]) => check?.(value[key], value) === undefined);
}

function forTypeBox(schema: Schema): object {
  const { items, properties, unknownField } = schema;
  return {
    ...schema,
    ...(items && { items: forTypeBox(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, forTypeBox(one)])),
    }),
    ...(unknownField && { additionalProperties: false }),
    ...((items ?? properties) && {
      '~refine': [{ check: (value: unknown) => keepsRules(schema, value), error: () => '' }],
    }),
  };
}

const validators = new WeakMap<Schema, Validator>();

function fits(schema: Schema, value: unknown): boolean {
  const validator = validators.get(schema) ?? Compile(forTypeBox(schema));
  validators.set(schema, validator);
  return validator.Check(value);
}

interface Visit {
  readonly schema: Schema;
  readonly value: unknown;
  readonly parent: JsonObject;
  readonly path: Path;
}

/** After this many problems the walk stops: a document with more is wrong throughout, and each of its problems costs time. */
const MAX_FOUND = 1000;

function explainObject(value: JsonObject, { schema, path }: Visit, found: Problem[]): void {
  const { properties = {}, required = [], whole, unknownField } = schema;
  const inside = (text: string): void => void found.push({ path, isInside: true, text });
  const start = found.length;
  for (const [key, property] of Object.entries(properties)) {
    const [one, before] = [value[key], found.length];
    const at = [...path, key];
    if (one !== undefined || required.includes(key))
      explain({ schema: property, value: one, parent: value, path: at }, found);
    const text = found.length === before ? property.check?.(one, value) : undefined;
    if (text !== undefined) found.push({ path: at, isInside: false, text });
  }
  const text = found.length === start ? whole?.(value) : undefined;
  if (text !== undefined) inside(text);
  if (unknownField === undefined) return;
  for (const key of Object.keys(value)) {
    if (found.length >= MAX_FOUND) return;
    if (!Object.hasOwn(properties, key)) inside(unknownField(key));
  }
}

function explainList(list: readonly unknown[], { schema, parent, path }: Visit, found: Problem[]): void {
  const { items = {}, distinct } = schema;
  const earlier = distinct === undefined ? [] : earlierItems(list, distinct.key);
  for (const [n, value] of list.entries()) {
    if (found.length >= MAX_FOUND) return;
    const at = [...path, n];
    explain({ schema: items, value, parent, path: at }, found);
    const place = earlier[n];
    if (distinct !== undefined && place !== undefined)
      found.push({
        path: at,
        isInside: true,
        text: `${distinct.key} is the same as that of ${distinct.noun} ${place + 1}`,
      });
  }
}

function explain(visit: Visit, found: Problem[]): void {
  const { schema, value, parent, path } = visit;
  const { rule, properties, items, minItems = 0, maxItems = Infinity } = schema;
  if (properties !== undefined && isObject(value)) return explainObject(value, visit, found);
  const isList = items?.rule !== undefined && Array.isArray(value);
  if (isList && value.length >= minItems && value.length <= maxItems) return explainList(value, visit, found);
  if (fits(schema, value)) return;
  const text = typeof rule === 'function' ? rule(value, parent) : rule;
  if (text !== undefined) found.push({ path, isInside: false, text });
}

/** Names the problems of a value, in the order of the schema: all of them, or the first thousand. */
export function problemsIn(schema: Schema, value: unknown): readonly Problem[] {
  if (fits(schema, value)) return [];
  const found: Problem[] = [];
  explain({ schema, value, parent: {}, path: [] }, found);
  if (found.length === 0) throw new Error('a value does not fit its schema, and no rule of the schema says why');
  return found;
}

/** Names every problem of a value, each with its place. */
export function problems(schema: Schema, value: unknown, place: PlaceFormat): readonly string[] {
  return problemsIn(schema, value).map((problem) => `${place(problem, value)}${problem.text}`);
}

/** Checks a value and gives it the type of its schema. */
export function parse<const S extends Schema>(schema: S, value: unknown, place: PlaceFormat): Checked<S> {
  const found = problems(schema, value, place);
  return found.length > 0 ? { kind: 'invalid', problems: found } : { kind: 'valid', value: value as SchemaType<S> };
}

export function firstProblems(all: readonly string[], maxCount: number): readonly string[] {
  const more = all.length - maxCount;
  if (more <= 0) return all;
  return [...all.slice(0, maxCount), all.length < MAX_FOUND ? `and ${more} more` : 'and many more'];
}

/** The text of an unknown field. A key is shown only if it cannot do harm on a terminal or in a log. */
export function noSuchField(key: string): string {
  return `unknown field ${/^[\w.-]{1,60}$/.test(key) ? `\`${key}\`` : '(its name is unprintable)'}`;
}
