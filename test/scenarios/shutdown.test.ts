import { existsSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
import { changeRows } from '../support/store/stores.ts';
import { temporaryFolder } from '../support/run/runFolder.ts';
import { until } from '../support/run/until.ts';

let folder: ReturnType<typeof temporaryFolder>;
let steward: StewardProcess;

beforeEach(async () => {
  folder = temporaryFolder();
  steward = await startSteward({ data: join(folder.path, 'data') });
});
afterEach(async () => {
  await steward.end('SIGKILL');
  folder.remove();
});

interface OpenConnection {
  readonly socket: Socket;
  readonly received: () => string;
  readonly closed: Promise<void>;
}

async function connection(sent: string): Promise<OpenConnection> {
  const { hostname, port } = new URL(steward.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  if (sent !== '') socket.write(sent);
  return { socket, received: () => received, closed };
}

test('[STO5] after SIGTERM the data folder has the store, the key and the mark of the installation, and no side files', async () => {
  const token = await steward.token();
  for (let n = 0; n < 20; n += 1) await steward.must('/admin/services/createFolder', { token, folderName: `F${n}` });
  expect(await steward.end('SIGTERM')).toBe(0);
  expect(readdirSync(join(folder.path, 'data')).toSorted()).toEqual(['installation', 'master.key', 'steward.db']);
});

test('[STO6] SIGTERM closes connections that never sent a request, sent half a head, or are kept alive, and ends with 0', async () => {
  const silent = await connection('');
  const half = await connection('GET /healthz HTTP/1.1\r\nHo');
  const kept = await connection('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the request is answered', () => kept.received().includes('alive'));
  expect(await steward.end('SIGTERM')).toBe(0);
  await Promise.all([silent.closed, half.closed, kept.closed]);
  expect(steward.log()).toContain('"stopped"');
  expect(steward.log()).not.toContain('did not end in time');
});

test('[DEC92] SIGHUP reopens the file of the log after it was renamed, and the server goes on', async () => {
  const [file, former] = [join(folder.path, 'log'), join(folder.path, 'log.1')];
  const logged = await startSteward({ data: join(folder.path, 'logged'), before: `exec 2>> ${file}` });
  renameSync(file, former);
  logged.process.kill('SIGHUP');
  await until('the new file has lines', () => existsSync(file) && readFileSync(file, 'utf8').includes('SIGHUP'));
  expect((await fetch(`${logged.url}/nothing/after-rotation`)).status).toBe(404);
  await until('the request is logged', () => readFileSync(file, 'utf8').includes('after-rotation'));
  expect(readFileSync(former, 'utf8')).not.toContain('after-rotation');
  expect(await logged.end('SIGTERM')).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('"stopped"');
});

test('[DEC92] SIGHUP does not end a server whose log is a pipe', async () => {
  steward.process.kill('SIGHUP');
  await until('the signal is logged', () => steward.log().includes('SIGHUP'));
  expect((await fetch(`${steward.url}/healthz`)).status).toBe(200);
});

test('[STO6] with a drain time, the server answers after SIGTERM, is not ready, and asks clients to close', async () => {
  const env = { STEWARD_DRAIN_SECONDS: '2' };
  const drained = await startSteward({ data: join(folder.path, 'drained'), env });
  const ended = drained.end('SIGTERM');
  await until('the server is not ready', async () => (await fetch(`${drained.url}/readyz`)).status === 503);
  const answer = await fetch(`${drained.url}/healthz`);
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  expect(await ended).toBe(0);
});

test('[STO6] the server goes on when the reader of its output is gone, and SIGTERM ends it with 0', async () => {
  steward.process.stdout?.destroy();
  steward.process.stderr?.destroy();
  for (let n = 0; n < 20; n += 1) expect((await fetch(`${steward.url}/healthz`)).status).toBe(200);
  expect(await steward.end('SIGTERM')).toBe(0);
});

test('[STO6] the server starts without a reader of its output, serves, and ends with 0', async () => {
  const piped = await startSteward({ data: join(folder.path, 'piped'), hasReader: false });
  expect((await fetch(`${piped.url}/healthz`)).status).toBe(200);
  expect(await piped.end('SIGTERM')).toBe(0);
});

test('[STO6] the server goes on when its log is not read, and SIGTERM ends it with 0', async () => {
  steward.process.stderr?.removeAllListeners('data').pause();
  const path = `/healthz?${'x'.repeat(400)}`;
  const refused = `/nothing/${'x'.repeat(450)}`;
  for (let n = 0; n < 600; n += 1) await fetch(`${steward.url}${n % 2 === 0 ? path : refused}`);
  const ended = new Promise<number | null>((resolve) => steward.process.once('exit', resolve));
  steward.process.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('[STO6] [DEC69] a client that does not read its export of the audit log does not keep the server from stopping', async () => {
  const place = { kind: 'sqlite', at: join(folder.path, 'data', 'steward.db'), connections: 1 } as const;
  await changeRows(
    place,
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
     insert into audit (at, who, address, request_id, action, target, after_state)
     select n, 'ann', '192.0.2.1', 'r', 'service.edit', 'service A.Map', '"${'x'.repeat(2000)}"' from numbers`,
  );
  const token = await steward.token();
  const head = `GET /admin/security/audit/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const { socket, received } = await connection(head);
  await until('the export has begun', () => received().includes('200 OK'));
  socket.pause();
  expect(await steward.end('SIGTERM')).toBe(0);
  expect(steward.log()).not.toContain('did not end in time');
  socket.destroy();
});
