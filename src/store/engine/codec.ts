// Codecs: the columns of a table are named once, and rows become objects and objects become rows.
// `table.ts` builds the statements of a table from its codec. Every SQL text is built once, when a codec or a
// statement is created, because both engines find prepared statements by their text.
import type { Column, Dialect, SqlType } from './dialect.ts';
import type { Row, Script, Value } from './script.ts';

/** One value of an object, kept in one or more columns. */
export interface Field<T> {
  readonly columns: readonly Column[];
  read(row: Row): T;
  /** Appends the values of all its columns, in their order. */
  write(value: T, into: Value[]): void;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
/** The object that these fields describe. */
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };
/** The object that a codec or a table reads and writes. */
export type Decoded<C> = C extends Field<infer T> ? T : never;

/** A group of fields. It is a field itself, so an object can contain another one: `scope: codec({ … })`. */
export interface Codec<T> extends Field<T> {
  /** `a, b, c`, or `w.a, w.b, w.c` for the alias `w`. Columns are always listed: a prepared `select *` fails after a migration. */
  list(alias?: string): string;
  /** A batch as a relation named `item` with these columns; the parameter is the text of `batch`. */
  relation(dialect: Dialect, parameter: string): string;
  batch(dialect: Dialect, records: readonly T[]): string;
  readAll(rows: readonly Row[]): readonly T[];
  /** Run a statement and read its rows: all of them, the first, or the one that must exist. */
  all(sql: string, ...values: readonly Value[]): Script<readonly T[]>;
  first(sql: string, ...values: readonly Value[]): Script<T | undefined>;
  only(sql: string, ...values: readonly Value[]): Script<T>;
}

function column<T extends Value>(name: string, type: SqlType, read: (row: Row) => T): Field<T> {
  return {
    columns: [{ name, type }],
    read,
    write: (value, into) => {
      into.push(value);
    },
  };
}

export function text(name: string): Field<string> {
  return column(name, 'text', ({ [name]: value }) => {
    if (typeof value !== 'string') throw new TypeError(`column ${name} holds no text`);
    return value;
  });
}

/** Also for times, which are milliseconds since 1970. */
export function integer(name: string): Field<number> {
  return column(name, 'bigint', ({ [name]: value }) => {
    if (typeof value !== 'number') throw new TypeError(`column ${name} holds no integer`);
    return value;
  });
}

/** A field that is stored in another form: `decode` converts the stored value, `encode` converts it back. */
function converted<S, T>(stored: Field<S>, decode: (value: S) => T, encode: (value: T) => S): Field<T> {
  return {
    columns: stored.columns,
    read: (row) => decode(stored.read(row)),
    write: (value, into) => stored.write(encode(value), into),
  };
}

/** A boolean, stored as 0 or 1. */
export function flag(name: string): Field<boolean> {
  return converted(integer(name), (value) => value === 1, Number);
}

/** One of these words; a row with any other is refused. */
export function oneOf<const T extends string>(name: string, words: readonly T[]): Field<T> {
  const byText = new Map<string, T>(words.map((word) => [word, word]));
  const decode = (value: string): T => {
    const word = byText.get(value);
    if (word === undefined) throw new TypeError(`column ${name} holds ${value}, which is none of ${words.join(', ')}`);
    return word;
  };
  return converted(text(name), decode, (word) => word);
}

/** A document, stored as JSON text. Without `parse` it is trusted to be what this process, or an older one, wrote there. */
export function json<T>(name: string, parse: (value: unknown) => T = (value) => value as T): Field<T> {
  return converted(text(name), (value) => parse(JSON.parse(value)), JSON.stringify);
}

/** A field whose columns are all null when it is undefined. */
export function optional<T>(field: Field<T>): Field<T | undefined> {
  const { columns } = field;
  return {
    columns,
    read: (row) => (columns.every(({ name }) => row[name] === null) ? undefined : field.read(row)),
    write: (value, into) => {
      if (value !== undefined) field.write(value, into);
      else for (let n = 0; n < columns.length; n += 1) into.push(null);
    },
  };
}

export function codec<F extends Fields>(fields: F): Codec<RecordOf<F>> {
  type T = RecordOf<F>;
  const entries: readonly (readonly [keyof F & string, Field<unknown>])[] = Object.entries(fields);
  const columns = entries.flatMap(([, field]) => field.columns);
  const write = (record: T, into: Value[]): void => {
    for (const [key, field] of entries) field.write(record[key], into);
  };
  const read = (row: Row): T => {
    const record: Record<string, unknown> = {};
    for (const [key, field] of entries) record[key] = field.read(row);
    return record as T;
  };
  function* first(sql: string, ...values: readonly Value[]): Script<T | undefined> {
    const [row] = yield { sql, values };
    return row === undefined ? undefined : read(row);
  }
  return {
    columns,
    read,
    readAll: (rows) => rows.map(read),
    *all(sql, ...values) {
      return (yield { sql, values }).map(read);
    },
    first,
    *only(sql, ...values) {
      const found = yield* first(sql, ...values);
      if (found === undefined) throw new Error(`no row: ${sql}`);
      return found;
    },
    write,
    list: (alias) => columns.map(({ name }) => (alias === undefined ? name : `${alias}.${name}`)).join(', '),
    relation: (dialect, parameter) => dialect.relation(parameter, columns),
    batch: (dialect, records) =>
      dialect.batch(
        columns,
        records.map((record) => {
          const values: Value[] = [];
          write(record, values);
          return values;
        }),
      ),
  };
}
