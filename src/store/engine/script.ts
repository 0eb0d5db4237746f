/** Times are integers in milliseconds, booleans are 0 and 1, documents are JSON text. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement synchronously on one connection. */
export type Runner = (sql: string, values: readonly Value[]) => readonly Row[];

export interface Statement {
  /** SQL that both engines understand, with `$1`, `$2` … for the values. */
  readonly sql: string;
  readonly values: readonly Value[];
  /**
   * If present, the script goes on at once with no rows, and this is called with the rows before those of the next statement without
   * it arrive. If the statement fails, the whole script does.
   */
  readonly onRows?: (rows: readonly Row[]) => void;
}

/**
 * The body of a transaction: it yields statements and receives their rows. SQLite runs it in one go; PostgreSQL awaits
 * each statement. It is a generator and not async, so that a transaction cannot wait for anything but the database.
 */
export type Script<T> = Generator<Statement, T, readonly Row[]>;

/**
 * Sends the only statement of a script without waiting for its rows: on PostgreSQL it shares the round trip of the next statement.
 * The result can be taken when that one has returned.
 */
export function* ahead<T>(script: Script<T>): Script<() => T> {
  const first = script.next();
  if (first.done === true) return () => first.value;
  let found: readonly Row[] | undefined;
  const { sql, values } = first.value;
  yield {
    sql,
    values,
    onRows(arrived) {
      found = arrived;
    },
  };
  return () => {
    if (found === undefined) throw new Error(`the rows have not arrived yet: ${sql}`);
    const last = script.next(found);
    if (last.done !== true) throw new Error(`more than one statement: ${sql}`);
    return last.value;
  };
}

/** Sends the only statement of a script, whose rows are not needed. */
export function* unread(script: Script<unknown>): Script<void> {
  yield* ahead(script);
}

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
