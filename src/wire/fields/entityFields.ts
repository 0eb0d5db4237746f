// The fields of an entity in operations that create or change it. answers/entityShape.ts has those of answers.
import type { Entity, EntityField, RequiredNames, TextReader, ValueOf } from '../../model/entity/field.ts';
import { byKind, eachField } from '../../model/entity/field.ts';
import type { Field, FieldReader } from './fields.ts';
import { boolean, choice, integer, label, optional, required, text, webAddress } from './fields.ts';
import { changeTypes, headerName, receiverAddress } from './webhookFields.ts';

const TEXT_READERS: Readonly<Record<TextReader, (max: number) => FieldReader<string>>> = {
  name: label,
  webAddress: () => webAddress,
  receiverAddress: () => receiverAddress,
  headerName: () => headerName,
};

/** The reader of a form field, which entries of import documents share. */
export function readerOf(field: EntityField): FieldReader<unknown> {
  return byKind<FieldReader<unknown>>(field, {
    text: ({ reader, max }) => (reader === undefined ? text(max) : TEXT_READERS[reader](max)),
    choice: ({ choices }) => choice(choices),
    integer: ({ min, max }) => integer(min, max),
    flag: () => boolean,
    eventTypes: () => changeTypes,
  });
}

type EditFields<E extends Entity> = { readonly [K in keyof E]: Field<ValueOf<E[K]>, false> };
type CreateFields<E extends Entity> = {
  readonly [K in keyof E]: Field<ValueOf<E[K]>, K extends RequiredNames<E> ? true : false>;
};

/** The fields of an operation that changes an entity: those that are not sent keep their values. */
export function editFields<E extends Entity>(fields: E): EditFields<E> {
  return eachField(fields, (field) => optional(readerOf(field), field.help));
}

/** The fields of an operation that creates an entity: those without a default must be sent. */
export function createFields<E extends Entity>(fields: E): CreateFields<E> {
  return eachField(fields, (field) =>
    field.default === undefined ? required(readerOf(field), field.help) : optional(readerOf(field), field.help),
  );
}
