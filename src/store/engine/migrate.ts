import type { Clock } from '../../foundation/clock.ts';
import { StewardError } from '../../foundation/errors.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrations.ts';
import { SCHEMA_MIGRATION } from './migrations.ts';
import type { Script } from './script.ts';
import { integer, rows, text } from './script.ts';

export function levelOf(list: readonly Migration[]): number {
  return Math.max(0, ...list.map(({ level }) => level));
}

export function refuseForeignLevel(found: number, ours: number): void {
  if (found <= ours + 1) return;
  throw new StewardError(
    'conflict',
    `The store is at schema level ${found}; this version of Steward works on ${ours} and ${ours + 1}. Start a newer version.`,
  );
}

/** Applies what is missing, once, however many replicas start together. Answers the names of what it applied. */
export function migrate(engine: Engine, list: readonly Migration[], clock: Clock): Promise<readonly string[]> {
  return engine.write('exclusive', function* (): Script<readonly string[]> {
    yield* rows(SCHEMA_MIGRATION);
    const applied = yield* rows('select name, level from schema_migration');
    refuseForeignLevel(Math.max(0, ...applied.map((found) => integer(found, 'level'))), levelOf(list));
    const done = new Set(applied.map((found) => text(found, 'name')));
    const missing = list.filter(({ name }) => !done.has(name));
    for (const { level, name, statements } of missing) {
      for (const statement of statements(engine.dialect)) yield* rows(statement);
      yield* rows(
        'insert into schema_migration (name, level, applied_at) values ($1, $2, $3)',
        name,
        level,
        clock.now(),
      );
    }
    return missing.map(({ name }) => name);
  });
}
