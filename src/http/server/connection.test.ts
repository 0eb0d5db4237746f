import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { forgetPendingReply, notePendingReply, trackConnections } from './connection.ts';

const MIB = 1024 * 1024;
let app: FastifyInstance;
let sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await app.close();
});

async function start(stallMs: number, max = 100): Promise<{ stop(): void }> {
  app = fastify({ forceCloseConnections: false });
  app.addHook('onRequest', async (_request, reply) => notePendingReply(reply));
  app.addHook('onResponse', async (_request, reply) => forgetPendingReply(reply));
  app.post('/', async () => 'posted');
  app.get('/large', async () => 'x'.repeat(16 * MIB));
  const connections = trackConnections(app.server, { stallMs, max });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return connections;
}

async function send(text: string): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)));
  const began = new Promise<void>((resolve) => app.server.once('request', () => resolve()));
  socket.write(text);
  await began;
  socket.on('data', (chunk) => (answer += chunk.toString()));
  return { socket, answer: closed };
}

const HALF = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nab';

test('[STO6] a server that stops answers 408 to a client that does not send the rest of its request', async () => {
  const connections = await start(0);
  const { answer } = await send(HALF);
  connections.stop();
  expect(await answer).toMatch(/^HTTP\/1.1 408 .*The server is stopping/s);
});

test('[STO6] a server that stops finishes the request of a client that sends the rest in time, and closes its connection', async () => {
  const connections = await start(600_000);
  const { socket, answer } = await send(HALF);
  connections.stop();
  socket.write('cde');
  expect(await answer).toMatch(/^HTTP\/1.1 200 .*posted/s);
});

test('[STO6] a server that stops closes the connection of a client that does not read its answer', async () => {
  const connections = await start(0);
  const { socket } = await send('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.pause();
  connections.stop();
  const count = (): Promise<number> =>
    new Promise((resolve) => app.server.getConnections((_error, open) => resolve(open)));
  await expect.poll(count, { timeout: 60_000 }).toBe(0);
});

function silent(): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  return new Promise((resolve) => app.server.once('connection', () => resolve(socket)));
}

test('[REQ9] beyond the cap on connections, the idle connection that was opened first is closed', async () => {
  await start(0, 3);
  const busy = await send(HALF);
  const first = await silent();
  const closed = new Promise((resolve) => first.once('close', resolve));
  const second = await silent();
  const third = await silent();
  await closed;
  expect([busy.socket.destroyed, second.destroyed, third.destroyed]).toEqual([false, false, false]);
});

test('[REQ9] a connection beyond the cap gets 503 with Retry-After if no other connection is idle', async () => {
  await start(0, 2);
  await send(HALF);
  await send(HALF);
  const refused = await silent();
  let answer = '';
  refused.on('data', (chunk) => (answer += chunk.toString()));
  await new Promise((resolve) => refused.once('close', resolve));
  expect(answer).toMatch(/^HTTP\/1.1 503 .*Retry-After: 5.*limit of connections/s);
});
