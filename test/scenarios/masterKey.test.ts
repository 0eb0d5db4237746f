// The master key of a store with secrets: what a start, /metrics, the status of a webhook and steward doctor say if it is lost,
// empty, another one, or not readable.
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { runSteward, startSteward, storeSetting } from '../support/server/stewardProcess.ts';
import { eachStore, placeForEachTest } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { PROJECT } from '../support/run/project.ts';
import { until } from '../support/run/until.ts';

const WEBHOOKS = '/admin/system/webhooks';
const OTHER_KEY = `${Buffer.alloc(32, 9).toString('base64')}\n`;
const NOBODY = 65_534;
const UNPRIVILEGED = { uid: NOBODY, gid: NOBODY, cwd: '/' };
/** Only root can change the account, and the account must reach Node and the built program. */
const canChangeAccount =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [join(PROJECT, 'dist', 'steward.js'), '--version'], UNPRIVILEGED).status === 0;

let folder: ReturnType<typeof temporaryFolder>;
let data: string;
let key: string;
let steward: StewardProcess | undefined;

beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder.path, 'data');
  key = join(data, 'master.key');
});
afterEach(async () => {
  await steward?.end('SIGKILL');
  folder.remove();
});

async function start(env: Record<string, string> = {}): Promise<StewardProcess> {
  steward = await startSteward({ data, env });
  return steward;
}

/** Starts Steward on a new store, creates a webhook with a secret header, and stops it. */
async function webhookInStore(env: Record<string, string> = {}): Promise<string> {
  const { must, token, end } = await start(env);
  const fields = { name: 'a', hookUrl: 'http://127.0.0.1:1/', headers: '{"x-key": "secret"}' };
  const { webhook } = await must(`${WEBHOOKS}/create`, { token: await token(), ...fields });
  await end('SIGTERM');
  return webhook.id;
}

const serve = (env: Record<string, string> = {}, ...more: readonly string[]) =>
  runSteward(['serve', '--port', '0', '--data', data, ...more], { env });

const doctor = async (env: Record<string, string> = {}) =>
  (await runSteward(['doctor', '--port', '1', '--data', data], { env: { HOME: folder.path, ...env } })).stdout;

eachStore((kind) => {
  const at = placeForEachTest(kind);

  test('[DEC25] a start without the master key of a store with secrets is refused, and a start with it goes on', async () => {
    const env = { STEWARD_STORE: storeSetting(at.place()) };
    await webhookInStore(env);
    const kept = readFileSync(key);
    rmSync(key);
    const { status, stderr } = await serve(env);
    expect(status).toBe(2);
    expect(stderr).toContain(`${key} is missing, and the secrets of 1 webhook in`);
    expect(stderr).toContain('Put the key of this store there, or name its file with STEWARD_MASTER_KEY_FILE');
    expect(stderr).toContain(`(umask 077; openssl rand -base64 32 > ${key})`);
    expect(stderr).toContain('steward webhooks edit <service> <id> --signature-key-file <file> --headers-file <file>');
    expect(existsSync(key)).toBe(false);
    expect(await doctor(env)).toMatch(/FAIL +master key +\S+master\.key is missing or empty/);
    writeFileSync(key, kept, { mode: 0o600 });
    expect((await (await start(env)).get('/metrics')).text).toContain('steward_webhook_unreadable_secrets 0\n');
    expect(await doctor(env)).toMatch(/ok +master key +\S+ can read the secrets of all webhooks \(1\)/);
  });
});

describe('[DEC25] the master key', () => {
  test('an empty key file is not replaced if the store has secrets', async () => {
    await webhookInStore();
    writeFileSync(key, '', { mode: 0o600 });
    const { status, stderr } = await serve();
    expect([status, stderr]).toEqual([2, expect.stringContaining(`${key} is empty`)]);
    expect(readFileSync(key, 'utf8')).toBe('');
  });

  test('a start that is refused for another reason creates no key', async () => {
    await (await start()).end('SIGTERM');
    rmSync(key);
    const { status, stderr } = await serve({}, '--demo');
    expect([status, stderr]).toEqual([2, expect.stringContaining('was used without --demo')]);
    expect(existsSync(key)).toBe(false);
    writeFileSync(join(data, 'steward.db'), 'no database');
    expect((await serve()).status).toBe(2);
    expect(existsSync(key)).toBe(false);
  });

  test('a key that does not exist any more is created again if the store has no secrets', async () => {
    await (await start()).end('SIGTERM');
    rmSync(key);
    expect(await doctor()).toMatch(/– +master key +There is no /);
    await start();
    expect(existsSync(key)).toBe(true);
  });

  test.skipIf(!canChangeAccount)(
    'a key that the account of Steward cannot read is a problem of the settings, also for doctor (left out unless root runs the tests, where other accounts can read the program)',
    async () => {
      await (await start()).end('SIGTERM');
      for (const path of [folder.path, data, join(data, 'steward.db')]) chownSync(path, NOBODY, NOBODY);
      const options = { ...UNPRIVILEGED, env: { HOME: folder.path } };
      const { status, stderr } = await runSteward(['serve', '--port', '0', '--data', data], options);
      expect(status).toBe(2);
      expect(stderr).toMatch(/master\.key cannot be read: permission denied\. The account (\S+), .*chown \1: /);
      expect(stderr).not.toContain('    at ');
      const found = await runSteward(['doctor', '--port', '1', '--data', data], options);
      expect([found.status, found.stdout]).toEqual([9, expect.stringMatching(/FAIL +configuration +.*master\.key/)]);
      const tls = ['--tls-cert', '/etc/hosts', '--tls-key', key, '--data', join(folder.path, 'other')];
      expect((await runSteward(['serve', ...tls], options)).stderr).toMatch(
        /STEWARD_TLS_KEY: the file .* cannot be used: permission denied\. The account (\S+), .*chown \1: /,
      );
    },
  );
});

describe('[DEC36] a master key that cannot open the secrets', () => {
  test('the webhook is unreadable for /metrics, its status and doctor, until an edit sets its key and its headers', async () => {
    const id = await webhookInStore();
    writeFileSync(key, OTHER_KEY, { mode: 0o600 });
    const { must, post, get, token: signIn, log, url } = await start();
    const token = await signIn();
    await until('the log has it', () => log().includes('secrets cannot be read'));
    expect((await get('/metrics')).text).toContain('steward_webhook_unreadable_secrets 1\n');
    expect(await must(`${WEBHOOKS}/${id}/notificationStatus`, { token })).toMatchObject({ state: 'unreadable' });
    expect(await doctor()).toMatch(/FAIL +master key +\S+ lacks the key of 1 webhook of 1\. Nothing is sent for it\./);
    const remote = { env: { STEWARD_SERVER: url, STEWARD_TOKEN: token } };
    expect((await runSteward(['status'], remote)).stdout).toContain('NOTHING IS SENT for 1: the server lacks');
    const rotated = await runSteward(['system-webhooks', 'rotate-key', id, '--yes'], remote);
    expect(rotated).toMatchObject({ status: 1, stderr: expect.stringContaining('STEWARD_MASTER_KEY_FILE') });
    const signatureKey = 'a-new-key-of-the-webhook';
    // What is not set would be lost, so both are needed.
    expect((await post(`${WEBHOOKS}/${id}/edit`, { token, signatureKey })).status).toBe(503);
    expect((await post(`${WEBHOOKS}/${id}/rotateKey`, { token })).status).toBe(503);
    const { webhook } = await must(`${WEBHOOKS}/${id}/edit`, { token, signatureKey, headers: '{"x-key":"new"}' });
    expect(webhook.headers).toEqual({ 'x-key': '(hidden)' });
    expect((await get('/metrics')).text).toContain('steward_webhook_unreadable_secrets 0\n');
    expect(await must(`${WEBHOOKS}/${id}/notificationStatus`, { token })).toMatchObject({ state: 'unused' });
    expect(await must(`${WEBHOOKS}/${id}/rotateKey`, { token })).toHaveProperty('signatureKey');
  });
});
