import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StewardProcess } from '../support/server/stewardProcess.ts';
import { startSteward } from '../support/server/stewardProcess.ts';
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
