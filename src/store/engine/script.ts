/** Times are integer milliseconds, claims are 0 and 1, documents are JSON text. */
export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** Runs one statement, at once and on one connection. */
export type Runner = (sql: string, values: readonly Value[]) => readonly Row[];

export interface Statement {
  /** Portable SQL with `$1`, `$2` … for its values. */
  readonly sql: string;
  readonly values: readonly Value[];
}

/**
 * The body of a transaction: it yields statements and is handed their rows. SQLite runs it without ever giving way to
 * another caller; PostgreSQL waits between its statements. Because it is not async, nothing else can be awaited inside.
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

export function optionalText(from: Row, column: string): string | undefined {
  return from[column] === null ? undefined : text(from, column);
}

export function optionalInteger(from: Row, column: string): number | undefined {
  return from[column] === null ? undefined : integer(from, column);
}

export function document(from: Row, column: string): unknown {
  const value = optionalText(from, column);
  return value === undefined ? undefined : JSON.parse(value);
}

export function toDocument(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
