// The tables of a store as its database describes them, so that a move copies every table without a list of them in the code.
import { codec, flag, integer, text } from '../engine/codec.ts';
import type { Column, Dialect } from '../engine/dialect.ts';
import type { Script } from '../engine/script.ts';

export interface TableLayout {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly Column[];
  /** The column that numbers its rows; undefined if it has none. */
  readonly identity: string | undefined;
}

const described = codec({
  table: text('table_name'),
  name: text('column_name'),
  isText: flag('is_text'),
  keyPosition: integer('key_position'),
  isIdentity: flag('is_identity'),
});

/** Reads the layout of all tables, ordered by name. */
export function* readLayouts({ columnsOfTables }: Dialect): Script<readonly TableLayout[]> {
  const found = yield* described.all(columnsOfTables);
  return [...new Set(found.map(({ table }) => table))].map((name) => {
    const columns = found
      .filter(({ table }) => table === name)
      .map((one) => ({ ...one, type: one.isText ? ('text' as const) : ('bigint' as const) }));
    return {
      name,
      columns: columns.map(({ name: column, type }) => ({ name: column, type })),
      key: columns
        .filter(({ keyPosition }) => keyPosition > 0)
        .toSorted((a, b) => a.keyPosition - b.keyPosition)
        .map(({ name: column, type }) => ({ name: column, type })),
      identity: columns.find(({ isIdentity }) => isIdentity)?.name,
    };
  });
}
