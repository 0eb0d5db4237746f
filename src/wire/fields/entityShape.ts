// The fields of an entity in answers.
import type { Entity, EntityField, ValueOf } from '../../model/entity/field.ts';
import { byKind, eachField } from '../../model/entity/field.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import { choice, flag, integer, list, text } from '../../foundation/schema/shape.ts';

function shapeOf(field: EntityField): Shape {
  return byKind<Shape>(field, {
    text: ({ about }) => text(about),
    choice: ({ choices, about }) => choice(choices, about),
    integer: ({ about }) => integer(about),
    flag: ({ about }) => flag(about),
    eventTypes: ({ about }) => list(text(), about),
  });
}

/** The fields of an answer that shows an entity. */
export function answerFields<E extends Entity>(fields: E): { readonly [K in keyof E]: Shape<ValueOf<E[K]>> } {
  return eachField(fields, shapeOf);
}
