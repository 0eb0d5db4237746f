import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryDocuments } from '../support/database/memoryDocuments.ts';
import type { PostgresPair } from '../support/database/pair.ts';
import { startPair } from '../support/database/pair.ts';
import { actOf, openPair, perform, restoreOf } from '../support/database/switchOver.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { postgresPrograms, unprivileged } from '../support/store/postgres.ts';

const A_TO_B = { primary: 'a', standby: 'b', job: '1' };
const MIB = 1024 * 1024;
const DISK_MIB = 200;

const whyNot =
  postgresPrograms() === undefined
    ? ' (left out: there is no PostgreSQL on this machine)'
    : process.getuid?.() === 0
      ? ''
      : ' (left out: only root can mount a small disk)';

/** Writes until there is no room. */
function fill(disk: string): void {
  for (const size of [MIB, 4096])
    for (let n = 0; ; n += 1)
      try {
        writeFileSync(join(disk, `fill-${size}-${n}`), Buffer.alloc(size));
      } catch {
        break;
      }
}

describe.skipIf(whyNot !== '')(`[DEC55] a pair whose standby has a full disk${whyNot}`, () => {
  let folder: TemporaryFolder;
  let disk: string;
  let pair: PostgresPair;

  beforeEach(async () => {
    folder = temporaryFolder();
    // PostgreSQL runs as another user.
    chmodSync(folder.path, 0o755);
    disk = join(folder.path, 'disk');
    mkdirSync(disk);
    const { status, stderr } = await runCommand('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]);
    if (status !== 0) throw new Error(`mount failed: ${stderr}`);
    const { uid, gid } = await unprivileged();
    if (uid !== undefined && gid !== undefined) chownSync(disk, uid, gid);
    pair = await startPair({ standbyFolder: disk });
  });
  afterEach(async () => {
    await pair?.stop();
    await runCommand('umount', ['-l', disk]);
    folder.remove();
  });

  async function free(): Promise<void> {
    for (const size of [MIB, 4096])
      for (let n = 0; n < DISK_MIB * 256; n += 1) rmSync(join(disk, `fill-${size}-${n}`), { force: true });
  }

  test('before the job, readOnly fails and changes nothing', async () => {
    fill(disk);
    await until('the standby cannot go on', async () => {
      await pair.query(
        'a',
        'CREATE TABLE IF NOT EXISTS filler AS SELECT repeat($$x$$, 1000) FROM generate_series(1, 20000)',
      );
      await pair.query('a', 'INSERT INTO filler SELECT * FROM filler LIMIT 20000');
      return (await pair.query('a', `SELECT FROM pg_stat_replication WHERE state = 'streaming'`)).length === 0;
    });
    const database = openPair(pair, memoryDocuments());
    const seen = await perform(database, actOf('readOnly', A_TO_B), 1);
    expect(seen).toMatchObject({
      state: 'failed',
      failure: { reason: expect.stringMatching(/its disk is full|no space left on a disk/) },
    });
    expect(await perform(database, restoreOf([actOf('readOnly', A_TO_B)], '1'), 1)).toMatchObject({ state: 'done' });
    expect(await pair.asWriter('INSERT INTO writes VALUES (1)')).toBe('INSERT 0 1\n');
  });

  test('after readOnly, the former primary takes writes again; the standby gets its copy when there is room', async () => {
    const database = openPair(pair, memoryDocuments());
    const [readOnly, promote] = [actOf('readOnly', A_TO_B), actOf('promote', A_TO_B)];
    expect(await perform(database, readOnly, 1)).toMatchObject({ state: 'done' });
    expect(await perform(database, promote, 1)).toMatchObject({ state: 'done' });
    fill(disk);
    const undone = await perform(database, restoreOf([readOnly, promote], '1'), 1);
    expect(undone).toMatchObject({ state: 'failed' });
    expect(JSON.stringify(undone)).toContain('No space left on device');
    expect(await pair.asWriter('INSERT INTO writes VALUES (1)')).toBe('INSERT 0 1\n');
    await free();
    expect(await perform(database, restoreOf([readOnly, promote], '2'), 1)).toMatchObject({ state: 'done' });
    expect((await database.describe())?.trouble).toBeUndefined();
    await until('the standby has the write', async () => (await pair.query('b', 'SELECT FROM writes')).length === 1);
  });
});
