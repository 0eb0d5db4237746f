// Reads the OpenAPI document that a server sends, and checks answers against it. A field that the document does not name is a
// problem, although the document allows more fields: clients only find what it names.
import { isObject, valueAt } from '../../../src/foundation/schema/json.ts';

type Json = Readonly<Record<string, unknown>>;

export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

const REFERENCE = /^#\/(.+)$/;

/** Returns what a reference of the document refers to. */
export function resolve(document: OpenapiDocument, node: Json): Json {
  const { $ref } = node;
  if (typeof $ref !== 'string') return node;
  const path = REFERENCE.exec($ref)?.[1]?.split('/') ?? [];
  const found = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document);
  if (!isObject(found)) throw new Error(`${$ref} refers to nothing`);
  return found;
}

const IS_OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

/** The keywords that the checker understands; a schema with another one would not be checked fully. */
const KEYWORDS = new Set([
  'title',
  'description',
  'examples',
  'format',
  'type',
  'enum',
  'anyOf',
  'required',
  'properties',
  'additionalProperties',
  'items',
]);

function objectProblems(document: OpenapiDocument, schema: Json, value: Json, at: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isObject(properties) || !Array.isArray(required)) throw new Error(`${at}: a broken schema`);
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  const wrong = Object.entries(value).flatMap(([name, one]) => {
    const property = properties[name] ?? additionalProperties;
    if (property === true) return [];
    return isObject(property)
      ? problemsOf(document, property, one, `${at}.${name}`)
      : [`${at}.${name} is not in the schema`];
  });
  return [...missing, ...wrong];
}

/** Names what does not fit the schema, with its place. */
export function problemsOf(document: OpenapiDocument, node: Json, value: unknown, at = 'answer'): readonly string[] {
  const schema = resolve(document, node);
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  if (unknown.length > 0) throw new Error(`${at}: the test does not know the keywords ${unknown.join(', ')}`);
  const { type, enum: choices, anyOf, items } = schema;
  if (Array.isArray(anyOf)) {
    const found = anyOf.map((one: Json) => problemsOf(document, one, value, at));
    return found.some((problems) => problems.length === 0) ? [] : found.flat();
  }
  if (typeof type === 'string' && !IS_OF_TYPE[type]?.(value)) return [`${at} is not of type ${type}`];
  if (Array.isArray(choices) && !choices.includes(value)) return [`${at} is ${String(value)}, not ${choices.join()}`];
  if (Array.isArray(value) && isObject(items))
    return value.flatMap((one, n) => problemsOf(document, items, one, `${at}[${n}]`));
  return isObject(value) && type === 'object' ? objectProblems(document, schema, value, at) : [];
}

/** Returns the schema of an answer, by its status and its content type. */
export function schemaOf(
  document: OpenapiDocument,
  { operationId, responses }: DescribedOperation,
  status: '200' | 'default',
  type: string,
): Json {
  const { content } = resolve(document, responses[status] ?? {});
  const media = isObject(content) ? content[type] : undefined;
  if (!isObject(media) || !isObject(media['schema'])) throw new Error(`${operationId} has no ${type} for ${status}`);
  return media['schema'];
}

/** Returns the schemas of the fields in one kind of body. Only a multipart form has all fields: it can carry files. */
export function fieldsOf(
  document: OpenapiDocument,
  operation: DescribedOperation | undefined,
  type = 'multipart/form-data',
): Readonly<Record<string, unknown>> {
  const { content } = resolve(document, operation?.requestBody ?? {});
  const properties = valueAt(content, type, 'schema', 'properties');
  return isObject(properties) ? properties : {};
}

/** All objects within a value, at any depth. */
export function objectsIn(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}
