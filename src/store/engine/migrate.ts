import type { Clock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import { integer, text } from './codec.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrations.ts';
import { SCHEMA_MIGRATION } from './migrations.ts';
import type { Script } from './script.ts';
import { rows } from './script.ts';
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

/** Lists the migrations that the store lacks. Refuses a store that is too new. */
function* missingFrom(list: readonly Migration[]): Script<readonly Migration[]> {
  const applied = yield* appliedMigrations.all(appliedMigrations.select);
  refuseNewerLevel(levelOf(applied), levelOf(list));
  const done = new Set(applied.map(({ name }) => name));
  return list.filter(({ name }) => !done.has(name));
}

/** Whether there is something to migrate. An empty database has not even the table that says so. */
async function isUpToDate(engine: Engine, list: readonly Migration[]): Promise<boolean> {
  try {
    return (await engine.read(missingFrom(list))).length === 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/**
 * Applies the missing migrations and returns their names. When several replicas start together, one of them does it. Looks
 * first without a lock: the lock of a migration makes the writes of all replicas wait.
 */
export async function migrate(engine: Engine, list: readonly Migration[], clock: Clock): Promise<readonly string[]> {
  if (await isUpToDate(engine, list)) return [];
  return engine.write('migration', function* (): Script<readonly string[]> {
    yield* rows(SCHEMA_MIGRATION);
    const missing = yield* missingFrom(list);
    for (const { level, name, statements } of missing) {
      for (const statement of statements(engine.dialect)) yield* rows(statement);
      yield* appliedMigrations.insert({ name, level, appliedAt: clock.now() });
    }
    return missing.map(({ name }) => name);
  });
}
