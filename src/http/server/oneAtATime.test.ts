import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { makeCertificate } from '../../../test/support/server/certificates.ts';
import { temporaryFolder } from '../../../test/support/run/runFolder.ts';
import { handleOneAtATime } from './oneAtATime.ts';

let server: Server;
let socket: Socket;
/** What the handler found, and how many requests it had at once at most. */
let handled: string[];
let most: number;

afterEach(async () => {
  socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers with the body, after all of it has arrived and the event loop was left. */
function createAnswer(): (request: IncomingMessage, response: ServerResponse) => void {
  let open = 0;
  [handled, most] = [[], 0];
  return (request, response) => {
    most = Math.max(most, ++open);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      handled.push(`${request.method} ${request.url} ${body}`);
      setImmediate(() => response.end(body));
    });
    response.on('close', () => open--);
  };
}

async function start(made: Server): Promise<number> {
  server = made;
  handleOneAtATime(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return port;
}

/** Sends packets, each after the server has read the one before, and waits until `count` requests are handled. */
async function send(packets: readonly string[], count: number): Promise<void> {
  for (const packet of packets) {
    socket.write(packet);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  await expect.poll(() => handled.length, { timeout: 30_000, interval: 1 }).toBe(count);
}

const get = (n: number): string => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (n: number, body: string): string =>
  `POST /${n} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const chunked = (n: number, body: string): string =>
  `POST /${n} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const BLANK_LINES = 'a\r\n\r\nb\n\nc';

test('[REQ10] pipelined requests of every kind are handled in order, one at a time', async () => {
  socket = connect(await start(createServer(createAnswer())), '127.0.0.1');
  const kinds = [get, (n: number) => post(n, BLANK_LINES), (n: number) => chunked(n, BLANK_LINES)];
  const text = Array.from({ length: 900 }, (_, n) => kinds[n % 3]?.(n)).join('');
  await send([text], 900);
  const expected = (n: number): string => (n % 3 === 0 ? `GET /${n} ` : `POST /${n} ${BLANK_LINES}`);
  expect(handled).toEqual(Array.from({ length: 900 }, (_, n) => expected(n)));
  expect(most).toBe(1);
});

test('[REQ10] requests are handled one at a time wherever packets cut them', async () => {
  const port = await start(createServer(createAnswer()));
  const text = get(1) + post(2, BLANK_LINES) + chunked(3, 'xyz') + get(4) + get(5);
  for (let cut = 1; cut < text.length; cut++) {
    handled = [];
    socket = connect(port, '127.0.0.1').setNoDelay(true);
    await send([text.slice(0, cut), text.slice(cut)], 5);
    socket.destroy();
  }
  expect(most).toBe(1);
});

test('[REQ10] pipelined requests over TLS are handled one at a time', async () => {
  const folder = temporaryFolder();
  const { cert, key } = makeCertificate(folder.path);
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  const port = await start(createTlsServer(tls, createAnswer()));
  socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await send([Array.from({ length: 500 }, (_, n) => get(n)).join('')], 500);
  expect(most).toBe(1);
  folder.remove();
});

test('[REQ10] a connection whose requests wait is not read', async () => {
  const held: ServerResponse[] = [];
  const port = await start(createServer((_request, response) => void held.push(response)));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  socket = connect(port, '127.0.0.1');
  socket.write(get(0).repeat(400_000));
  const reader = await accepted;
  await expect.poll(() => reader.isPaused()).toBe(true);
  expect(held).toHaveLength(1);
  expect(reader.bytesRead).toBeLessThan(512 * 1024);
});
