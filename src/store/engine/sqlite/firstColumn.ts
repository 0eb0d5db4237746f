import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Row } from '../script.ts';

/** Runs a statement outside the runner. */
export function rowsOf(database: DatabaseSyncInstance, sql: string): readonly Row[] {
  return database
    .prepare(sql)
    .all()
    .map((found) => ({ ...found }));
}

/** Runs a statement outside the runner, such as a pragma, and returns the first column of its rows. */
export function firstColumn(database: DatabaseSyncInstance, sql: string): readonly unknown[] {
  const found: readonly unknown[] = database.prepare(sql).all();
  return found.map((row) => (typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined));
}
