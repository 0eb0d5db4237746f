import { describe, expect, test } from 'vitest';
import { runCommand, temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { EARLIER_STORES } from '../../../test/support/store/earlierStores.ts';
import { postgresPrograms } from '../../../test/support/store/postgres.ts';
import { changeRows, eachStore, openEngine, placeForEachTest, rowsOf } from '../../../test/support/store/stores.ts';
import type { StoreLocation } from '../store.ts';
import { migrations } from './migrations.ts';

/** The whole schema as the database describes it, with the conditions of indexes. */
async function dumpSchema(place: StoreLocation): Promise<string> {
  if (place.kind === 'postgres') {
    const program = `${postgresPrograms() ?? ''}/pg_dump`;
    const dumped = await runCommand(program, ['--schema-only', '--no-owner', place.at]);
    // Some versions write a random word into the first and the last line.
    return dumped.stdout.replaceAll(/^\\.*\n/gm, '');
  }
  const found = await rowsOf(place, `sqlite_schema where type = 'index' and sql is not null order by name`);
  return found.map(({ sql }) => String(sql).replaceAll(/\s+/g, ' ')).join('\n');
}

eachStore((kind) => {
  const [at, fresh] = [placeForEachTest(kind, 'none'), placeForEachTest(kind)];

  /** What version 0.1.0 did with an earlier store: it added the migrations that the store did not name. */
  async function openWithFirstVersion(): Promise<void> {
    const applied = new Set((await rowsOf(at.place(), 'schema_migration')).map(({ name }) => name));
    const missing = migrations.filter(({ level, name }) => level === 1 && !applied.has(name));
    const { dialect, close } = await openEngine(at.place());
    await close();
    for (const { level, name, statements } of missing) {
      const record = `insert into schema_migration (name, level, applied_at) values ('${name}', ${level}, 0)`;
      await changeRows(at.place(), [...statements(dialect), record].join(';'));
    }
  }

  /** Those that version 0.1.0 could open: of later ones, the table `claim` was in its way. */
  const BEFORE_CLAIMS = EARLIER_STORES.filter(({ name }) => name < '12');

  test.each(BEFORE_CLAIMS)(
    '[STO1] of $name that version 0.1.0 has opened has the schema of a new store, and its pending deliveries are in the queue',
    async ({ load }) => {
      const folder = temporaryFolder();
      await load('full', at.place(), { data: folder.path, receiver: 'http://127.0.0.1:1' });
      folder.remove();
      await openWithFirstVersion();
      await (await at.open()).close();
      const pending = (await rowsOf(at.place(), 'delivery')).filter(({ state }) => state === 'pending');
      const queued = (await rowsOf(at.place(), 'queue')).map((row) => String(row['delivery_id']));
      expect(pending.length).toBeGreaterThan(3);
      expect(queued.toSorted()).toEqual(pending.map(({ id }) => String(id)).toSorted());
    },
  );

  describe.each(EARLIER_STORES)('of $name', ({ load }) => {
    test('[STO1] is brought to exactly the schema of a new store', async ({ onTestFinished }) => {
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      await load('full', at.place(), { data: folder.path, receiver: 'http://127.0.0.1:1' });
      await (await at.open()).close();
      await (await fresh.open()).close();
      const schema = await dumpSchema(at.place());
      expect(schema).toMatch(/create (unique )?index/i);
      expect(schema).toBe(await dumpSchema(fresh.place()));
      const applied = (await rowsOf(at.place(), 'schema_migration')).map(({ name }) => String(name));
      expect(applied.toSorted()).toEqual(migrations.map(({ name }) => name).toSorted());
      expect((await at.open()).migrated).toEqual([]);
    });
  });
});
