// A data folder remembers that it has had a store: a store that is missing or was emptied is not replaced by a new one.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSteward, startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { queryPostgres } from '../support/store/postgres.ts';
import { eachStore, placeForEachTest } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
});
afterEach(() => folder.remove());

const file = (name: string): string => join(data, name);

eachStore((kind) => {
  const at = placeForEachTest(kind, 'none');
  const env = () => ({ STEWARD_STORE: storeSetting(at.place()) });
  const serve = (...more: readonly string[]) =>
    runSteward(['serve', '--port', '0', '--data', data, ...more], { env: env() });
  const start = (...args: readonly string[]) => startSteward({ data, env: env(), args });

  async function makeStore(): Promise<void> {
    const steward = await start();
    await steward.end('SIGTERM');
  }

  async function loseStore(): Promise<void> {
    if (kind.engine === 'sqlite')
      for (const end of ['', '-wal', '-shm']) rmSync(file(`steward.db${end}`), { force: true });
    else await queryPostgres(at.place().at, 'drop schema public cascade; create schema public');
  }

  test.each(['installation', 'master.key'])(
    '[STO4] a start without its store is refused because of %s',
    async (mark) => {
      await makeStore();
      await loseStore();
      for (const other of ['installation', 'master.key'].filter((one) => one !== mark)) rmSync(file(other));
      const { status, stderr } = await serve();
      expect(status).toBe(2);
      expect(stderr).toContain(
        `${file(mark)} shows that Steward has had a store with this data folder. Nothing was changed.`,
      );
      expect(stderr).toContain('To begin again with an empty store, start once with --new.');
      // The refused start has left nothing that the next one would take for a store.
      expect((await serve()).status).toBe(2);
    },
  );

  test('[STO4] --new begins again with an empty store, once', async () => {
    await makeStore();
    await loseStore();
    const steward = await start('--new');
    expect(await steward.token()).toMatch(/^stw_/);
    await steward.end('SIGTERM');
    const again = await serve('--new');
    expect(again).toMatchObject({ status: 2, stderr: expect.stringContaining('Start without --new to use it') });
    await (await start()).end('SIGTERM');
  });

  test('[STO4] a store that was moved in is used, and the folder gets its mark', async () => {
    await makeStore();
    const mark = readFileSync(file('installation'), 'utf8');
    writeFileSync(file('installation'), 'another\n');
    await (await start()).end('SIGTERM');
    expect(readFileSync(file('installation'), 'utf8')).toBe(mark);
  });

  if (kind.engine === 'postgres') return;

  test('[STO4] an emptied file is not taken as a new store, and its log is kept', async () => {
    const steward = await start();
    await steward.must('/admin/services/createFolder', { token: await steward.token(), folderName: 'Kept' });
    await steward.end('SIGKILL');
    const log = readFileSync(file('steward.db-wal'));
    expect(log.length).toBeGreaterThan(0);
    truncateSync(file('steward.db'));
    const { status, stderr } = await serve();
    expect(status).toBe(2);
    expect(stderr).toContain(`${file('steward.db')} is empty`);
    expect((await serve('--new')).stderr).toContain('move the log away');
    expect(readFileSync(file('steward.db-wal'))).toEqual(log);
  });
});
