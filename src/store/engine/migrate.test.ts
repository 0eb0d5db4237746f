import { expect, test } from 'vitest';
import { PLAIN_DETAILS } from '../../../test/support/catalog/publishedService.ts';
import { eachStore, placeForEachTest, rowsOf } from '../../../test/support/store/stores.ts';
import { localActor } from '../../model/actor.ts';
import { systemClock } from '../../foundation/clock.ts';
import { createCatalog } from '../../catalog/catalog.ts';
import { sqliteDialect } from './dialect.ts';
import type { Migration } from './migrations.ts';
import { migrations } from './migrations.ts';

const LEVEL = Math.max(...migrations.map(({ level }) => level));

function planted(level: number, ...statements: readonly string[]): readonly Migration[] {
  return [...migrations, { level, name: `planted-${level}`, statements: () => statements }];
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

  test('a migration that fails does not change the schema', async () => {
    await (await at.open()).close();
    await expect(
      at.open(systemClock, planted(LEVEL + 1, 'create table half (a text)', 'this is no SQL')),
    ).rejects.toThrow(/syntax error/);
    await expect(rowsOf(at.place(), 'half')).rejects.toThrow(/half/);
    await at.open();
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
