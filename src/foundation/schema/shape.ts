// JSON Schemas that carry the type of the values they describe, for the bodies of answers: the compiler checks a handler against
// the schema that the OpenAPI document shows. They are plain objects, because the builder of TypeBox adds 7 ms to every start.

declare const VALUE: unique symbol;

/** A JSON Schema of values of type `T`. A shape with a `title` is one definition of the document, however often it is used. */
export interface Shape<out T = unknown> {
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: T;
}

export type ShapeType<S> = S extends Shape<infer T> ? T : never;

/** A property that may be absent. */
interface OptionalProperty<out T = unknown> {
  readonly optional: Shape<T>;
}

export type Properties = Readonly<Record<string, Shape | OptionalProperty>>;

type OptionalNames<P extends Properties> = { [K in keyof P]: P[K] extends OptionalProperty ? K : never }[keyof P];

type PropertyType<P> = P extends OptionalProperty<infer T> ? T : ShapeType<P>;

/** Shows an intersection as one object in the messages of the compiler. */
type Flat<T> = { [K in keyof T]: T[K] };

export type ObjectType<P extends Properties> = Flat<
  { readonly [K in Exclude<keyof P, OptionalNames<P>>]: PropertyType<P[K]> } & {
    readonly [K in OptionalNames<P>]?: PropertyType<P[K]>;
  }
>;

function described(schema: Shape<never>, about: string | undefined): Shape<never> {
  return about === undefined ? schema : { ...schema, description: about };
}

export function text(about?: string): Shape<string> {
  return described({ type: 'string' }, about);
}

export function integer(about?: string): Shape<number> {
  return described({ type: 'integer' }, about);
}

export function flag(about?: string): Shape<boolean> {
  return described({ type: 'boolean' }, about);
}

/** A time in milliseconds since 1970. */
export function time(about: string): Shape<number> {
  return { type: 'integer', format: 'int64', description: `${about} In milliseconds since 1970.` };
}

export function choice<const C extends string | number>(choices: readonly C[], about?: string): Shape<C> {
  return described({ type: typeof choices[0] === 'number' ? 'integer' : 'string', enum: choices }, about);
}

/** Any JSON value. */
export function anything(about: string): Shape {
  return { description: about };
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  const { description, ...schema } = shape;
  if (shape['title'] !== undefined) return { anyOf: [shape, { type: 'null' }] };
  return { anyOf: [schema, { type: 'null' }], ...(description === undefined ? {} : { description }) };
}

export function list<T>(items: Shape<T>, about?: string): Shape<readonly T[]> {
  return described({ type: 'array', items }, about);
}

/** An object whose keys are data. */
export function map<T>(values: Shape<T>, about?: string): Shape<Readonly<Record<string, T>>> {
  return described({ type: 'object', additionalProperties: values }, about);
}

export function either<A, B>(one: Shape<A>, other: Shape<B>): Shape<A | B> {
  return { anyOf: [one, other] };
}

export function optional<T>(shape: Shape<T>): OptionalProperty<T> {
  return { optional: shape };
}

function isOptional(property: Shape | OptionalProperty): property is OptionalProperty {
  return 'optional' in property;
}

export function object<P extends Properties>(properties: P): Shape<ObjectType<P>> {
  const entries = Object.entries(properties);
  return {
    type: 'object',
    required: entries.filter(([, property]) => !isOptional(property)).map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, property]) => [name, isOptional(property) ? property.optional : property]),
    ),
  };
}

/** An object that may have more fields than the shape names. */
export function open<T>(shape: Shape<T>): Shape<T> {
  return { ...shape, additionalProperties: true };
}

/** Gives a shape the name under which the document defines it once. */
export function named<T>(title: string, shape: Shape<T>, more: { readonly examples?: readonly T[] } = {}): Shape<T> {
  return { title, ...shape, ...more };
}
