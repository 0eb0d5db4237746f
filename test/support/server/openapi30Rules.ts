// A strict check of an OpenAPI 3.0 document: each object has only the keys that 3.0 knows for its kind, and references lead somewhere.
import { isObject } from '../../../src/foundation/schema/json.ts';

type Kind = 'value' | 'document' | 'info' | 'license' | 'components' | 'pathItem' | 'operation' | 'parameter';
type AnyKind = Kind | 'requestBody' | 'response' | 'media' | 'schema';
type Shape = AnyKind | { readonly each: AnyKind };

const values = (...names: readonly string[]): Readonly<Record<string, Shape>> =>
  Object.fromEntries(names.map((name) => [name, 'value']));

/** The keys of each kind of object, and the kinds of their values. */
const KEYS: Readonly<Record<AnyKind, Readonly<Record<string, Shape>>>> = {
  value: {},
  document: {
    ...values('openapi', 'servers', 'tags', 'security', 'externalDocs'),
    info: 'info',
    paths: { each: 'pathItem' },
    components: 'components',
  },
  info: { ...values('title', 'version', 'description', 'termsOfService', 'contact'), license: 'license' },
  license: values('name', 'url'),
  components: {
    ...values('securitySchemes', 'examples', 'links'),
    schemas: { each: 'schema' },
    responses: { each: 'response' },
    requestBodies: { each: 'requestBody' },
    parameters: { each: 'parameter' },
  },
  pathItem: { ...values('summary', 'description'), get: 'operation', post: 'operation' },
  operation: {
    ...values('operationId', 'tags', 'summary', 'description', 'security', 'deprecated', 'externalDocs'),
    parameters: { each: 'parameter' },
    requestBody: 'requestBody',
    responses: { each: 'response' },
  },
  parameter: {
    ...values('name', 'in', 'required', 'description', 'deprecated', 'allowEmptyValue', 'style', 'explode', 'example'),
    schema: 'schema',
  },
  requestBody: { ...values('description', 'required'), content: { each: 'media' } },
  response: { ...values('description', 'headers'), content: { each: 'media' } },
  media: { ...values('example', 'examples', 'encoding'), schema: 'schema' },
  schema: {
    ...values('title', 'type', 'format', 'description', 'enum', 'nullable', 'default', 'example', 'pattern'),
    ...values('minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'required'),
    ...values('deprecated', 'readOnly', 'writeOnly', 'minProperties', 'maxProperties'),
    properties: { each: 'schema' },
    items: 'schema',
    additionalProperties: 'schema',
    allOf: { each: 'schema' },
    anyOf: { each: 'schema' },
    oneOf: { each: 'schema' },
  },
};

const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object']);

function schemaProblems(
  { type, items, nullable = true, enum: choices }: Readonly<Record<string, unknown>>,
  at: string,
) {
  return [
    ...(type === undefined || TYPES.has(type) ? [] : [`${at}: the type ${JSON.stringify(type)}`]),
    ...((type === 'array') === (items !== undefined)
      ? []
      : [`${at}: an array without items, or items without an array`]),
    ...(nullable === true ? [] : [`${at}: nullable is ${String(nullable)}`]),
    ...(choices === undefined || Array.isArray(choices) ? [] : [`${at}: enum is not a list`]),
  ];
}

/** Names what OpenAPI 3.0 does not allow, with its place. */
export function openapi30Problems(document: object): readonly string[] {
  const hasTarget = (reference: string): boolean =>
    isObject(
      reference
        .split('/')
        .slice(1)
        .reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), document),
    );

  function problemsOf(kind: AnyKind, node: unknown, at: string): readonly string[] {
    if (kind === 'value' || typeof node === 'boolean') return [];
    if (!isObject(node)) return [`${at}: is no object`];
    const { $ref } = node;
    if (typeof $ref === 'string')
      return Object.keys(node).length === 1 && hasTarget($ref) ? [] : [`${at}: the reference ${$ref}`];
    const below = Object.entries(node).flatMap(([key, value]) => {
      const shape = KEYS[kind][key];
      if (shape === undefined) return [`${at}: ${kind} has no ${key}`];
      if (typeof shape === 'string') return problemsOf(shape, value, `${at}.${key}`);
      return Object.entries(value ?? {}).flatMap(([name, one]) => problemsOf(shape.each, one, `${at}.${key}.${name}`));
    });
    return kind === 'schema' ? [...schemaProblems(node, at), ...below] : below;
  }

  return problemsOf('document', document, 'document');
}
