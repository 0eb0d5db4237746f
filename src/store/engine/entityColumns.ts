// The columns of an entity, for the codec of its table.
import type { Entity, EntityField, ValueOf } from '../../model/entity/field.ts';
import { byKind, eachField } from '../../model/entity/field.ts';
import type { Field } from './codec.ts';
import { flag, integer, json, oneOf, text } from './codec.ts';

type Columns<E extends Entity> = { readonly [K in keyof E]: Field<ValueOf<E[K]>> };

type AnyColumn = Field<string> | Field<number> | Field<boolean> | Field<readonly string[]>;

function columnOf(field: EntityField): AnyColumn {
  return byKind<AnyColumn>(field, {
    text: ({ column }) => text(column),
    choice: ({ column, choices }) => oneOf(column, choices),
    integer: ({ column }) => integer(column),
    flag: ({ column }) => flag(column),
    eventTypes: ({ column }) => json<readonly string[]>(column),
  });
}

export function columnsOf<E extends Entity>(fields: E): Columns<E> {
  return eachField(fields, columnOf);
}
