import { expect, test } from 'vitest';
import { PLAIN_DETAILS } from '../../../test/support/catalog/publishedService.ts';
import { changeRows, eachStore, openEngine, placeForEachTest, rowsOf } from '../../../test/support/store/stores.ts';
import { localActor } from '../../model/actor.ts';
import { systemClock } from '../../foundation/clock.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { sqliteDialect } from './dialect.ts';
import type { Migration } from './migrations.ts';
import { migrations } from './migrations.ts';
import type { SchemaLine } from './schemaCheck.ts';
import { readSchema } from './schemaCheck.ts';

const LEVEL = Math.max(...migrations.map(({ level }) => level));

function planted(level: number, ...statements: readonly string[]): readonly Migration[] {
  return [...migrations, { level, name: `planted-${level}`, statements: () => statements }];
}

/** The module `schema.ts`. `npm test -- src/store/engine/migrate.test.ts -u` writes it. */
function schemaFile(found: readonly SchemaLine[]): string {
  const lines = found.map(({ line }) => line).toSorted();
  return [
    '/** What all migrations together make, one line for a column or an index. A test compares it with both engines, and writes it. */',
    'export const SCHEMA: readonly string[] = [',
    ...lines.map((line) => `  '${line}',`),
    '];\n',
  ].join('\n');
}

eachStore((kind) => {
  const at = placeForEachTest(kind, 'none');

  test('[STO1] each migration runs once', async () => {
    const first = await at.open();
    expect(first.migrated).toEqual(migrations.map(({ name }) => name));
    await first.close();
    expect((await at.open()).migrated).toEqual([]);
  });

  test('[STO1] a release works on the schema of the next release', async () => {
    const next = await at.open(
      systemClock,
      planted(LEVEL + 1, `alter table service add column colour text not null default 'grey'`),
    );
    await next.close();
    const store = await at.open();
    const catalog = createCatalog({ store: store.catalog, clock: systemClock });
    await catalog.createService(localActor('x'), { folder: '', name: 'A', type: 'B' }, PLAIN_DETAILS);
    expect(await rowsOf(at.place(), 'service')).toMatchObject([{ name: 'A', colour: 'grey' }]);
  });

  test('[STO1] a schema that is two levels ahead is refused with advice', async () => {
    await (await at.open(systemClock, planted(LEVEL + 2))).close();
    await expect(at.open()).rejects.toThrow(
      `The store is at schema level ${LEVEL + 2}; this version of Steward works on ${LEVEL} and ${LEVEL + 1}. Start a newer version.`,
    );
  });

  test('[STO1] a schema of a newer build that lacks a column of this one is refused, and not used until it fails', async () => {
    await (await at.open(systemClock, planted(LEVEL + 1, 'alter table queue rename column due_at to next_at'))).close();
    await expect(at.open()).rejects.toThrow(/has no column queue\.due_at|queue\.due_at/);
  });

  test('a migration that fails does not change the schema', async () => {
    await (await at.open()).close();
    await expect(
      at.open(systemClock, planted(LEVEL + 1, 'create table half (a text)', 'this is no SQL')),
    ).rejects.toThrow(/syntax error/);
    await expect(rowsOf(at.place(), 'half')).rejects.toThrow(/half/);
    await at.open();
  });

  test('[STO1] all migrations together make the schema of schema.ts', async () => {
    await (await at.open(systemClock, [...migrations])).close();
    const engine = await openEngine(at.place());
    const found = await engine.read(readSchema(engine.dialect));
    await engine.close();
    await expect(schemaFile(found)).toMatchFileSnapshot('./schema.ts');
  });

  test.each([
    ['alter table service add column colour text', 'it has service.colour text or null.'],
    ['alter table webhook_ledger drop column paused_until', 'it lacks webhook_ledger.paused_until bigint or null.'],
    [
      'drop table shown_plan',
      'it lacks shown_plan.at bigint; lacks shown_plan.content text; lacks shown_plan.hash text key 1.',
    ],
    ['drop index event_public_id', 'it lacks event index event_public_id (id).'],
    ['create unique index one_role on account (role)', 'it has account unique index one_role (role).'],
  ])('[STO1] a store is refused after %s', async (change, difference) => {
    await (await at.open()).close();
    await changeRows(at.place(), change);
    await expect(at.open()).rejects.toThrow(
      `The schema of the store is not the one that its migrations make, so Steward does not use it: ${difference} Nothing was changed.`,
    );
  });

  test('[STO1] an index that an administrator has added does not matter', async () => {
    await (await at.open()).close();
    await changeRows(at.place(), 'create index by_description on service (description)');
    expect((await at.open()).migrated).toEqual([]);
  });

  test('migrations only add to the schema', () => {
    const statements = migrations.flatMap((migration) => migration.statements(sqliteDialect));
    expect(statements.filter((sql) => /\b(drop|rename|alter column|delete from)\b/i.test(sql))).toEqual([]);
  });

  if (kind.engine === 'sqlite') return;

  test('[STO1] a running replica keeps working while another migrates to the next schema', async () => {
    const store = await at.open();
    const catalog = createCatalog({ store: store.catalog, clock: systemClock });
    const key = { folder: '', name: 'A', type: 'B' };
    await catalog.createService(localActor('x'), key, PLAIN_DETAILS);
    await catalog.stopService(localActor('x'), key);
    await at.open(
      systemClock,
      planted(
        LEVEL + 1,
        `alter table service add column colour text not null default 'grey'`,
        `alter table folder add column colour text`,
      ),
    );
    for (let round = 0; round < 3; round += 1) {
      await catalog.startService(localActor('x'), key);
      await catalog.stopService(localActor('x'), key);
    }
    expect(await catalog.service(key)).toMatchObject({ revision: 8, state: 'stopped' });
  });
});
