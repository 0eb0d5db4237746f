import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Running } from '../support/server/process.ts';
import { PROGRAM, startSteward } from '../support/server/process.ts';
import { postgresKind, temporaryFolder } from '../support/store/stores.ts';

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let steward: Running | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
});
afterEach(async () => {
  await steward?.end('SIGKILL');
  folder.remove();
});

function run(...args: readonly string[]) {
  return spawnSync(process.execPath, [PROGRAM, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    timeout: 20_000,
  });
}

describe('[DEC25] backup and restore', () => {
  test('of a server in use, and back', async () => {
    const copy = join(folder.path, 'copy.db');
    steward = await startSteward({ data, args: ['--demo'] });
    const token = await steward.token();
    const backup = run('backup', copy, '--data', data);
    expect(backup.stdout).toContain(`Wrote ${copy} and checked it: 10 services, 1 users`);
    expect(backup.stdout).toContain(
      `The master key is not in it. Keep a copy of ${join(data, 'master.key')} elsewhere.`,
    );
    await steward.post('/services/Overview.Map/delete', { token });
    const busy = run('restore', copy, '--data', data);
    expect({ status: busy.status, said: busy.stderr }).toEqual({
      status: 1,
      said: expect.stringContaining('Stop it first'),
    });
    await steward.end('SIGTERM');
    const restored = run('restore', copy, '--data', data);
    expect(restored.stdout).toContain('Restored');
    expect(restored.stdout).toContain('What was there before is kept as');
    steward = await startSteward({ data });
    expect((await steward.post('/services/Overview.Map', { token })).status).toBe(200);
  });

  test('say so where there is nothing to do', () => {
    expect(run('backup', join(folder.path, 'x'), '--data', data).stderr).toContain(
      'Has Steward been started with this data folder?',
    );
    expect(run('restore', join(folder.path, 'x'), '--data', data).stderr).toContain('There is no file');
    expect(run('backup', 'x', '--store', 'postgres://h/d').stderr).toContain('With PostgreSQL use pg_dump');
  });
});

describe('[ACC2] reset-admin', () => {
  async function resets(env: Record<string, string>, store: readonly string[], stopFirst: boolean): Promise<void> {
    steward = await startSteward({ data, env });
    const old = await steward.token();
    if (stopFirst) await steward.end('SIGTERM');
    const { stdout, stderr } = run('reset-admin', '--data', data, ...store);
    const password = /^ {2}(\S+)$/m.exec(stdout)?.[1] ?? `none: ${stderr}`;
    if (stopFirst) steward = await startSteward({ data, env });
    const token = await steward.token({ password });
    const { body } = await steward.post('/security/audit', { token, target: 'user admin' });
    expect(body.entries[0]).toMatchObject({
      action: 'user.reset',
      who: 'reset-admin',
      from: 'local',
      after: { passwordChanged: true },
    });
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect((await steward.post('/mode', { token: old })).status).toBe(401);
  }

  test('gives a new password, ends the sessions, and is audited', async () => {
    await resets({}, [], true);
    expect(run('reset-admin', '--data', data).stderr).toContain('Another process uses');
  });

  // The assertions are in resets.
  // oxlint-disable-next-line vitest/expect-expect
  test.skipIf(!postgresKind.isHere)(`works beside a running server ${postgresKind.title}`, async () => {
    const { place, remove } = await postgresKind.place();
    await resets({ STEWARD_STORE: place.at }, ['--store', place.at], false);
    await steward?.end('SIGKILL');
    await remove();
  });

  test('makes the user where there is none, in the name as it is folded', async () => {
    steward = await startSteward({ data });
    await steward.end('SIGTERM');
    expect(run('reset-admin', '--data', data, '--username', 'Bob').stdout).toContain('bob is an administrator again');
    expect(run('reset-admin', '--data', data, '--username', 'a b').stderr).toContain('--username must be');
    expect(run('reset-admin', '--data', `${data}x`).stderr).toContain('There is no store at');
  });
});

test('[UPG3] a manifest is made, signed and verified by the program itself', () => {
  const [images, manifest, key] = ['images.txt', 'manifest.json', 'release.key'].map((name) => join(folder.path, name));
  writeFileSync(images ?? '', `web registry.example/web@sha256:${'a'.repeat(64)}\n`);
  expect(run('manifest', 'keygen', key ?? '').status).toBe(0);
  const version = ['--update', 'release', '--version', '11.0', '--build', '1234', '--previous-version', '10.9.1'];
  const made = run('manifest', 'make', ...version, '--images', images ?? '', '--output', manifest ?? '');
  expect(made.stdout + made.stderr).toContain('Added rel_11.0.1234');
  expect(run('manifest', 'sign', manifest ?? '', '--key', key ?? '').status).toBe(0);
  const verified = run('manifest', 'verify', manifest ?? '', '--key', `${key}.pub`);
  expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining('rel_11.0.1234')]);
  writeFileSync(manifest ?? '', readFileSync(manifest ?? '', 'utf8').replace('aaaa', 'bbbb'));
  expect(run('manifest', 'verify', manifest ?? '', '--key', `${key}.pub`).status).toBe(1);
});
