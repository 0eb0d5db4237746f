import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SECOND } from '../../src/foundation/clock.ts';
import type { CloseStack } from '../../src/foundation/flow/closeStack.ts';
import { createCloseStack } from '../../src/foundation/flow/closeStack.ts';
import type { LogFields } from '../../src/foundation/log.ts';
import { silentLog } from '../../src/foundation/log.ts';
import { replaceCertificate } from '../../src/http/server/instance.ts';
import { createCertificateReload } from '../../src/service/files/certificateReload.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';
import type { CertificateFiles } from '../support/server/certificates.ts';
import { makeCertificate } from '../support/server/certificates.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { startSteward } from '../support/server/stewardProcess.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function newCertificate(): CertificateFiles {
  return makeCertificate(mkdtempSync(join(folder.path, 'pair-')));
}

function connectTo(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => resolve(socket));
    socket.once('error', reject);
  });
}

async function fingerprintAt(port: number): Promise<string> {
  const socket = await connectTo(port);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** Sends a request over a connection that stays open, and returns the first line of the answer. */
function askOver(socket: TLSSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n', 1)[0] ?? ''));
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  });
}

/** A folder as Kubernetes mounts a Secret: the files are links through `..data`, which is replaced as a whole. */
function secretFolder(first: CertificateFiles) {
  const mount = join(folder.path, 'mount');
  let version = 0;
  function update({ cert, key }: CertificateFiles): void {
    version += 1;
    const content = join(mount, `..version${version}`);
    mkdirSync(content, { recursive: true });
    copyFileSync(cert, join(content, 'tls.crt'));
    copyFileSync(key, join(content, 'tls.key'));
    symlinkSync(content, join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    if (version > 1) rmSync(join(mount, `..version${version - 1}`), { recursive: true });
  }
  update(first);
  for (const name of ['tls.crt', 'tls.key']) symlinkSync(join('..data', name), join(mount, name));
  return { update, tlsCert: join(mount, 'tls.crt'), tlsKey: join(mount, 'tls.key') };
}

describe('[DEC67] a server whose certificate is renewed', () => {
  let steward: InProcessServer;
  let closeStack: CloseStack;
  let port: number;
  let first: CertificateFiles;
  let files: { readonly tlsCert: string; readonly tlsKey: string };
  let lines: LogFields[];

  beforeEach(async () => {
    first = makeCertificate(folder.path);
    await start({ tlsCert: first.cert, tlsKey: first.key });
  });
  afterEach(stop);

  async function start(settings: typeof files): Promise<void> {
    files = settings;
    lines = [];
    const keep = (fields: LogFields, message: string): void => void lines.push({ ...fields, message });
    const log = { ...silentLog, info: keep, warn: keep, error: keep };
    const tls = { cert: readFileSync(files.tlsCert, 'utf8'), key: readFileSync(files.tlsKey, 'utf8') };
    steward = await startInProcess({ tls });
    port = Number(new URL(await steward.app.listen({ host: '127.0.0.1', port: 0 })).port);
    closeStack = createCloseStack(log);
    const clock = steward.clock.forLoop();
    createCertificateReload(tls, { settings, clock, log, closeStack }).start((pair) =>
      replaceCertificate(steward.app, pair),
    );
  }
  async function stop(): Promise<void> {
    await closeStack.close();
    await steward.close();
  }

  const write = ({ cert, key }: CertificateFiles): void => {
    copyFileSync(cert, files.tlsCert);
    copyFileSync(key, files.tlsKey);
  };
  /** Lets the server look at the files this many times. */
  const looks = (count: number): Promise<void> => steward.clock.pass(count * 5 * SECOND + 1);

  test('new connections get the new certificate, and an open connection stays open', async () => {
    const open = await connectTo(port);
    expect(await askOver(open)).toBe('HTTP/1.1 200 OK');
    const next = newCertificate();
    write(next);
    await looks(1);
    expect(await fingerprintAt(port)).toBe(next.fingerprint);
    expect(await askOver(open)).toBe('HTTP/1.1 200 OK');
    open.destroy();
    expect(lines).toEqual([
      expect.objectContaining({
        message: 'the certificate was renewed; new connections use it',
        subject: 'CN=localhost',
        fingerprint: next.fingerprint,
      }),
    ]);
  });

  test('a Secret that Kubernetes replaces by a link is noticed, again and again', async () => {
    await stop();
    const { update, ...settings } = secretFolder(first);
    await start(settings);
    for (let time = 0; time < 3; time += 1) {
      const next = newCertificate();
      update(next);
      await looks(1);
      expect(await fingerprintAt(port)).toBe(next.fingerprint);
    }
    expect(lines.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
  });

  test('a key of another certificate is refused with one line that names both files, and the right key ends it', async () => {
    const next = newCertificate();
    copyFileSync(next.cert, files.tlsCert);
    await looks(5);
    expect(await fingerprintAt(port)).toBe(first.fingerprint);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.['reason']).toContain(`"${files.tlsCert}" and "${files.tlsKey}" cannot be used together`);
    expect(lines[0]?.['message']).toContain('the previous one stays; correct the files');
    copyFileSync(next.key, files.tlsKey);
    await looks(1);
    expect(await fingerprintAt(port)).toBe(next.fingerprint);
  });

  test('a pair that is half-written at one look and complete at the next is used without an error', async () => {
    const next = newCertificate();
    writeFileSync(files.tlsCert, readFileSync(next.cert, 'utf8').slice(0, 200));
    writeFileSync(files.tlsKey, '');
    await looks(1);
    expect(await fingerprintAt(port)).toBe(first.fingerprint);
    write(next);
    await looks(1);
    expect(await fingerprintAt(port)).toBe(next.fingerprint);
    expect(lines.map(({ reason }) => reason)).toEqual([undefined]);
  });

  test.each<[what: string, spoil: () => void, reason: RegExp]>([
    ['missing', () => rmSync(files.tlsKey), /STEWARD_TLS_KEY: the file ".+tls.key" cannot be used: ENOENT/],
    ['empty', () => writeFileSync(files.tlsKey, ''), /STEWARD_TLS_KEY: .+tls.key.+ no private key in PEM/],
    [
      'cut off',
      () => writeFileSync(files.tlsCert, readFileSync(files.tlsCert, 'utf8').repeat(2).slice(0, -40)),
      /STEWARD_TLS_CERT: .+tls.crt.+ it is incomplete/,
    ],
  ])('a file that is %s is reported once, and the certificate in use stays', async (_what, spoil, reason) => {
    spoil();
    await looks(4);
    expect(await fingerprintAt(port)).toBe(first.fingerprint);
    expect(lines.map((line) => line['reason'])).toEqual([expect.stringMatching(reason)]);
  });
});

test('[DEC67] the program takes a renewed Secret without a restart', async () => {
  const { update, tlsCert, tlsKey } = secretFolder(newCertificate());
  const args = ['--tls-cert', tlsCert, '--tls-key', tlsKey];
  const steward = await startSteward({ data: join(folder.path, 'data'), args });
  try {
    const next = newCertificate();
    update(next);
    const port = Number(new URL(steward.url).port);
    await until(
      'new connections get the new certificate',
      async () => (await fingerprintAt(port)) === next.fingerprint,
    );
    await until('the log says so', () => steward.log().includes('the certificate was renewed'));
    expect(steward.log()).toContain('new connections use it');
  } finally {
    await steward.end('SIGKILL');
  }
});
