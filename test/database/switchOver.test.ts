import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { actOf, openPair, perform, restoreOf, switchOver } from '../support/database/switchOver.ts';
import type { Acknowledged } from '../support/database/writer.ts';
import { startWriter } from '../support/database/writer.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms } from '../support/store/postgres.ts';

const SWITCH_OVERS = IS_SOAK ? 20 : 3;
const A_TO_B = { primary: 'a', standby: 'b', job: '1' };

async function numbersIn(pair: PostgresPair, server: string): Promise<ReadonlySet<number>> {
  return new Set((await pair.query(server, 'SELECT n::int FROM writes')).map(({ n }) => Number(n)));
}

/** How often the server that takes the writes changed. */
function changesIn(writes: readonly Acknowledged[]): number {
  return writes.filter(({ server }, n) => n > 0 && writes[n - 1]?.server !== server).length;
}

describe.skipIf(postgresPrograms() === undefined)('[DEC55] a real pair of PostgreSQL servers', () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPair();
  });
  afterEach(() => pair.stop());

  test(`${SWITCH_OVERS} switch-overs under a writing client lose no confirmed write, and at no time do both servers take writes`, async () => {
    const database = openPair(pair, memoryDocuments());
    const writer = startWriter(pair);
    for (let n = 1; n <= SWITCH_OVERS; n += 1) {
      const before = writer.acknowledged.length;
      await until('the client writes', () => writer.acknowledged.length > before + 20);
      const [primary, standby] = n % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const);
      await switchOver(database, { primary, standby, job: String(n) }, n);
      expect(
        await pair.asWriter('SELECT inet_server_port() = current_setting($$port$$)::int, pg_is_in_recovery()'),
      ).toBe('t|f\n');
    }
    const after = writer.acknowledged.length;
    await until('the client writes to the last primary', () => writer.acknowledged.length > after);
    const writes = await writer.stop();
    const last = SWITCH_OVERS % 2 === 1 ? 'b' : 'a';
    const kept = await numbersIn(pair, last);
    expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
    // Each server took writes in one piece: after a change, none came to the former one.
    expect([changesIn(writes), writes.at(-1)?.server]).toEqual([SWITCH_OVERS, last]);
    expect(await database.describe()).toMatchObject({ trouble: undefined, down: [] });
  });

  test.each(['readOnly', 'promote', 'engine', 'afterEngine'] as const)(
    'restore after %s returns to the former primary, which has everything, and to a standby that follows it',
    async (lastPhase) => {
      const database = openPair(pair, memoryDocuments());
      const writer = startWriter(pair);
      await until('the client writes', () => writer.acknowledged.length > 20);
      const done = [];
      for (const phase of ['readOnly', 'promote', 'engine', 'afterEngine'] as const) {
        const act = actOf(phase, A_TO_B);
        done.push(act);
        expect(await perform(database, act, 1)).toEqual({ state: 'done', lines: [] });
        if (phase === lastPhase) break;
      }
      const { instances } = (await database.describe()) ?? { instances: [] };
      expect(instances.map(({ isReadOnly }) => isReadOnly)).toEqual([true, true]);
      const written = writer.acknowledged.length;
      expect(await perform(database, restoreOf(done, '1'), 1)).toEqual({ state: 'done', lines: [] });
      await until('the client writes again', () => writer.acknowledged.length > written + 5);
      const writes = await writer.stop();
      expect(new Set(writes.map(({ server }) => server))).toEqual(new Set(['a']));
      const kept = await numbersIn(pair, 'a');
      expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
      expect(await database.describe()).toMatchObject({
        trouble: undefined,
        instances: [
          { name: 'a', role: 'primary', isReadOnly: false },
          { name: 'b', role: 'standby', isReadOnly: true },
        ],
      });
    },
  );

  test('a standby that does not stream fails readOnly, and nothing is changed', async () => {
    await pair.query('b', `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'`);
    await pair.query('b', 'SELECT pg_reload_conf()');
    await until(
      'the standby streams no more',
      async () => (await pair.query('a', 'SELECT FROM pg_stat_replication')).length === 0,
    );
    const database = openPair(pair, memoryDocuments());
    expect(await perform(database, actOf('readOnly', A_TO_B), 1)).toMatchObject({
      state: 'failed',
      failure: { reason: 'b does not stream from a.' },
    });
    expect(await pair.asWriter('INSERT INTO writes VALUES (1)')).toBe('INSERT 0 1\n');
    expect((await database.describe())?.trouble).toBe('The phase `readOnly` of the database has failed.');
  });

  test('the former primary that is restarted in the middle takes no write, whatever the client says', async () => {
    const database = openPair(pair, memoryDocuments());
    for (const phase of ['readOnly', 'promote'] as const)
      expect(await perform(database, actOf(phase, A_TO_B), 1)).toMatchObject({ state: 'done' });
    await pair.control('a', '-m', 'immediate', 'restart');
    const write = 'SET default_transaction_read_only = off; BEGIN READ WRITE; INSERT INTO writes VALUES (1)';
    await expect(pair.query('a', write)).rejects.toThrow('cannot set transaction read-write mode during recovery');
    await expect(pair.asWriter('INSERT INTO writes VALUES (1)')).rejects.toThrow(/pg_hba\.conf|read-only/);
    for (const phase of ['engine', 'afterEngine', 'readWrite', 'roles', 'standby'] as const)
      expect(await perform(database, actOf(phase, A_TO_B), 1)).toMatchObject({ state: 'done' });
    expect(await pair.asWriter('INSERT INTO writes VALUES (1)')).toBe('INSERT 0 1\n');
  });

  test('a pair that an operator manages is not upgraded', async () => {
    const database = openPair(pair, memoryDocuments(), async ({ verb }) =>
      verb === 'describe' ? ['cnpg.io/cluster=shop'] : [],
    );
    expect((await database.describe())?.trouble).toBe(
      'The database server `a` is managed by CloudNativePG. Steward upgrades only a pair that nothing else manages.',
    );
  });
});
