import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { actOf, openPair, perform, restoreOf, switchOver } from '../support/database/switchOver.ts';
import { startWriter } from '../support/database/writer.ts';
import { runCommand } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms } from '../support/store/postgres.ts';

const A_TO_B = { primary: 'a', standby: 'b', job: '1' } as const;

describe.skipIf(postgresPrograms() === undefined)('[DEC55] a real pair that others touch', () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPair();
  });
  afterEach(() => pair?.stop());

  const byHand = async (fence: string | undefined, ...args: readonly string[]) =>
    runCommand(pair.commandPath, args, { env: { ...process.env, STEWARD_DATABASE_FENCE: fence } });

  test('an operator switches it by hand without a fence, and the next job switches it back', async () => {
    const steps = [
      ['close', 'b'],
      ['demote', 'a'],
    ];
    for (const args of steps) expect(await byHand('none', ...args)).toMatchObject({ status: 0 });
    const positionOf = async (name: string) =>
      JSON.stringify(await pair.query(name, 'SELECT pg_last_wal_replay_lsn()::text AS position'));
    await until('b has everything', async () => (await positionOf('a')) === (await positionOf('b')));
    await pair.query('b', 'SELECT pg_promote()');
    for (const args of [
      ['open', 'b'],
      ['follow', 'a', 'b'],
    ])
      expect(await byHand('none', ...args)).toMatchObject({ status: 0 });
    const database = openPair(pair, memoryDocuments());
    await until('a streams', async () => (await database.describe())?.trouble === undefined);
    await switchOver(database, { primary: 'b', standby: 'a', job: '1' }, 1);
    expect(await byHand(undefined, 'open', 'a')).toMatchObject({
      status: expect.not.toSatisfy((status) => status === 0),
      stderr: expect.stringContaining('by hand, set it to none'),
    });
  });

  test('a fence that Steward has not sent is trouble before the job, and removing it is the way out', async () => {
    const database = openPair(pair, memoryDocuments());
    await switchOver(database, A_TO_B, 1);
    expect((await database.describe())?.trouble).toBeUndefined();
    expect(await byHand('999999999', 'open', 'a')).toMatchObject({ status: 0 });
    expect((await database.describe())?.trouble).toContain('has recorded the fence 999999999');
    const refused = await byHand('2000001', 'open', 'a');
    expect(refused.status).toBe(75);
    const [, file = ''] = /remove (\S+)/.exec(refused.stderr) ?? [];
    await runCommand('rm', [file]);
    expect((await database.describe())?.trouble).toBeUndefined();
  });

  test('replication that breaks after the standby was closed fails readOnly, and no write is refused', async () => {
    const database = openPair(pair, memoryDocuments(), async (call, signal) => {
      const lines = await pair.command(call, signal);
      if (call.verb !== 'close') return lines;
      await pair.query('b', `ALTER SYSTEM SET primary_conninfo = 'host=127.0.0.1 port=1'`);
      await pair.query('b', 'SELECT pg_reload_conf()');
      await until(
        'the standby streams no more',
        async () => (await pair.query('a', 'SELECT FROM pg_stat_replication')).length === 0,
      );
      return lines;
    });
    const writer = startWriter(pair);
    await until('the client writes', () => writer.acknowledged.length > 5);
    const act = actOf('readOnly', A_TO_B);
    expect(await perform(database, act, 1)).toMatchObject({
      state: 'failed',
      failure: { reason: 'b does not stream from a.', advice: 'Repair the replication, then retry.' },
    });
    expect(await pair.query('a', 'SELECT pg_is_in_recovery() AS is_standby')).toEqual([{ is_standby: false }]);
    expect(await perform(database, restoreOf([act], '1'), 1)).toEqual({ state: 'done', lines: [] });
    const count = writer.acknowledged.length;
    await until('the client writes on', () => writer.acknowledged.length > count);
    expect(new Set((await writer.stop()).map(({ server }) => server))).toEqual(new Set(['a']));
  });
});
