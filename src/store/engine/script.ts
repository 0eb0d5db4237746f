/** Times are integers in milliseconds, booleans are 0 and 1, documents are JSON text. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement synchronously on one connection. */
export type Runner = (sql: string, values: readonly Value[]) => readonly Row[];

export interface Statement {
  /** SQL that both engines understand, with `$1`, `$2` … for the values. */
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * The body of a transaction: it yields statements and receives their rows. SQLite runs it in one go; PostgreSQL awaits
 * each statement. It is a generator and not async, so that a transaction cannot wait for anything but the database.
 */
export type Script<T> = Generator<Statement, T, readonly Row[]>;

export function* rows(sql: string, ...values: readonly Value[]): Script<readonly Row[]> {
  return yield { sql, values };
}

export function* row(sql: string, ...values: readonly Value[]): Script<Row | undefined> {
  return (yield { sql, values })[0];
}

export function text(from: Row, column: string): string {
  const value = from[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

export function integer(from: Row, column: string): number {
  const value = from[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} holds no integer`);
  return value;
}

export function optionalInteger(from: Row, column: string): number | undefined {
  return from[column] === null ? undefined : integer(from, column);
}
