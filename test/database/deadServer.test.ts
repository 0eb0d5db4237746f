import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { SWITCH_OVER, actOf, openPair, perform, restoreOf } from '../support/database/switchOver.ts';
import type { Acknowledged } from '../support/database/writer.ts';
import { startWriter } from '../support/database/writer.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms } from '../support/store/postgres.ts';

const ROLES = { primary: 'a', standby: 'b', job: '1' } as const;
/** The bound in docs/database.md, from the death of the new primary to the next write on the former one. */
const OUTAGE_BOUND_MS = 20_000;
const KINDS = [
  ['killed', 'SIGKILL'],
  ['frozen', 'SIGSTOP'],
] as const;

/** The longest time between two writes. */
function longestGap(writes: readonly Acknowledged[]): number {
  return Math.max(...writes.map(({ at }, n) => at - (writes[n - 1]?.at ?? at)));
}

describe.skipIf(postgresPrograms() === undefined)('[STO12] [DEC55] a new primary that dies', () => {
  let pair: PostgresPair;
  beforeEach(async () => {
    pair = await startPair();
  });
  afterEach(() => pair?.stop());

  /** Performs the phases before one, and lets `b` die then. */
  async function dieBefore(phase: (typeof SWITCH_OVER)[number], signal: NodeJS.Signals) {
    const database = openPair(pair, memoryDocuments());
    const writer = startWriter(pair);
    await until('the client writes', () => writer.acknowledged.length > 20);
    const done = SWITCH_OVER.slice(0, SWITCH_OVER.indexOf(phase)).map((name) => actOf(name, ROLES));
    for (const act of done) expect(await perform(database, act, 1)).toEqual({ state: 'done', lines: [] });
    const diedAt = Date.now();
    await pair.signal('b', signal);
    return { database, writer, done, diedAt };
  }

  const CASES = KINDS.flatMap(([kind, signal]) =>
    (['promote', 'engine', 'afterEngine'] as const)
      // A server that is not there is started by the command of `engine`.
      .filter((phase) => phase !== 'engine' || signal === 'SIGSTOP')
      .map((phase) => ({ kind, signal, phase })),
  );

  test.each(CASES)('and is $kind before $phase fails it, and the former one takes writes again', async (one) => {
    const { database, writer, done } = await dieBefore(one.phase, one.signal);
    const act = actOf(one.phase, ROLES);
    expect(await perform(database, act, 1)).toMatchObject({
      state: 'failed',
      failure: { reason: expect.stringMatching(/^b does not answer: /) },
    });
    const written = writer.acknowledged.length;
    const restoring = perform(database, restoreOf([...done, act], '1'), 1);
    await until('the client writes again', () => writer.acknowledged.length > written + 5);
    if (one.signal === 'SIGSTOP') await pair.signal('b', 'SIGCONT');
    expect(await restoring).toEqual({ state: 'done', lines: [] });
    const writes = await writer.stop();
    expect(new Set(writes.map(({ server }) => server))).toEqual(new Set(['a']));
    process.stdout.write(`${one.kind} before ${one.phase}: ${longestGap(writes)} ms without writes\n`);
    expect(longestGap(writes)).toBeLessThan(OUTAGE_BOUND_MS);
    expect((await database.describe())?.trouble).toBeUndefined();
  });

  test('and is killed before engine is started by the command, and the switch-over goes on', async () => {
    const { database, writer } = await dieBefore('engine', 'SIGKILL');
    for (const phase of SWITCH_OVER.slice(2))
      expect(await perform(database, actOf(phase, ROLES), 1)).toEqual({ state: 'done', lines: [] });
    const written = writer.acknowledged.length;
    await until('the client writes to the new primary', () => writer.acknowledged.length > written + 5);
    expect((await writer.stop()).at(-1)?.server).toBe('b');
  });

  test.each(KINDS)('and is %s after afterEngine is found before the point of no return', async (_, signal) => {
    const { database, writer, done } = await dieBefore('readWrite', signal);
    const last = done.at(-1);
    if (last === undefined) throw new Error('no phase is done');
    const [seen] = await database.observe([last]);
    expect(seen).toMatchObject({ state: 'failed', failure: { reason: expect.stringMatching(/^b does not answer: /) } });
    await writer.stop();
  });

  test.each(KINDS)('and is %s before readWrite stops the job, which says what to do', async (_, signal) => {
    const { database, writer, diedAt } = await dieBefore('readWrite', signal);
    const seen = await perform(database, actOf('readWrite', ROLES), 1);
    expect(seen).toMatchObject({
      state: 'failed',
      failure: {
        reason: expect.stringMatching(/^b does not answer: /),
        advice: expect.stringContaining('Start b, which has all changes, then retry'),
      },
    });
    expect(Date.now() - diedAt).toBeLessThan(OUTAGE_BOUND_MS);
    if (signal === 'SIGSTOP') await pair.signal('b', 'SIGCONT');
    else await pair.control('b', 'restart');
    const retry = { ...ROLES, job: '1#2' };
    for (const phase of ['readWrite', 'roles', 'standby'] as const)
      expect(await perform(database, actOf(phase, retry), 1)).toEqual({ state: 'done', lines: [] });
    const written = writer.acknowledged.length;
    await until('the client writes to the new primary', () => writer.acknowledged.length > written + 5);
    const writes = await writer.stop();
    const kept = new Set((await pair.query('b', 'SELECT n::int FROM writes')).map(({ n }) => Number(n)));
    expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
  });

  test.each(KINDS)('or a standby that is %s before the job costs no write', async (_, signal) => {
    const { database, writer } = await dieBefore('readOnly', signal);
    const act = actOf('readOnly', ROLES);
    expect(await perform(database, act, 1)).toMatchObject({ state: 'failed' });
    const written = writer.acknowledged.length;
    await until('the client writes on', () => writer.acknowledged.length > written + 5);
    expect(await perform(database, restoreOf([act], '1'), 1)).toEqual({ state: 'done', lines: [] });
    expect(new Set((await writer.stop()).map(({ server }) => server))).toEqual(new Set(['a']));
  });
});
