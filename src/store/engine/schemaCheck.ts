// Compares the schema of a store with the one that all migrations together make (`schema.ts`). A store that differs was changed by hand
// or made by a build whose migrations were others: a server on it would be ready, and fail later.
import { StewardError } from '../../foundation/errors.ts';
import { codec, flag, integer, optional, text } from './codec.ts';
import type { Decoded } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Script } from './script.ts';

const columns = codec({
  table: text('table_name'),
  name: text('column_name'),
  isText: flag('is_text'),
  keyPosition: integer('key_position'),
  isRequired: flag('is_required'),
});
const indexed = codec({
  table: text('table_name'),
  index: optional(text('index_name')),
  column: text('column_name'),
  isUnique: flag('is_unique'),
  isPartial: flag('is_partial'),
});

/** One line for a column or an index. */
export interface SchemaLine {
  readonly table: string;
  readonly line: string;
  /** Whether a store may have it besides those of `schema.ts`: an index that a database administrator has added. */
  readonly isHarmless: boolean;
}

function columnLine({ table, name, isText, keyPosition, isRequired }: Decoded<typeof columns>): SchemaLine {
  const key = keyPosition === 0 ? '' : ` key ${keyPosition}`;
  const type = isText ? 'text' : 'bigint';
  return { table, line: `${table}.${name} ${type}${isRequired ? '' : ' or null'}${key}`, isHarmless: false };
}

function indexLines(found: readonly Decoded<typeof indexed>[]): readonly SchemaLine[] {
  const byIndex = new Map<string, Decoded<typeof indexed>[]>();
  for (const one of found) {
    const key = one.index ?? `${one.table}.${one.column}`;
    byIndex.set(key, [...(byIndex.get(key) ?? []), one]);
  }
  return [...byIndex.values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const { table, index, isUnique, isPartial } = first;
    const name = index === undefined ? '' : ` index ${index}`;
    const list = parts.map(({ column }) => column).join(', ');
    const line = `${table}${isUnique ? ' unique' : ''}${name} (${list})${isPartial ? ' where …' : ''}`;
    return { table, line, isHarmless: !isUnique };
  });
}

/** Describes the schema of a store, table by table. */
export function* readSchema({ columnsOfTables, columnsOfIndexes }: Dialect): Script<readonly SchemaLine[]> {
  const ofColumns = (yield* columns.all(columnsOfTables)).map(columnLine);
  return [...ofColumns, ...indexLines(yield* indexed.all(columnsOfIndexes))];
}

/**
 * Lists how a schema differs from what it should be. A store that the next version has migrated has more, which that version promises
 * to be harmless.
 */
export function schemaDifferences(
  found: readonly SchemaLine[],
  expected: readonly string[],
  mayHaveMore: boolean,
): readonly string[] {
  const lines = new Set(found.map(({ line }) => line));
  const known = new Set(expected);
  const tables = new Set(expected.map((line) => line.split(/[ .]/, 1)[0]));
  const missing = expected.filter((line) => !lines.has(line)).map((line) => `lacks ${line}`);
  if (mayHaveMore) return missing;
  const unexpected = found.filter((one) => !one.isHarmless && tables.has(one.table) && !known.has(one.line));
  return [...missing, ...unexpected.map(({ line }) => `has ${line}`)];
}

const MOST_SHOWN = 5;

/** Says in one sentence how the schema differs. */
function differenceText(differences: readonly string[]): string {
  const more = differences.length - MOST_SHOWN;
  return `${differences.slice(0, MOST_SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

export function differentSchema(differences: readonly string[]): StewardError {
  return new StewardError(
    'conflict',
    `The schema of the store is not the one that its migrations make, so Steward does not use it: it ${differenceText(differences)}. Nothing was changed. Start the version that this store was last used with, or restore a backup. If the schema was changed by hand, undo that. "steward doctor" lists all differences.`,
  );
}
