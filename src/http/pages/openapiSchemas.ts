import type { Shape } from '../../foundation/schema/shape.ts';
import type { JsonSchema } from '../../wire/fields/fields.ts';

function isSchema(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null;
}

/** Collects the shapes that have a title, so that the document defines each of them once and refers to it elsewhere. */
export function createDefinitions() {
  const sources = new Map<string, Shape>();
  const schemas: Record<string, JsonSchema> = {};

  function inlined(shape: Shape): JsonSchema {
    const { properties, items, additionalProperties, anyOf } = shape;
    return {
      ...shape,
      ...(isSchema(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, isSchema(one) ? schemaOf(one) : one]),
        ),
      }),
      ...(isSchema(items) && { items: schemaOf(items) }),
      ...(isSchema(additionalProperties) && { additionalProperties: schemaOf(additionalProperties) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isSchema).map(schemaOf) }),
    };
  }

  /** Returns the schema of a shape, or a reference to its definition. */
  function schemaOf(shape: Shape): JsonSchema {
    const { title } = shape;
    if (typeof title !== 'string') return inlined(shape);
    const known = sources.get(title);
    if (known === undefined) {
      sources.set(title, shape);
      schemas[title] = inlined(shape);
    } else if (known !== shape) throw new Error(`two shapes have the title ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  return { schemas, schemaOf };
}
