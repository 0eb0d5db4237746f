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

const appliedMigrations = table('schema_migration', {
  name: text('name'),
  level: integer('level'),
  appliedAt: integer('applied_at'),
});

/** Applies the missing migrations and returns their names. When several replicas start together, one of them does it. */
export function migrate(engine: Engine, list: readonly Migration[], clock: Clock): Promise<readonly string[]> {
  return engine.write('exclusive', function* (): Script<readonly string[]> {
    yield* rows(SCHEMA_MIGRATION);
    const applied = yield* appliedMigrations.all(appliedMigrations.select);
    refuseNewerLevel(levelOf(applied), levelOf(list));
    const done = new Set(applied.map(({ name }) => name));
    const missing = list.filter(({ name }) => !done.has(name));
    for (const { level, name, statements } of missing) {
      for (const statement of statements(engine.dialect)) yield* rows(statement);
      yield* appliedMigrations.insert({ name, level, appliedAt: clock.now() });
    }
    return missing.map(({ name }) => name);
  });
}
