import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { reasonOf } from '../../../foundation/errors.ts';
import { firstColumn } from './firstColumn.ts';
import { storeTroubleOf } from './storeTrouble.ts';

/**
 * A check reads 200 MB a second on a busy machine, and the start waits for it. A store up to this size is checked as a whole;
 * of a larger one, only the tables that do not grow with the traffic.
 */
const CHECKED_WHOLE_BYTES = 512 * 1024 * 1024;
const MOST_ROWS = 100_000;

/** Runs a check and returns the first thing that it finds. */
function damageIn(database: DatabaseSyncInstance, check: string): string | undefined {
  const [verdict = 'ok'] = firstColumn(database, check);
  return verdict === 'ok' ? undefined : String(verdict).replaceAll(/\s+/g, ' ');
}

const TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`;

/** The tables with so few rows that a check of them is quick. */
function smallTables(database: DatabaseSyncInstance): readonly string[] {
  const rowsOf = (name: string): number =>
    Number(firstColumn(database, `select count(*) from (select 1 from "${name}" limit ${MOST_ROWS + 1})`)[0]);
  return firstColumn(database, TABLES)
    .map(String)
    .filter((name) => rowsOf(name) <= MOST_ROWS);
}

/** Looks for damaged pages, in a time that does not grow with the store. Returns what is damaged. */
export function findDamage(
  database: DatabaseSyncInstance,
  bytes: number,
  checkedWhole = CHECKED_WHOLE_BYTES,
): string | undefined {
  try {
    if (bytes <= checkedWhole) return damageIn(database, 'pragma quick_check(1)');
    for (const table of smallTables(database)) {
      const damage = damageIn(database, `pragma quick_check("${table}")`);
      if (damage !== undefined) return damage;
    }
    return undefined;
  } catch (error) {
    if (storeTroubleOf(error) === 'damaged') return reasonOf(error);
    throw error;
  }
}
