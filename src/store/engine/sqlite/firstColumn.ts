import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Row, Value } from '../script.ts';

/** `$1` does not bind by position on SQLite; `?1` does. */
export function positional(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

/** Runs a statement outside the runner. */
export function rowsOf(database: DatabaseSyncInstance, sql: string, values: readonly Value[] = []): readonly Row[] {
  return database
    .prepare(positional(sql))
    .all(...values)
    .map((found) => ({ ...found }));
}

/** Runs a statement outside the runner, such as a pragma, and returns the first column of its rows. */
export function firstColumn(database: DatabaseSyncInstance, sql: string): readonly unknown[] {
  const found: readonly unknown[] = database.prepare(sql).all();
  return found.map((row) => (typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined));
}
