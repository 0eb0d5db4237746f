// The fields of an entity in answers.
import type { Entity, EntityField, ValueOf } from '../../model/entity/field.ts';
import { eachField } from '../../model/entity/field.ts';
import type { Shape } from '../../foundation/schema/shape.ts';
import { choice, flag, integer, list, text } from '../../foundation/schema/shape.ts';

function shapeOf(field: EntityField): Shape {
  const { about } = field;
  switch (field.kind) {
    case 'text':
      return text(about);
    case 'choice':
      return choice(field.choices, about);
    case 'integer':
      return integer(about);
    case 'flag':
      return flag(about);
    case 'eventTypes':
      return list(text(), about);
  }
}

/** The fields of an answer that shows an entity. */
export function answerFields<E extends Entity>(fields: E): { readonly [K in keyof E]: Shape<ValueOf<E[K]>> } {
  return eachField(fields, shapeOf);
}
