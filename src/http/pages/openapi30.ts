// The OpenAPI document for generators that know only 3.0. It is the same document: what 3.1 says in another way is rewritten.
import type { JsonObject } from '../../foundation/schema/json.ts';
import { isObject } from '../../foundation/schema/json.ts';

const isNull = (value: unknown): boolean => isObject(value) && value['type'] === 'null';

function eachOf(schemas: unknown): JsonObject {
  return isObject(schemas)
    ? Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, rewritten(one)]))
    : {};
}

/** One type and null is a nullable type; several types are alternatives. */
function typed(types: readonly unknown[]): JsonObject {
  const others = types.filter((type) => type !== 'null');
  const [first] = others;
  const isOne = others.length === 1;
  return {
    ...(isOne ? { type: first } : { anyOf: others.map((type) => ({ type })) }),
    ...(others.length < types.length && { nullable: true }),
  };
}

/** Null beside one alternative makes that one nullable. A reference takes nothing beside it, so it is wrapped. */
function alternatives(anyOf: readonly unknown[]): JsonObject {
  const others = anyOf.filter((one) => !isNull(one)).map(rewritten);
  if (others.length === anyOf.length) return { anyOf: others };
  const [only] = others;
  if (only === undefined || others.length > 1) return { anyOf: others, nullable: true };
  if ('$ref' in only) return { allOf: [only], nullable: true };
  const choices = only['enum'];
  return { ...only, nullable: true, ...(Array.isArray(choices) && { enum: [...choices, null] }) };
}

/** Rewrites a schema. `contentMediaType` is left out: 3.0 has nothing like it. */
function rewritten(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const { type, anyOf, oneOf, properties, items, additionalProperties, examples, contentMediaType: _, ...kept } = value;
  const { const: constant, ...rest } = kept;
  return {
    ...(type !== undefined && (Array.isArray(type) ? typed(type) : { type })),
    ...(Array.isArray(anyOf) && alternatives(anyOf)),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(rewritten) }),
    ...(constant !== undefined && { enum: [constant] }),
    ...(properties !== undefined && { properties: eachOf(properties) }),
    ...(items !== undefined && { items: rewritten(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: isObject(additionalProperties) ? rewritten(additionalProperties) : additionalProperties,
    }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    ...rest,
  };
}

function part(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(part);
  return isObject(value) ? eachPart(value) : value;
}

/** Rewrites every schema below a part of the document that is not a schema itself. */
function eachPart(parts: JsonObject): JsonObject {
  const entries = Object.entries(parts).map(([name, one]) => {
    if (name === 'schemas') return [name, eachOf(one)];
    return [name, name === 'schema' ? rewritten(one) : part(one)];
  });
  return Object.fromEntries(entries);
}

/** Returns an OpenAPI 3.1 document as 3.0, which has no identifier of a licence. */
export function asOpenapi30(document: JsonObject): JsonObject {
  const { info, webhooks: _, jsonSchemaDialect: __, ...parts } = document;
  const { license, ...about } = isObject(info) ? info : {};
  const name = isObject(license) ? license['name'] : undefined;
  return { ...eachPart(parts), openapi: '3.0.3', info: { ...about, license: { name } } };
}
