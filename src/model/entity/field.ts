// An entity is a table of fields: plain data, from which readers, answers, columns, forms and documents follow, each in one step
// (`readerOf`, `answerFields`, `columnsOf`, `EntityFields`). It knows neither SQL nor React.

/** What the field of every kind has. */
interface AnyField {
  /** The name of its column. */
  readonly column: string;
  /** What people see beside it. */
  readonly label: string;
  /** One sentence about a value that is sent, for the OpenAPI document, the help of the CLI and forms. */
  readonly help: string;
  /** One sentence about a value that is read, for the answers of the OpenAPI document. */
  readonly about?: string;
  /** What the form says instead of `help`; empty if its label says enough. */
  readonly formHelp?: string;
  /** An example in the empty input of a form. */
  readonly placeholder?: string;
}

/** Readers of texts that obey more than a length; `wire/fields/entityFields.ts` has them by this name. */
export type TextReader = 'name' | 'webAddress' | 'receiverAddress' | 'headerName';

export interface TextField extends AnyField {
  readonly kind: 'text';
  readonly max: number;
  /** The value of what is created without it. Without a default the field is required. */
  readonly default?: string;
  readonly reader?: TextReader;
  /** Set if people write more than a line. */
  readonly isLong?: true;
}

export interface ChoiceField<C extends string = string> extends AnyField {
  readonly kind: 'choice';
  readonly choices: readonly C[];
  readonly default?: C;
  /** The choices as people read them. */
  readonly labels?: { readonly [K in C]: string };
}

export interface IntegerField extends AnyField {
  readonly kind: 'integer';
  readonly min: number;
  readonly max: number;
  readonly default?: number;
  /** What it counts, such as `s`. */
  readonly unit?: string;
}

export interface FlagField extends AnyField {
  readonly kind: 'flag';
  readonly default?: boolean;
  /** How people read true and false. */
  readonly labels?: { readonly true: string; readonly false: string };
}

/** A list of types of events. */
export interface EventTypesField extends AnyField {
  readonly kind: 'eventTypes';
  readonly default?: readonly string[];
}

export type EntityField = TextField | ChoiceField | IntegerField | FlagField | EventTypesField;
export type Entity = Readonly<Record<string, EntityField>>;
export type FieldOf<K extends EntityField['kind']> = Extract<EntityField, { readonly kind: K }>;

/** What depends on the kind of a field, as a table: a new kind compiles only where every table knows it. */
export function byKind<T>(
  field: EntityField,
  of: { readonly [K in EntityField['kind']]: (field: FieldOf<K>) => T },
): T {
  if (field.kind === 'text') return of.text(field);
  if (field.kind === 'choice') return of.choice(field);
  if (field.kind === 'integer') return of.integer(field);
  if (field.kind === 'flag') return of.flag(field);
  return of.eventTypes(field);
}

/** The value of a field, once it is read. */
export type ValueOf<F> = F extends { readonly kind: 'text' }
  ? string
  : F extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
    ? C
    : F extends { readonly kind: 'integer' }
      ? number
      : F extends { readonly kind: 'flag' }
        ? boolean
        : F extends { readonly kind: 'eventTypes' }
          ? readonly string[]
          : never;

/** The object that the fields of an entity describe. */
export type EntityValues<E extends Entity> = { readonly [K in keyof E]: ValueOf<E[K]> };
/** The values that someone has sent. */
export type GivenValues<E extends Entity> = { readonly [K in keyof E]?: ValueOf<E[K]> | undefined };

export type RequiredNames<E extends Entity> = {
  [K in keyof E]: E[K] extends { readonly default: unknown } ? never : K;
}[keyof E];

/** What creates an entity: values without a default must be given. */
export type NewValues<E extends Entity> = GivenValues<E> & {
  readonly [K in RequiredNames<E>]: ValueOf<E[K]>;
};

/** Checks the fields of an entity and keeps their exact types. */
export function entity<const E extends Entity>(fields: E): E {
  return fields;
}

/** The fields with their names, in their order. */
export function fieldsOf<E extends Entity>(fields: E): readonly (readonly [keyof E & string, EntityField])[] {
  return Object.entries(fields);
}

/**
 * Makes something for each field. The caller promises that `of` returns what its own type says of the field; this is the one place
 * where that is believed. It is a loop, because an export calls it for every service: with entries, it took four times as long.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is the type of the result
export function eachField<E extends Entity, T extends { readonly [K in keyof E]?: unknown }>(
  fields: E,
  of: (field: EntityField, name: keyof E & string) => unknown,
): T {
  const made: Record<string, unknown> = {};
  for (const name in fields) {
    const field = fields[name];
    if (field !== undefined) made[name] = of(field, name);
  }
  return made as T;
}

/** The fields of an entity, without what else an object has. */
export function valuesOf<E extends Entity>(fields: E, from: EntityValues<E>): EntityValues<E> {
  return eachField(fields, (_field, name) => from[name]);
}

/** The values of a new entity: what is given, and defaults. */
export function newValues<E extends Entity>(fields: E, given: NewValues<E>): EntityValues<E> {
  return eachField(fields, (field, name) => given[name] ?? field.default);
}

/** Fields that are given replace those of the entity. */
export function changedValues<E extends Entity>(
  fields: E,
  before: EntityValues<E>,
  given: GivenValues<E>,
): EntityValues<E> {
  return eachField(fields, (_field, name) => given[name] ?? before[name]);
}

/** The values with another one of this field. */
export function withValue<E extends Entity>(
  fields: E,
  values: EntityValues<E>,
  name: keyof E & string,
  value: unknown,
): EntityValues<E> {
  return eachField(fields, (_field, one) => (one === name ? value : values[one]));
}

/** Whether a value is given at all. */
export function hasValues(values: object): boolean {
  return Object.values(values).some((value) => value !== undefined);
}

/** What an edit has to send: the fields whose values differ. The others are undefined. */
export function changesOf<E extends Entity>(
  fields: E,
  before: EntityValues<E>,
  after: EntityValues<E>,
): GivenValues<E> {
  return eachField(fields, (_field, name) => (after[name] === before[name] ? undefined : after[name]));
}
