import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DoctorContext, DoctorOptions } from '../../src/service/doctor/doctor.ts';
import { doctor } from '../../src/service/doctor/doctor.ts';
import type { Diagnosis } from '../../src/service/doctor/diagnosis.ts';
import { counted } from '../../src/foundation/text/counted.ts';
import { checkTls } from '../../src/service/doctor/networkChecks.ts';
import { checkClock } from '../../src/service/doctor/storeChecks.ts';
import { readConfiguration } from '../../src/service/settings/configuration.ts';
import { systemClock } from '../../src/foundation/clock.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { openStore } from '../../src/store/store.ts';
import { runCommand, temporaryFolder } from '../support/run/runFolder.ts';
import type { TemporaryFolder } from '../support/run/runFolder.ts';
import { startSteward } from '../support/server/stewardProcess.ts';

let folder: TemporaryFolder;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.remove());

interface Report {
  readonly code: number;
  readonly text: string;
  readonly findings: readonly Diagnosis[];
  finding(name: string): Diagnosis | undefined;
}

async function examine(
  flags: Readonly<Record<string, string>>,
  options: DoctorOptions = {},
  ask?: DoctorContext['ask'],
): Promise<Report> {
  let text = '';
  const read = () =>
    readConfiguration({ flags: { data: folder.path, port: '1', ...flags }, environment: {}, file: undefined });
  const code = await doctor(
    { ...options, json: true },
    { readConfiguration: read, ask, print: (printed) => void (text += printed) },
  );
  const { findings } = JSON.parse(text) as { readonly findings: readonly Diagnosis[] };
  return { code, text, findings, finding: (name) => findings.find((one) => one.name === name) };
}

async function makeStore(): Promise<string> {
  const at = join(folder.path, 'steward.db');
  await (await openStore({ kind: 'sqlite', at, connections: 1 }, { clock: systemClock, log: silentLog })).close();
  return at;
}

describe('[DEC101] steward doctor', () => {
  test('a mistake in the configuration is named with its flag, and the exit code is 9', async () => {
    const { code, finding } = await examine({ webhookPace: 'x' });
    expect(code).toBe(9);
    expect(finding('configuration')).toMatchObject({
      verdict: 'fail',
      text: expect.stringContaining('--webhook-pace'),
    });
  });

  test('where no server runs, the store is looked at and not changed', async () => {
    const at = await makeStore();
    const before = readFileSync(at);
    const { code, finding } = await examine({});
    expect(finding('server')).toMatchObject({ verdict: 'warn', todo: expect.stringContaining('steward serve') });
    expect(finding('store')).toMatchObject({
      verdict: 'pass',
      text: expect.stringContaining('0 webhooks, 0 events, 0 deliveries'),
    });
    expect(readFileSync(at).equals(before)).toBe(true);
    expect(code).toBe(0);
  });

  test('a damaged store fails, and the text says to restore a backup', async () => {
    const at = await makeStore();
    truncateSync(at, Math.floor(statSync(at).size / 2));
    const { code, finding } = await examine({});
    expect(finding('store')).toMatchObject({ verdict: 'fail', todo: expect.stringContaining('steward restore') });
    expect(code).toBe(9);
  });

  test('the store is described with numbers and nouns that fit', async () => {
    await makeStore();
    expect((await examine({})).finding('store')?.text).toContain('0 jobs, 0 audit entries, 0 uploads');
    expect([counted(1, 'event'), counted(2, 'event'), counted(1, 'delivery', 'deliveries')]).toEqual([
      '1 event',
      '2 events',
      '1 delivery',
    ]);
  });

  test('a store whose file is gone is not called a store that does not exist yet', async () => {
    expect((await examine({})).finding('store')).toMatchObject({ verdict: 'skip', todo: 'steward serve creates it.' });
    rmSync(await makeStore());
    expect((await examine({})).finding('store')).toMatchObject({
      verdict: 'fail',
      text: expect.stringMatching(/steward\.db is gone\. There was a store: .*steward\.db(-wal|\.lock) is still there/),
      todo: expect.stringContaining('Put the file back, or restore a backup'),
    });
  });

  test('a file that is removed while the server runs is reported as such', async () => {
    const steward = await startSteward({ data: folder.path });
    rmSync(join(folder.path, 'steward.db'));
    const { finding } = await examine({ port: new URL(steward.url).port });
    expect(finding('store')).toMatchObject({
      verdict: 'fail',
      text: expect.stringContaining('is gone. The server that runs here refuses changes'),
      todo: expect.stringContaining('Put the file back, and the server continues'),
    });
    await steward.end('SIGKILL');
  });

  test('receivers that a server did not list are skipped with its reason, and without a profile with the way to sign in', async () => {
    expect((await examine({})).finding('receivers')).toMatchObject({ todo: expect.stringContaining('Sign in') });
    const refuse = (): Promise<unknown> => Promise.reject(new Error('No answer from http://127.0.0.1:1: refused'));
    expect((await examine({}, {}, refuse)).finding('receivers')).toMatchObject({
      verdict: 'skip',
      text: expect.stringContaining('did not list them. No answer from http://127.0.0.1:1: refused'),
      todo: expect.stringContaining('Start it'),
    });
  });

  test('a database that does not answer fails, and its password is not printed', async () => {
    const { finding, text } = await examine({ store: 'postgres://u:topsecret@127.0.0.1:1/x' });
    expect(finding('store')).toMatchObject({ verdict: 'fail', todo: expect.stringContaining('STEWARD_STORE') });
    expect(text).not.toContain('topsecret');
  });

  test('another program on the port fails', async () => {
    const other = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { finding } = await examine({ port: String((other.address() as AddressInfo).port) });
    other.close();
    expect(finding('server')).toMatchObject({ verdict: 'fail', text: expect.stringContaining('Another program') });
  });

  test('a running server is asked, a receiver that cannot be reached is named, and the bundle has no secret', async () => {
    const steward = await startSteward({ data: folder.path });
    const token = await steward.token();
    const ask = (path: string): Promise<unknown> => steward.must(`/admin${path}`, { token });
    const hook = {
      token,
      name: 'a',
      hookUrl: 'http://127.0.0.1:1/path-secret?key=query-secret',
      headers: '{"x-key": "header-secret"}',
      signatureKey: 'signature-secret',
    };
    await steward.must('/admin/system/webhooks/create', hook);
    const bundle = join(folder.path, 'bundle.json');
    const flags = { port: new URL(steward.url).port, adminPassword: 'password-of-the-administrator' };
    const { finding } = await examine(flags, { bundle }, ask);
    expect(finding('server')).toMatchObject({ verdict: 'pass' });
    expect(finding('receivers')).toMatchObject({
      verdict: 'warn',
      text: expect.stringContaining('http://127.0.0.1:1 ('),
    });
    const written = readFileSync(bundle, 'utf8');
    expect(statSync(bundle).mode & 0o777).toBe(0o600);
    expect(written).toContain('steward_');
    for (const secret of [
      'path-secret',
      'query-secret',
      'header-secret',
      'signature-secret',
      'password-of-the-administrator',
      token,
    ])
      expect(written).not.toContain(secret);
    await expect(examine(flags, { bundle }, ask)).rejects.toThrow('--bundle');
    await steward.end('SIGTERM');
  });

  test('a certificate that has expired, expires soon, or is for another host, is named', async () => {
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const args = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '30',
      '-subj',
      '/CN=steward.example',
      '-addext',
      'subjectAltName=DNS:steward.example',
      '-keyout',
      key,
      '-out',
      cert,
    ];
    expect((await runCommand('openssl', args)).status).toBe(0);
    const { settings } = readConfiguration({ flags: { host: '0.0.0.0' }, environment: {}, file: undefined });
    const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
    const files = {
      tls,
      webhookCa: undefined,
      registryCa: undefined,
      manifestKey: undefined,
      licenceKey: undefined,
      masterKeys: undefined,
    };
    const now = Date.now();
    const inDays = (n: number): number => now + n * 86_400_000;
    const at = (time: number, publicUrl?: string) => checkTls(files, { ...settings, publicUrl }, time);
    expect(at(now)).toMatchObject({ verdict: 'pass' });
    expect(at(inDays(20))).toMatchObject({ verdict: 'warn', todo: 'Renew it.' });
    expect(at(inDays(31))).toMatchObject({ verdict: 'fail', text: expect.stringContaining('expired') });
    expect(at(now, 'https://other.example')).toMatchObject({
      verdict: 'fail',
      text: expect.stringContaining('other.example'),
    });
    expect(checkTls({ ...files, tls: undefined }, settings, now)).toMatchObject({ verdict: 'warn' });
  });

  test('a clock that is behind what was written, or differs from that of the database, is found', () => {
    const report = {
      level: 3,
      ownLevel: 3,
      version: '0.2.0',
      differences: [],
      unsafeSettings: [],
      rows: {},
      receivers: [],
      keyMarks: [],
      objectKeyMarks: [],
      newestAt: 2_000_000,
      databaseTime: undefined,
      damage: undefined,
    };
    expect(checkClock(report, 2_000_000)).toMatchObject({ verdict: 'pass' });
    expect(checkClock(report, 1_000_000)).toMatchObject({ verdict: 'fail' });
    expect(checkClock({ ...report, databaseTime: 5000 }, 9000)).toMatchObject({ verdict: 'warn' });
    expect(checkClock({ ...report, databaseTime: 5000 }, 5500)).toMatchObject({ verdict: 'pass' });
    expect(checkClock(undefined, 0)).toMatchObject({ verdict: 'skip' });
  });

  test('a warning about an unknown setting is shown', async () => {
    writeFileSync(join(folder.path, 'x'), '');
    const read = () =>
      readConfiguration({
        flags: { data: folder.path, port: '1' },
        environment: { STEWARD_PROT: '1' },
        file: undefined,
      });
    let text = '';
    await doctor({}, { readConfiguration: read, ask: undefined, print: (printed) => void (text += printed) });
    expect(text).toContain('WARN  configuration');
    expect(text).toContain('STEWARD_PROT');
  });
});
