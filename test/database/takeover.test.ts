import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunCommand } from '../../src/drivers/database/command.ts';
import type { Database } from '../../src/upgrades/ports/database.ts';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { SWITCH_OVER, actOf, openPair, perform, restoreOf } from '../support/database/switchOver.ts';
import { startWriter } from '../support/database/writer.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms } from '../support/store/postgres.ts';

/** The commands of a switch-over, without those that only look. */
const COMMANDS = 7;

interface LateCommand {
  readonly verb: string;
  /** Empty if it was accepted. */
  readonly error: string;
}

/**
 * Runs commands until the nth, and then stands still for ever, before or after it, as a holder does that dies there. `late` sends the
 * command then: it was delayed, or is repeated.
 */
function dyingAt(command: RunCommand, nth: number, when: 'before' | 'after') {
  let count = 0;
  let die: () => void = () => undefined;
  let late = async (): Promise<LateCommand> => ({ verb: 'none', error: 'no command was held' });
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  const runCommand: RunCommand = async (call, signal) => {
    if (call.verb === 'describe') return command(call, signal);
    count += 1;
    if (count < nth) return command(call, signal);
    if (when === 'after') await command(call, signal);
    late = () =>
      command(call).then(
        () => ({ verb: call.verb, error: '' }),
        (error: unknown) => ({ verb: call.verb, error: String(error) }),
      );
    die();
    return new Promise(() => undefined);
  };
  return { runCommand, dead, late: () => late() };
}

/** Lets a late command arrive. It is refused, unless it is `announce`, which changes no server. */
async function expectHarmless(late: () => Promise<LateCommand>, database: Database): Promise<void> {
  const { verb, error } = await late();
  const expected = verb === 'announce' ? '' : 'a later command has been here';
  expect({ verb, error }).toEqual({ verb, error: expect.stringContaining(expected) });
  expect(await database.describe()).toMatchObject({ trouble: undefined, down: [] });
}

describe.skipIf(postgresPrograms() === undefined)(
  '[DEC55] [STO12] [UPG11] a real pair whose switch-over is continued by another holder',
  () => {
    let pair: PostgresPair;
    beforeEach(async () => {
      pair = await startPair();
    });
    afterEach(() => pair.stop());

    test.each(['before', 'after'] as const)(
      'the holder dies %s each command in turn, and nothing is lost',
      async (when) => {
        const documents = memoryDocuments();
        const writer = startWriter(pair);
        let fence = 0;
        for (let nth = 1; nth <= COMMANDS; nth += 1) {
          const [primary, standby] = nth % 2 === 1 ? (['a', 'b'] as const) : (['b', 'a'] as const);
          const roles = { primary, standby, job: String(nth) };
          const before = writer.acknowledged.length;
          await until('the client writes', () => writer.acknowledged.length > before + 5);
          const { runCommand, dead, late } = dyingAt(pair.command, nth, when);
          const dying = openPair(pair, documents, runCommand);
          fence += 1;
          await dying.takeOver(fence);
          let phase = 0;
          const isDead = { value: false };
          void dead.then(() => (isDead.value = true));
          for (; !isDead.value && phase < SWITCH_OVER.length; phase += 1) {
            const name = SWITCH_OVER[phase];
            if (name === undefined) break;
            await Promise.race([perform(dying, actOf(name, roles), fence), dead]);
            if (isDead.value) break;
          }
          expect(isDead.value).toBe(true);
          fence += 1;
          const next = openPair(pair, documents);
          await next.takeOver(fence);
          expect(await dying.begin(actOf('roles', { ...roles, job: 'late' }), fence - 1)).toEqual({
            kind: 'overtaken',
          });
          for (const name of SWITCH_OVER.slice(phase))
            expect(await perform(next, actOf(name, roles), fence)).toEqual({ state: 'done', lines: [] });
          await expectHarmless(late, next);
        }
        const last = COMMANDS % 2 === 1 ? 'b' : 'a';
        const count = writer.acknowledged.length;
        await until('the client writes to the last primary', () => writer.acknowledged.length > count);
        const writes = await writer.stop();
        const kept = new Set((await pair.query(last, 'SELECT n::int FROM writes')).map(({ n }) => Number(n)));
        expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
        expect(writes.filter(({ server }, n) => n > 0 && writes[n - 1]?.server !== server)).toHaveLength(COMMANDS);
        expect((await openPair(pair, documents).describe())?.trouble).toBeUndefined();
      },
    );

    test.each(['before', 'after'] as const)(
      'the holder dies %s each command before readWrite, the next one restores, and the command arrives again later',
      async (when) => {
        const documents = memoryDocuments();
        const writer = startWriter(pair);
        let fence = 0;
        // close, demote, close, engine
        for (let nth = 1; nth <= 4; nth += 1) {
          const roles = { primary: 'a', standby: 'b', job: `restored ${nth}` } as const;
          const acts = (['readOnly', 'promote', 'engine'] as const).map((phase) => actOf(phase, roles));
          const { runCommand, dead, late } = dyingAt(pair.command, nth, when);
          const dying = openPair(pair, documents, runCommand);
          fence += 2;
          const isDead = dead.then(() => 'dead' as const);
          const begun = [];
          for (const act of acts) {
            begun.push(act);
            if ((await Promise.race([perform(dying, act, fence - 1), isDead])) === 'dead') break;
          }
          const next = openPair(pair, documents);
          await next.takeOver(fence);
          expect(await perform(next, restoreOf(begun, roles.job), fence)).toEqual({ state: 'done', lines: [] });
          await expectHarmless(late, next);
          const count = writer.acknowledged.length;
          await until('the client writes on', () => writer.acknowledged.length > count + 5);
        }
        const writes = await writer.stop();
        expect(new Set(writes.map(({ server }) => server))).toEqual(new Set(['a']));
        const kept = new Set((await pair.query('a', 'SELECT n::int FROM writes')).map(({ n }) => Number(n)));
        expect(writes.filter(({ n }) => !kept.has(n))).toEqual([]);
      },
    );

    test.each([
      ['before', 1],
      ['after', 1],
      ['before', 2],
      ['after', 2],
      ['before', 3],
      ['after', 3],
      ['before', 4],
      ['after', 4],
    ] as const)('the holder dies %s command %d of a restore, and the next one completes it', async (when, nth) => {
      const documents = memoryDocuments();
      const roles = { primary: 'a', standby: 'b', job: '1' } as const;
      const done = (['readOnly', 'promote', 'engine'] as const).map((phase) => actOf(phase, roles));
      const first = openPair(pair, documents);
      for (const act of done) expect(await perform(first, act, 1)).toMatchObject({ state: 'done' });
      const { runCommand, dead, late } = dyingAt(pair.command, nth, when);
      const restore = restoreOf(done, '1');
      await openPair(pair, documents, runCommand).begin(restore, 2);
      await dead;
      const next = openPair(pair, documents);
      await next.takeOver(3);
      expect(await perform(next, restore, 3)).toEqual({ state: 'done', lines: [] });
      await expectHarmless(late, next);
      expect(await pair.asWriter('INSERT INTO writes VALUES (1)')).toBe('INSERT 0 1\n');
      expect((await next.describe())?.trouble).toBeUndefined();
    });
  },
);
