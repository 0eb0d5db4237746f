import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/run/runFolder.ts';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { runSteward, startSteward } from '../support/server/stewardProcess.ts';
import { contentOf, fillStore } from '../support/store/filledStore.ts';
import { changeRows, postgresKind } from '../support/store/stores.ts';
import { startRecordingReceiver } from '../support/webhooks/recordingReceiver.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let steward: StewardProcess | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
});
afterEach(async () => {
  await steward?.end('SIGKILL');
  folder.remove();
});

const run = (...args: readonly string[]) => runSteward(['move-store', ...args]);

async function emptyDatabase() {
  const made = await postgresKind.place();
  onTestFinished(() => made.remove());
  return made.place;
}

describe('[DEC71] the command move-store', () => {
  test.skipIf(!postgresKind.isHere)(
    'moves a store to PostgreSQL, where users, services and sealed secrets work as before',
    async () => {
      // The receiver verifies the signature with the key that the store has sealed.
      const receiver = await startRecordingReceiver(async () => 200);
      onTestFinished(() => receiver.close());
      steward = await startSteward({ data });
      const token = await steward.token();
      await steward.must('/admin/services/createService', { token, serviceName: 'Overview', type: 'Map' });
      const hook = { token, name: 'orders', hookUrl: `${receiver.url}/orders`, signatureKey: receiver.signatureKey };
      const { webhook } = await steward.must('/admin/services/Overview.Map/webhooks/create', hook);
      const target = await emptyDatabase();

      const busy = await run('--from', data, '--to', target.at);
      expect([busy.status, busy.stderr]).toEqual([
        1,
        `Another process uses ${join(data, 'steward.db')}. Stop it first, or use PostgreSQL (STEWARD_STORE=postgres://…) to run more than one.\n`,
      ]);
      await steward.end('SIGTERM');

      const moved = await run('--from', data, '--to', target.at);
      expect(moved.stderr).toBe('');
      expect(moved.status).toBe(0);
      expect(moved.stdout).toContain(`From ${join(data, 'steward.db')} (SQLite)\nTo   PostgreSQL at 127.0.0.1`);
      expect(moved.stdout).toContain('  webhook: 1 of 1 rows copied\n');
      expect(moved.stdout).toMatch(/ {2}webhook: source 1 rows ([\da-f]{16}), target 1 rows \1: equal\n/);
      expect(moved.stdout).toContain('The move is complete: ');
      expect(moved.stdout).toContain(`Keep the master key (${join(data, 'master.key')}, unless`);
      expect(moved.stdout).toContain(
        'Start Steward on the new store: STEWARD_STORE=<the address of --to> steward serve',
      );
      expect(await contentOf(target)).toEqual(
        await contentOf({ kind: 'sqlite', at: join(data, 'steward.db'), connections: 1 }),
      );

      // Another machine has only the key.
      const elsewhere = join(folder.path, 'elsewhere');
      mkdirSync(elsewhere, { mode: 0o700 });
      copyFileSync(join(data, 'master.key'), join(elsewhere, 'master.key'));
      steward = await startSteward({ data: elsewhere, env: { STEWARD_STORE: target.at } });
      const tested = await steward.must(`/admin/services/Overview.Map/webhooks/${webhook.id}/test`, { token });
      expect(tested.delivered).toBe(true);
      await steward.end('SIGTERM');

      const again = await run('--from', data, '--to', target.at);
      expect([again.status, again.stderr]).toEqual([1, expect.stringMatching(/^The move .* was completed on .*\n$/)]);
    },
  );

  test.skipIf(!postgresKind.isHere)('a server does not start on a target until the move is complete', async () => {
    const [source, target] = [
      { kind: 'sqlite', at: join(data, 'steward.db'), connections: 1 } as const,
      await emptyDatabase(),
    ];
    mkdirSync(data);
    await fillStore(source, 20);
    expect((await run('--from', data, '--to', target.at)).status).toBe(0);
    await changeRows(target, 'update store_move set completed_at = null; delete from attempt');
    const serve = await runSteward(['serve', '--port', '0', '--data', join(folder.path, 'x'), '--store', target.at]);
    expect(serve.status).toBe(2);
    expect(serve.stderr).toContain('Run "steward move-store" again with the same --from and --to');
    const again = await run('--from', data, '--to', target.at);
    expect(again.stdout).toContain('The move goes on where it stopped.');
    expect(again.stdout).toContain('attempt: the source was changed after an earlier run; copying it again');
    expect(again.status).toBe(0);
    expect(await contentOf(target)).toEqual(await contentOf(source));
  });

  test('each mistake in its flags is one line, and the exit code is 1', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    const cases: readonly (readonly [from: string, to: string, said: string])[] = [
      [data, 'postgres://h/d', `--from: ${data} is not a folder. Name the data folder of Steward.`],
      [folder.path, 'postgres://127.0.0.1:1/d', `--from: no store exists at ${join(folder.path, 'steward.db')}.`],
      ['mysql://h/d', 'postgres://h/d', '--from must be a data folder, or an address such as postgres://'],
      [folder.path, 'https://h', '--to must be a data folder, or an address such as postgres://'],
      [folder.path, join(folder.path, 'file'), `--to: ${join(folder.path, 'file')} is not a folder.`],
      [folder.path, folder.path, '--from and --to name the same store.'],
    ];
    for (const [from, to, said] of cases) {
      const { status, stderr } = await run('--from', from, '--to', to);
      expect([status, stderr]).toEqual([1, expect.stringContaining(said)]);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
    expect((await run()).stderr).toContain("required option '--from <place>' not specified");
  });

  test('its help has an example', async () => {
    const { status, stdout } = await run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('steward move-store --from /var/lib/steward --to postgres://steward@db/steward');
    expect(stdout).toContain('PGPASSWORD');
  });
});
