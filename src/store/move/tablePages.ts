// Reads a table in the order of its primary key, in pages of a bounded number of rows and bytes. The same rows have the same order on
// both engines, because keys are compared byte by byte.
import type { Column, Dialect } from '../engine/dialect.ts';
import type { Row, Script, Value } from '../engine/script.ts';
import { rows } from '../engine/script.ts';
import type { TableLayout } from './tableLayout.ts';

export interface PageLimits {
  readonly rows: number;
  /** A row that is larger than this is a page alone. */
  readonly bytes: number;
}

export type Key = readonly Value[];

export interface TablePage {
  readonly rows: readonly Key[];
  /** The key of its last row; undefined if it has no rows. */
  readonly last: Key | undefined;
  readonly isLast: boolean;
}

function valuesOf(row: Row, columns: readonly Column[]): Key {
  return columns.map(({ name }) => row[name] ?? null);
}

function parameters(count: number, after: number): string {
  return `(${Array.from({ length: count }, (_, n) => `$${after + n + 1}`).join(', ')})`;
}

/** Creates the functions that read one table on one engine. */
export function createTableReader({ bytewise }: Dialect, { name, columns, key }: TableLayout) {
  const ordered = key.map((column) => (column.type === 'text' ? bytewise(column.name) : column.name));
  const keys = `(${ordered.join(', ')})`;
  const order = ordered.join(', ');
  const list = columns.map((column) => column.name).join(', ');
  const texts = columns.filter(({ type }) => type === 'text');
  const bytes = texts.map((column) => `coalesce(octet_length(${column.name}), 0)`).join(' + ') || '0';

  /** The rows after one key, up to another one. Without keys: from the first row, to the last one. */
  function* readRange(after: Key | undefined, through: Key | undefined): Script<readonly Key[]> {
    const conditions = [
      ...(after === undefined ? [] : [`${keys} > ${parameters(key.length, 0)}`]),
      ...(through === undefined ? [] : [`${keys} <= ${parameters(key.length, after?.length ?? 0)}`]),
    ];
    const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
    const found = yield* rows(
      `select ${list} from ${name}${where} order by ${order}`,
      ...(after ?? []),
      ...(through ?? []),
    );
    return found.map((row) => valuesOf(row, columns));
  }

  return {
    readRange,

    /** Looks at the sizes first, so that a page of large rows is never read as a whole. */
    *readPage(after: Key | undefined, limits: PageLimits): Script<TablePage> {
      const where = after === undefined ? '' : ` where ${keys} > ${parameters(key.length, 0)}`;
      const sizes = yield* rows(
        `select ${key.map((column) => column.name).join(', ')}, ${bytes} as bytes_of_row from ${name}${where} order by ${order} limit ${limits.rows}`,
        ...(after ?? []),
      );
      let [count, total] = [0, 0];
      for (const size of sizes) {
        total += Number(size['bytes_of_row']);
        if (count > 0 && total > limits.bytes) break;
        count += 1;
      }
      const end = sizes[count - 1];
      if (end === undefined) return { rows: [], last: undefined, isLast: true };
      const last = valuesOf(end, key);
      const isLast = sizes.length < limits.rows && count === sizes.length;
      return { rows: yield* readRange(after, last), last, isLast };
    },

    *countRows(): Script<number> {
      const [found] = yield* rows(`select count(*) as n from ${name}`);
      return Number(found?.['n'] ?? 0);
    },
  };
}
