import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { runSteward, startSteward } from '../support/server/stewardProcess.ts';
import { postgresKind } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import { VERSION } from '../../src/service/version.ts';

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

const run = (...args: readonly string[]) => runSteward(args);

describe('[DEC25] the commands backup and restore', () => {
  test('backup copies the store of a running server, and restore brings it back', async () => {
    const copy = join(folder.path, 'copy.db');
    steward = await startSteward({ data });
    const token = await steward.token();
    for (const serviceName of ['Overview', 'Other'])
      await steward.must('/admin/services/createService', { token, serviceName, type: 'Map' });
    const backup = await run('backup', copy, '--data', data);
    expect(backup.stdout).toContain(
      `Wrote ${copy} and checked it: a store of Steward ${VERSION} with 2 services, 1 user,`,
    );
    expect(backup.stdout).toContain(
      `The master key is not in it. Keep a copy of ${join(data, 'master.key')} elsewhere.`,
    );
    await steward.post('/admin/services/Overview.Map/delete', { token });
    const busy = await run('restore', copy, '--data', data);
    expect({ status: busy.status, said: busy.stderr }).toEqual({
      status: 1,
      said: expect.stringContaining('Stop it first'),
    });
    await steward.end('SIGTERM');
    const restored = await run('restore', copy, '--data', data);
    expect(restored.stdout).toContain('Restored');
    expect(restored.stdout).toContain('The previous store is kept as');
    expect(restored.stdout).toContain(
      `${join(data, 'master.key')} is unchanged. It must be the key of the restored store.`,
    );
    const empty = join(folder.path, 'empty');
    const elsewhere = await run('restore', copy, '--data', empty);
    expect(elsewhere.stdout).toContain(
      `there is no ${join(empty, 'master.key')}. Put the key of the restored store there before you start Steward`,
    );
    expect(elsewhere.stdout).not.toContain('unchanged');
    steward = await startSteward({ data });
    expect((await steward.post('/admin/services/Overview.Map', { token })).status).toBe(200);
  });

  test('backup and restore explain why they cannot run', async () => {
    expect((await run('backup', join(folder.path, 'x'), '--data', data)).stderr).toContain(
      `No store exists at ${join(data, 'steward.db')}. Check the data folder.`,
    );
    expect((await run('restore', join(folder.path, 'x'), '--data', data)).stderr).toContain(
      `The file ${join(folder.path, 'x')} does not exist.`,
    );
    expect((await run('backup', 'x', '--store', 'postgres://h/d')).stderr).toContain('With PostgreSQL use pg_dump');
  });
});

describe('[DEC100] wrong usage of the command line', () => {
  test.each([
    ['an unknown command', ['srve'], 'steward --help for a list of commands'],
    ['an unknown command of a group', ['manifest', 'mak'], 'steward manifest --help for a list of commands'],
    ['an unknown flag', ['serve', '--nonsense'], 'steward serve --help for its arguments and flags'],
    ['a missing argument', ['backup'], 'steward backup --help for its arguments and flags'],
    ['a missing argument of a remote command', ['webhooks', 'edit'], 'steward webhooks edit --help'],
    [
      'an unknown flag of a remote command',
      ['webhooks', 'settings', 'show', '--x'],
      'steward webhooks settings show --help',
    ],
  ])('%s ends with the exit code 2 and names the help of the command', async (_what, args, hint) => {
    const { status, stdout, stderr } = await run(...args);
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(`Run ${hint}`)]);
  });

  test('a group without its command ends with 2 and its help, and asking for help or the version ends with 0', async () => {
    const group = await run('manifest');
    expect([group.status, group.stderr]).toEqual([2, expect.stringContaining('Usage: steward manifest')]);
    for (const args of [['--help'], ['--version'], ['manifest', '--help']]) expect((await run(...args)).status).toBe(0);
  });
});

describe('[O3] the help of a local command', () => {
  test.each(['backup', 'restore', 'after-restore', 'reset-admin', 'doctor'])(
    'of %s has its own flags and where the store is, and says where the other settings are',
    async (command) => {
      const { stdout } = await run(command, '--help');
      expect(stdout).toContain('--data <value>');
      expect(stdout).not.toContain('--trusted-proxies');
      expect(stdout).toContain('steward serve --help lists them');
      expect(stdout.split('\n').length).toBeLessThan(30);
    },
  );

  test('of reset-admin begins with its two flags', async () => {
    expect((await run('reset-admin', '--help')).stdout).toMatch(/Options:\n +--username .*\n +--keep-tokens /);
    expect((await run('serve', '--help')).stdout).toContain('--trusted-proxies');
  });

  test('[O5] of prove states its limits', async () => {
    const { stdout } = await run('prove', '--help');
    expect(stdout).toMatch(/--max-stall <seconds>[\s\S]+default 5, for upgrades 20/);
  });
});

describe('[ACC2] the command reset-admin', () => {
  async function resets(env: Record<string, string>, store: readonly string[], stopFirst: boolean): Promise<void> {
    steward = await startSteward({ data, env });
    const old = await steward.token();
    if (stopFirst) await steward.end('SIGTERM');
    const { stdout, stderr } = await run('reset-admin', '--data', data, ...store);
    const password = /^ {2}(\S+)$/m.exec(stdout)?.[1] ?? `none: ${stderr}`;
    if (stopFirst) steward = await startSteward({ data, env });
    const token = await steward.token({ password });
    const { body } = await steward.post('/admin/security/audit', { token, target: 'user admin' });
    expect(body.entries[0]).toMatchObject({
      action: 'user.reset',
      who: 'reset-admin',
      from: 'local',
      after: { passwordChanged: true },
    });
    const server = steward;
    await until(
      'the old token is refused',
      async () => (await server.post('/admin/mode', { token: old })).status === 401,
    );
  }

  test('reset-admin sets a new password, ends the sessions and is audited', async () => {
    await resets({}, [], true);
    expect((await run('reset-admin', '--data', data)).stderr).toContain('Another process uses');
  });

  // The assertions are in resets.
  // oxlint-disable-next-line vitest/expect-expect
  test.skipIf(!postgresKind.isHere)(`reset-admin works beside a running server ${postgresKind.title}`, async () => {
    const { place, remove } = await postgresKind.place();
    await resets({ STEWARD_STORE: place.at }, ['--store', place.at], false);
    await steward?.end('SIGKILL');
    await remove();
  });

  test('reset-admin creates a missing user, with the name in lower case', async () => {
    steward = await startSteward({ data });
    await steward.end('SIGTERM');
    expect((await run('reset-admin', '--data', data, '--username', 'Bob')).stdout).toMatch(
      /^bob is an administrator and has this password:\n\n {2}\S+\n\nAll sessions of this user have ended, and the named tokens that the user has created are revoked\. Change the password after you have signed in\.\n/m,
    );
    expect((await run('reset-admin', '--data', data, '--username', 'a b')).stderr).toContain('--username must be');
    expect((await run('reset-admin', '--data', `${data}x`)).stderr).toContain('No store exists at');
  });
});

test('[UPG3] the program makes, signs and verifies a manifest', async () => {
  const [images, manifest, key] = ['images.txt', 'manifest.json', 'release.key'].map((name) => join(folder.path, name));
  writeFileSync(images ?? '', `web registry.example/web@sha256:${'a'.repeat(64)}\n`);
  expect((await run('manifest', 'keygen', key ?? '')).status).toBe(0);
  const version = ['--update', 'release', '--version', '11.0', '--build', '1234', '--previous-version', '10.9.1'];
  const made = await run('manifest', 'make', ...version, '--images', images ?? '', '--output', manifest ?? '');
  expect(made.stdout + made.stderr).toContain('Added rel_11.0.1234');
  expect((await run('manifest', 'sign', manifest ?? '', '--key', key ?? '')).status).toBe(0);
  const verified = await run('manifest', 'verify', manifest ?? '', '--key', `${key}.pub`);
  expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining('rel_11.0.1234')]);
  writeFileSync(manifest ?? '', readFileSync(manifest ?? '', 'utf8').replace('aaaa', 'bbbb'));
  expect((await run('manifest', 'verify', manifest ?? '', '--key', `${key}.pub`)).status).toBe(1);
});
