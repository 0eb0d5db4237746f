import type { Clock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { integer, text } from './codec.ts';
import type { Dialect } from './dialect.ts';
import { beginEarlierStore, finishEarlierStore } from './earlierStore.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrations.ts';
import { SCHEMA_MIGRATION, migrations } from './migrations.ts';
import type { Script } from './script.ts';
import { rows } from './script.ts';
import { differentSchema, readSchema, schemaDifferences } from './schemaCheck.ts';
import { SCHEMA } from './schema.ts';
import { table } from './table.ts';

export function levelOf(list: readonly Pick<Migration, 'level'>[]): number {
  return Math.max(0, ...list.map(({ level }) => level));
}

/** Refuses a store that was migrated by a release more than one level ahead of this one. */
export function refuseNewerLevel(found: number, ours: number): void {
  if (found <= ours + 1) return;
  throw new StewardError(
    'conflict',
    `The store is at schema level ${found}; this version of Steward works on ${ours} and ${ours + 1}. Start a newer version.`,
  );
}

export const appliedMigrations = table('schema_migration', {
  name: text('name'),
  level: integer('level'),
  appliedAt: integer('applied_at'),
});

const UNDEFINED_TABLE = '42P01';
const UNDEFINED_COLUMN = '42703';
const DUPLICATE_TABLE = '42P07';

const hasCode = (error: unknown, ...codes: readonly string[]): error is Error =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** A database on PostgreSQL that another program uses. A file of SQLite names its program. */
function tablesOfAnother(error: Error): StewardError {
  return new StewardError(
    'invalid',
    `The database has tables that Steward did not make (${error.message}). Nothing was changed. Give Steward a database or a schema without tables of other programs.`,
    { cause: error },
  );
}

/** Lists the migrations that the store has. Refuses a store that is too new. */
function* readApplied(list: readonly Migration[]): Script<ReadonlySet<string>> {
  const applied = yield* appliedMigrations.all(appliedMigrations.select);
  refuseNewerLevel(levelOf(applied), levelOf(list));
  return new Set(applied.map(({ name }) => name));
}

/** Lists how the schema differs from the one of this version. */
export function* findDifferences(dialect: Dialect): Script<readonly string[]> {
  const applied = yield* appliedMigrations.all(appliedMigrations.select);
  const own = new Set(migrations.map(({ name }) => name));
  const isNewer = applied.some(({ name }) => !own.has(name));
  return schemaDifferences(yield* readSchema(dialect), SCHEMA, isNewer);
}

/** Refuses a store whose schema is not what its migrations say. A test that gives migrations of its own has no such schema. */
function* refuseDifferentSchema(dialect: Dialect, list: readonly Migration[]): Script<void> {
  if (list !== migrations) return;
  const differences = yield* findDifferences(dialect);
  if (differences.length > 0) throw differentSchema(differences);
}

/** Whether there is nothing to migrate. An empty database has not even the table that says so. */
async function isUpToDate(engine: Engine, list: readonly Migration[]): Promise<boolean> {
  try {
    const applied = await engine.read(readApplied(list));
    return list.every(({ name }) => applied.has(name));
  } catch (error) {
    // A table of this name without our columns is one of another program, perhaps in another schema of the search path.
    if (hasCode(error, UNDEFINED_TABLE, UNDEFINED_COLUMN)) return false;
    throw error;
  }
}

/** The first migration after version 0.1.0. Stores without it may have a schema that no migration describes. */
const FIRST_OF_LEVEL_2 = 'installation';

export interface MigrateOptions {
  readonly clock: Clock;
  /** Called before anything is written to an empty store. It refuses the store by throwing. */
  readonly onEmpty?: (() => void) | undefined;
  /** Reads a store that has data, in the schema of this version, before anything is kept. It refuses the store by throwing. */
  readonly accept?: (() => Script<void>) | undefined;
}

/**
 * Applies the missing migrations and returns their names. When several replicas start together, one of them does it. Looks
 * first without a lock: the lock of a migration makes the writes of all replicas wait. If the result is not the schema that all
 * migrations make, or the store is not accepted, nothing is changed.
 */
export async function migrate(
  engine: Engine,
  list: readonly Migration[],
  { clock, onEmpty, accept }: MigrateOptions,
): Promise<readonly string[]> {
  const { dialect } = engine;
  function* check(): Script<void> {
    yield* refuseDifferentSchema(dialect, list);
    if (accept !== undefined) yield* accept();
  }
  if (await isUpToDate(engine, list)) {
    await engine.read(check());
    return [];
  }
  const migration = engine.write('migration', function* (): Script<readonly string[]> {
    yield* rows(SCHEMA_MIGRATION);
    const applied = yield* readApplied(list);
    if (applied.size === 0) onEmpty?.();
    const missing = list.filter(({ name }) => !applied.has(name));
    const isEarlier = applied.size > 0 && !applied.has(FIRST_OF_LEVEL_2);
    if (isEarlier) yield* beginEarlierStore(dialect);
    for (const { level, name, statements } of missing) {
      for (const statement of statements(dialect)) yield* rows(statement);
      yield* appliedMigrations.insert({ name, level, appliedAt: clock.now() });
    }
    if (isEarlier) yield* finishEarlierStore(dialect, clock.now());
    yield* applied.size === 0 ? refuseDifferentSchema(dialect, list) : check();
    return missing.map(({ name }) => name);
  });
  return migration.catch((error: unknown) => {
    throw hasCode(error, UNDEFINED_COLUMN, DUPLICATE_TABLE) ? tablesOfAnother(error) : error;
  });
}
