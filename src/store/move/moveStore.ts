// Copies a whole store to an empty one, table by table. It can be ended at any moment and run again: the target records how far
// each table is (`engine/moveMarker.ts`), in the transaction of the rows. At the end both sides are compared row for row.
import { createHash } from 'node:crypto';
import type { Clock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { appliedMigrations } from '../engine/migrate.ts';
import { SCHEMA_MIGRATION, migrations } from '../engine/migrations.ts';
import type { Script } from '../engine/script.ts';
import { numbers, rows } from '../engine/script.ts';
import type { Decoded } from '../engine/codec.ts';
import type { Comparison } from './compareTable.ts';
import { compareTable } from './compareTable.ts';
import type { CopyOptions } from './copyTable.ts';
import { clearTable, copyTable } from './copyTable.ts';
import type { MoveMarker, TableProgress } from '../engine/moveMarker.ts';
import { MARKER_TABLES, completeMove, createMarker, readMarker, refuseUnfinishedMove } from '../engine/moveMarker.ts';
import type { TableLayout } from './tableLayout.ts';
import { readLayouts } from './tableLayout.ts';
import type { PageLimits } from './tablePages.ts';
import { createTableReader } from './tablePages.ts';

type AppliedMigration = Decoded<typeof appliedMigrations>;

export interface MoveReport {
  /** A move begins, or goes on after it was interrupted. */
  begin(isResumed: boolean): void;
  copied(progress: TableProgress, total: number): void;
  compared(comparison: Comparison): void;
  /** The source was changed after an earlier run had copied the table. */
  copyAgain(table: string): void;
}

export interface MoveOptions extends Omit<CopyOptions, 'onCopied' | 'limits'> {
  /** The source in words, without a password. */
  readonly from: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly report: MoveReport;
  readonly limits?: PageLimits;
}

export interface MoveResult {
  readonly comparisons: readonly Comparison[];
  /** When an earlier run completed the move; undefined if this one did. */
  readonly completedBefore: number | undefined;
}

const LIMITS: PageLimits = { rows: 1000, bytes: 4 * 1024 * 1024 };
const MIGRATION_TABLE = 'schema_migration';

function conflict(message: string): StewardError {
  return new StewardError('conflict', message);
}

function namesOf(list: readonly { readonly name: string }[]): string {
  return list.map(({ name }) => name).join(', ');
}

/** Refuses a source whose schema is not exactly that of this version. */
function refuseOtherSchema(applied: readonly AppliedMigration[]): void {
  const missing = migrations.filter(({ name }) => !applied.some((one) => one.name === name));
  const unknown = applied.filter(({ name }) => !migrations.some((one) => one.name === name));
  if (unknown.length > 0)
    throw conflict(
      `The source has the schema of a newer version of Steward (${namesOf(unknown)}). Use that version for the move.`,
    );
  if (missing.length > 0)
    throw conflict(
      `The source has the schema of an older version of Steward (it lacks ${namesOf(missing)}). Start this version on it once, stop it, and run move-store again.`,
    );
}

/** Reads which migrations the source has. Refuses one that is not a complete store of this version. */
async function readSchema(source: Engine): Promise<readonly AppliedMigration[]> {
  const [count] = await source.read(numbers(source.dialect.countTables, MIGRATION_TABLE));
  if (count === 0) throw conflict('The source is not a store of Steward.');
  await refuseUnfinishedMove(source);
  const applied = await source.read(appliedMigrations.all(appliedMigrations.select));
  refuseOtherSchema(applied);
  return applied;
}

/** A store is known by the times at which its schema was created. A backup of it counts as the same store. */
function fingerprintOf(applied: readonly AppliedMigration[]): string {
  const times = applied.map(({ name, appliedAt }) => `${name} ${appliedAt}`).toSorted();
  return createHash('sha256').update(times.join('\n')).digest('hex');
}

/** Whether there is nothing in a database yet. Opening SQLite creates the table of migrations. */
function* isEmpty(layouts: readonly TableLayout[]): Script<boolean> {
  if (layouts.some(({ name }) => name !== MIGRATION_TABLE)) return false;
  if (layouts.length === 0) return true;
  const [count = 0] = yield* numbers(`select count(*) as n from ${MIGRATION_TABLE}`);
  return count === 0;
}

/** Creates the schema and the marker in an empty target, in one transaction. Returns the marker that an earlier run has made. */
async function prepareTarget(
  { target, clock, from }: MoveOptions,
  applied: readonly AppliedMigration[],
): Promise<MoveMarker | undefined> {
  const { dialect } = target;
  return target.write('migration', function* (): Script<MoveMarker | undefined> {
    const found = yield* readMarker(dialect);
    if (found !== undefined) return found;
    if (!(yield* isEmpty(yield* readLayouts(dialect))))
      throw conflict(
        'The target has data already, and not from an interrupted move. Nothing was changed. Name an empty database with --to.',
      );
    yield* rows(SCHEMA_MIGRATION);
    for (const { statements } of migrations) for (const statement of statements(dialect)) yield* rows(statement);
    for (const one of applied) yield* appliedMigrations.insert(one);
    const tables = (yield* readLayouts(dialect)).map(({ name }) => name).filter((name) => name !== MIGRATION_TABLE);
    // What migrations have inserted comes from the source, like all other rows.
    for (const name of tables) yield* rows(`delete from ${name}`);
    const marker = { fingerprint: fingerprintOf(applied), from, began: clock.now() };
    yield* createMarker(dialect, marker, tables);
    return undefined;
  });
}

/** Refuses a target that an earlier run prepared for another source or with another schema. */
async function refuseOtherMove(
  { target }: MoveOptions,
  { fingerprint, from, began }: MoveMarker,
  applied: readonly AppliedMigration[],
): Promise<void> {
  const there = await target.read(appliedMigrations.all(appliedMigrations.select));
  if (fingerprintOf(applied) === fingerprint && fingerprintOf(there) === fingerprint) return;
  const names = (list: readonly AppliedMigration[]): string =>
    list
      .map(({ name }) => name)
      .toSorted()
      .join(', ');
  const why =
    names(there) === names(applied)
      ? `a move of another store, ${from}, began on it on ${new Date(began).toISOString()}`
      : 'the schema of the source was changed after the move had begun';
  throw conflict(`The target cannot be used: ${why}. Nothing was changed. Name an empty database with --to.`);
}

/** A text that is the same for tables with the same columns, in any order, and the same key. */
function columnsOf({ name, columns, key }: TableLayout): string {
  return JSON.stringify([name, columns.map((column) => column.name).toSorted(), key]);
}

/** The tables to move: all of the target, which this version has created. The source must have them with the same columns. */
async function readTables({ source, target }: MoveOptions): Promise<readonly TableLayout[]> {
  const theirs = (await target.read(readLayouts(target.dialect))).filter(({ name }) => !MARKER_TABLES.has(name));
  const ours = await source.read(readLayouts(source.dialect));
  const known = new Set(ours.map(columnsOf));
  const different = theirs.filter((table) => !known.has(columnsOf(table)));
  if (different.length > 0)
    throw conflict(`The source has other columns than this version of Steward in: ${namesOf(different)}.`);
  return theirs;
}

async function copyNumbers({ source, target }: MoveOptions, tables: readonly TableLayout[]): Promise<void> {
  for (const { name, identity } of tables) {
    if (identity === undefined) continue;
    const { sql, values } = source.dialect.lastNumber(name, identity);
    const [last = 0] = await source.read(numbers(sql, ...values));
    await target.write('shared', function* (): Script<void> {
      for (const statement of target.dialect.setLastNumber(name, identity, last))
        yield* rows(statement.sql, ...statement.values);
    });
  }
}

async function copyAll(options: MoveOptions & CopyOptions, tables: readonly TableLayout[]): Promise<void> {
  for (const layout of tables.filter(({ name }) => name !== MIGRATION_TABLE)) {
    const total = await options.source.read(createTableReader(options.source.dialect, layout).countRows());
    await copyTable(layout, { ...options, onCopied: (progress) => options.report.copied(progress, total) });
  }
  await copyNumbers(options, tables);
}

async function compareAll(
  options: MoveOptions & CopyOptions,
  tables: readonly TableLayout[],
): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const layout of tables) {
    const comparison = await compareTable(layout, options);
    options.report.compared(comparison);
    comparisons.push(comparison);
  }
  return comparisons;
}

function differing(comparisons: readonly Comparison[]): readonly string[] {
  return comparisons.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
}

/** Copies again what the source has changed since an earlier run, and fails if the two sides still differ. */
async function copyDifferences(
  options: MoveOptions & CopyOptions,
  tables: readonly TableLayout[],
  first: readonly Comparison[],
): Promise<readonly Comparison[]> {
  const changed = differing(first);
  if (changed.length === 0) return first;
  for (const layout of tables.filter(({ name }) => changed.includes(name))) {
    options.report.copyAgain(layout.name);
    await clearTable(layout, options);
  }
  await copyAll(options, tables);
  const second = await compareAll(options, tables);
  const left = differing(second);
  if (left.length > 0)
    throw conflict(`The target differs from the source in: ${left.join(', ')}. The move is not complete.`);
  return second;
}

/** Moves a store, or goes on with an interrupted move. Returns how the two sides compare. */
export async function moveStore(given: MoveOptions): Promise<MoveResult> {
  const { source, target, report, clock } = given;
  const options = { ...given, limits: given.limits ?? LIMITS, onCopied: () => undefined };
  const applied = await readSchema(source);
  const marker = await prepareTarget(options, applied);
  if (marker !== undefined) await refuseOtherMove(options, marker, applied);
  const tables = await readTables(options);
  if (marker?.completed !== undefined) {
    const comparisons = await compareAll(options, tables);
    const changed = differing(comparisons);
    if (changed.length === 0) return { comparisons, completedBefore: marker.completed };
    throw conflict(
      `The move to this target was completed on ${new Date(marker.completed).toISOString()}, and the two stores have changed since (${changed.join(', ')}). Nothing was changed. To move again, name an empty database with --to.`,
    );
  }
  report.begin(marker !== undefined);
  await copyAll(options, tables);
  const comparisons = await copyDifferences(options, tables, await compareAll(options, tables));
  await target.write('exclusive', () => completeMove(clock.now()));
  return { comparisons, completedBefore: undefined };
}
