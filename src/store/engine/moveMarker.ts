// What the target of a move knows about it: where it comes from, and how far each table is. While a move is not complete, no server
// starts on its target. The tables exist only in stores that were moved.
import { StewardError } from '../../foundation/errors.ts';
import { flag, integer, json, optional, text } from './codec.ts';
import type { Dialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import type { Script, Value } from './script.ts';
import { numbers, rows } from './script.ts';
import { table } from './table.ts';

const MOVE = 'store_move';
const MOVED_TABLE = 'store_move_table';
/** The tables of the marker itself, which are not copied when a store is moved again. */
export const MARKER_TABLES: ReadonlySet<string> = new Set([MOVE, MOVED_TABLE]);

const moves = table(MOVE, {
  id: integer('id'),
  /** Identifies the source by its content. */
  fingerprint: text('fingerprint'),
  /** The source in words, without a password. */
  from: text('source'),
  began: integer('began_at'),
  completed: optional(integer('completed_at')),
});
const setCompleted = moves.updater(['id'], ['completed']);

/** How far the copy of a table is. */
export interface TableProgress {
  readonly table: string;
  /** The key of the last row that was copied; undefined before the first. */
  readonly cursor: readonly Value[] | undefined;
  readonly copied: number;
  readonly isCopied: boolean;
}

const progresses = table(MOVED_TABLE, {
  table: text('table_name'),
  cursor: optional(json<readonly Value[]>('last_key')),
  copied: integer('copied'),
  isCopied: flag('is_copied'),
});
export const setProgress = progresses.updater(['table']);

export interface MoveMarker {
  readonly fingerprint: string;
  readonly from: string;
  readonly began: number;
  readonly completed: number | undefined;
}

/** Creates the marker of a move that begins. */
export function* createMarker(
  { key }: Dialect,
  { fingerprint, from, began }: Omit<MoveMarker, 'completed'>,
  tables: readonly string[],
): Script<void> {
  yield* rows(
    `create table ${MOVE} (
      id bigint primary key, fingerprint text not null, source text not null, began_at bigint not null, completed_at bigint)`,
  );
  yield* rows(
    `create table ${MOVED_TABLE} (
      table_name ${key} primary key, last_key text, copied bigint not null, is_copied bigint not null)`,
  );
  yield* moves.insert({ id: 1, fingerprint, from, began, completed: undefined });
  for (const name of tables) yield* progresses.insert({ table: name, cursor: undefined, copied: 0, isCopied: false });
}

/** Reads the marker; undefined in a store that is not the target of a move. */
export function* readMarker({ countTables }: Dialect): Script<MoveMarker | undefined> {
  const [count = 0] = yield* numbers(countTables, MOVE);
  return count === 0 ? undefined : yield* moves.only(moves.select);
}

export function completeMove(at: number): Script<unknown> {
  return setCompleted({ id: 1, completed: at });
}

/** Reads the progress of a table, under lock if `forUpdate` is given. */
export function readProgress(name: string, forUpdate = ''): Script<TableProgress> {
  return progresses.only(`${progresses.select} where table_name = $1${forUpdate}`, name);
}

/** Refuses to use a store that a move has not filled completely. */
export async function refuseUnfinishedMove(engine: Engine): Promise<void> {
  const marker = await engine.read(readMarker(engine.dialect));
  if (marker === undefined || marker.completed !== undefined) return;
  throw new StewardError(
    'conflict',
    `This store is incomplete: it is the target of a move from ${marker.from}, which began on ${new Date(marker.began).toISOString()} and has not ended. Run "steward move-store" again with the same --from and --to; it continues where it stopped.`,
  );
}
