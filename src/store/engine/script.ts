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

/** For a statement whose rows have one column of integers: ids, a count, a maximum. */
export function* numbers(sql: string, ...values: readonly Value[]): Script<readonly number[]> {
  return (yield { sql, values }).flatMap(Object.values<Value>).map((value) => {
    if (typeof value !== 'number') throw new TypeError(`no integer: ${sql}`);
    return value;
  });
}
