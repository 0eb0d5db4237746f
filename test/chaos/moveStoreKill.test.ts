import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '../support/run/project.ts';
import { IS_SOAK } from '../support/run/limits.ts';
import { spawnChild, temporaryFolder } from '../support/run/runFolder.ts';
import { randomPause } from '../support/run/until.ts';
import { contentOf, fillStore } from '../support/store/filledStore.ts';
import { postgresKind } from '../support/store/stores.ts';

const DELIVERIES = 100_000;
const MOVES = IS_SOAK ? 10 : 1;
const KILLS = IS_SOAK ? 20 : 5;
/** A whole move takes longer than this, so that most runs are killed in the middle. */
const LONGEST_RUN_MS = 6000;

/** Runs the command, and kills it after a random time unless it may run to its end. */
async function run(from: string, to: string, isKilled: boolean): Promise<{ status: number | null; output: string }> {
  const program = join(PROJECT, 'dist', 'steward.js');
  const child = spawnChild(process.execPath, [program, 'move-store', '--from', from, '--to', to], {
    env: { PATH: process.env['PATH'] },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (isKilled) {
    await Promise.race([randomPause(LONGEST_RUN_MS), ended]);
    child.kill('SIGKILL');
  }
  return { status: await ended, output };
}

describe.skipIf(!postgresKind.isHere)(`[DEC71] a move of ${DELIVERIES} deliveries ${postgresKind.title}`, () => {
  test.each(Array.from({ length: MOVES }, (_, n) => n + 1))(
    `move %i is killed ${KILLS} times with kill -9, and is equal row for row at its end`,
    async () => {
      const folder = temporaryFolder();
      const made = await postgresKind.place();
      try {
        mkdirSync(join(folder.path, 'data'));
        const source = { kind: 'sqlite', at: join(folder.path, 'data', 'steward.db'), connections: 1 } as const;
        await fillStore(source, DELIVERIES);
        const ends: (number | null)[] = [];
        for (let round = 0; round < KILLS; round += 1)
          ends.push((await run(join(folder.path, 'data'), made.place.at, true)).status);
        // A run that was not killed in time has ended well.
        expect(ends.filter((status) => status !== null && status !== 0)).toEqual([]);
        expect(ends).toContain(null);
        const { status, output } = await run(join(folder.path, 'data'), made.place.at, false);
        expect([status, output]).toEqual([0, expect.stringContaining('The move is complete')]);
        expect(output).toMatch(/ {2}delivery: source 100,000 rows (\w+), target 100,000 rows \1: equal/);
        expect(output).not.toContain('different');
        const [before, after] = [await contentOf(source), await contentOf(made.place)];
        const different = [...before].filter(([table, rows]) => after.get(table)?.join('\n') !== rows.join('\n'));
        expect(different.map(([table]) => table)).toEqual([]);
        expect([...after.keys()]).toEqual([...before.keys()]);
      } finally {
        await made.remove();
        folder.remove();
      }
    },
  );
});
