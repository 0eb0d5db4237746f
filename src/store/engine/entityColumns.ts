// The columns of an entity, for the codec of its table.
import type { Entity, EntityField, ValueOf } from '../../model/entity/field.ts';
import { eachField } from '../../model/entity/field.ts';
import type { Field } from './codec.ts';
import { flag, integer, json, oneOf, text } from './codec.ts';

type Columns<E extends Entity> = { readonly [K in keyof E]: Field<ValueOf<E[K]>> };

function columnOf(field: EntityField): Field<string> | Field<number> | Field<boolean> | Field<readonly string[]> {
  switch (field.kind) {
    case 'text':
      return text(field.column);
    case 'choice':
      return oneOf(field.column, field.choices);
    case 'integer':
      return integer(field.column);
    case 'flag':
      return flag(field.column);
    case 'eventTypes':
      return json<readonly string[]>(field.column);
  }
}

export function columnsOf<E extends Entity>(fields: E): Columns<E> {
  return eachField(fields, columnOf);
}
