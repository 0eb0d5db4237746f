// What is not the fault of a receiver: interim responses, idle connections that were just closed, a process that was stopped.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Agent } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Receiver, SendOutcome } from '../../webhooks/ports/receiver.ts';
import { createAddressGuard } from './addresses/addressGuard.ts';
import { createRotatingAgent } from './connection/rotatingAgent.ts';
import { watchLateness } from './exchange/lateness.ts';
import { createReceiver } from './receiver.ts';

const AMPLE_MS = 10_000;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

function open(): Receiver {
  const receiver = createReceiver({ guard: createAddressGuard({ allow: [], allowLoopback: true }) });
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Runs a receiver that gets each request with its number on its connection. */
async function serve(answer: (socket: Socket, n: number) => unknown) {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let n = 0;
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      n += 1;
      void answer(socket, n);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, requests: () => requests, connections: () => sockets.size };
}

/** After a pause: a request that follows an answer at once gets another connection. */
async function send(receiver: Receiver, url: string, timeoutMs = AMPLE_MS): Promise<SendOutcome> {
  await new Promise((resolve) => setImmediate(resolve));
  return receiver.send({ url, headers: {}, body: '{}', timeoutMs });
}

async function writeBytes(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    socket.write(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each([
  ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
  ['several', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(3)],
])('[WHK30] interim responses are skipped: %s', async (_, interim) => {
  const receiver = open();
  for (const answer of [
    (socket: Socket) => socket.write(interim + OK),
    (socket: Socket) => socket.write(interim, () => setTimeout(() => socket.write(OK), 20)),
    (socket: Socket) => writeBytes(socket, interim + OK),
  ]) {
    const { url, connections } = await serve(answer);
    for (let n = 0; n < 4; n += 1)
      expect(await send(receiver, url)).toMatchObject({ kind: 'accepted', status: 200, answer: 'ok' });
    expect(connections()).toBe(1);
  }
});

test('[WHK30] an answer whose body looks like an interim response is kept', async () => {
  const body = 'HTTP/1.1 100 Continue\r\n\r\n';
  const { url } = await serve((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, () =>
      setTimeout(() => socket.write(body), 20),
    ),
  );
  expect(await send(open(), url)).toMatchObject({ kind: 'accepted', answer: body });
});

test('[WHK30] endless interim responses end the attempt', async () => {
  const { url } = await serve((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)));
  expect(await send(open(), url)).toMatchObject({ kind: 'unreachable' });
});

test('[WHK6] 101 and 304 are reported as what they are', async () => {
  const receiver = open();
  const upgrade = await serve((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  );
  expect(await send(receiver, upgrade.url)).toMatchObject({
    kind: 'unreachable',
    reason: 'the receiver answered 101 Switching Protocols, which was not asked for',
  });
  const unchanged = await serve((socket) => socket.write('HTTP/1.1 304 Not Modified\r\n\r\n'));
  expect(await send(receiver, unchanged.url)).toMatchObject({ reason: 'the receiver answered 304 Not Modified' });
});

test.each([
  ['lines that end with LF alone', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ['a folded line', 'HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\n\tc\r\nContent-Length: 2\r\n\r\nok'],
  ['one length twice', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length:2\r\n\r\nok'],
  [
    'a length beside chunks',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
  ],
])('[WHK6] an odd but clear head is understood: %s', async (_, answer) => {
  const receiver = open();
  for (const write of [(socket: Socket) => socket.write(answer), (socket: Socket) => writeBytes(socket, answer)]) {
    const { url } = await serve(write);
    for (let n = 0; n < 3; n += 1)
      expect(await send(receiver, url)).toMatchObject({ kind: 'accepted', status: 200, answer: 'ok' });
  }
});

test.each([
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok', 'it has two different lengths'],
  ['HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok', 'its status is below 100'],
  ['nonsense', 'Expected HTTP/'],
])('[WHK6] a head that is not clear is refused with its reason: %j', async (answer, reason) => {
  const { url } = await serve((socket) => socket.write(answer));
  expect(await send(open(), url)).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining(`the response is not HTTP/1.1: ${reason}`),
  });
});

test('[WHK6] a head of 40 KB is read', async () => {
  const { url } = await serve((socket) => socket.write(OK.replace('\r\n', `\r\nX-Long: ${'a'.repeat(40_000)}\r\n`)));
  expect(await send(open(), url)).toMatchObject({ kind: 'accepted' });
});

test.each([
  ['with its end', (socket: Socket) => socket.end()],
  ['with a reset', (socket: Socket) => socket.resetAndDestroy()],
])(
  '[WHK16] a request on an idle connection that the receiver closes %s is sent once more on a new one',
  async (_, close) => {
    const receiver = open();
    const { url, requests, connections } = await serve((socket, n) => (n === 1 ? socket.write(OK) : close(socket)));
    for (let n = 0; n < 4; n += 1) expect(await send(receiver, url)).toMatchObject({ kind: 'accepted', answer: 'ok' });
    // Every second request meets the connection of the first, and is repeated on one that is closed after it.
    expect([requests(), connections()]).toEqual([6, 4]);
  },
);

test('[WHK16] a request that a receiver never answers is not repeated, nor one that it begins to answer', async () => {
  const receiver = open();
  const closing = await serve((socket) => socket.resetAndDestroy());
  expect(await send(receiver, closing.url)).toMatchObject({ kind: 'unreachable' });
  expect(closing.requests()).toBe(1);
  const halfway = await serve((socket, n) => (n === 1 ? socket.write(OK) : socket.end('HTTP/1.1 200 OK\r\nConte')));
  expect(await send(receiver, halfway.url)).toMatchObject({ kind: 'accepted' });
  expect(await send(receiver, halfway.url)).toMatchObject({ kind: 'unreachable' });
  expect(halfway.requests()).toBe(2);
});

test('[WHK16] a repeated request has the deadline of the first', async () => {
  const receiver = open();
  let isClosing = false;
  const { url } = await serve((socket) => {
    if (!isClosing) return socket.write(OK);
    isClosing = false;
    setTimeout(() => socket.destroy(), 200);
    return undefined;
  });
  await send(receiver, url);
  isClosing = true;
  const began = performance.now();
  expect(await send(receiver, url, 150)).toMatchObject({ reason: 'no answer within 0.15 s' });
  expect(performance.now() - began).toBeLessThan(190);
});

test('[WHK9] connections are replaced when they are a minute old', async () => {
  const { url, connections } = await serve((socket) => socket.write(OK));
  let now = 0;
  const agent = createRotatingAgent(
    () => new Agent({ pipelining: 1 }),
    60_000,
    () => now,
  );
  onTestFinished(() => agent.destroy());
  const request = () =>
    new Promise<void>((resolve, reject) => {
      agent.dispatch(
        { origin: new URL(url).origin, path: '/', method: 'POST', body: '{}' },
        {
          onRequestStart: () => undefined,
          onResponseEnd: () => resolve(),
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  for (now = 0; now < 60_000; now += 20_000) {
    await request();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(connections()).toBe(1);
  await request();
  expect(connections()).toBe(2);
});

test('[WHK29] a process that was stopped, or whose machine was suspended, was late', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = { now: 0, wall: 0 };
  const lateness = watchLateness(
    () => clock.now,
    () => clock.wall,
  );
  const pass = (ms: number, wallMs = ms) => {
    clock.now += ms;
    clock.wall += wallMs;
    vi.advanceTimersByTime(250);
  };
  for (let n = 0; n < 10; n += 1) pass(1200);
  expect(lateness.wasLateSince(0)).toBe(false);
  pass(1300);
  expect([lateness.wasLateSince(0), lateness.wasLateSince(clock.now), lateness.wasLateSince(clock.now + 1)]).toEqual([
    true,
    true,
    false,
  ]);
  const before = clock.now + 1;
  pass(250, 5000);
  expect(lateness.wasLateSince(before)).toBe(true);
  lateness.stop();
});

/** A receiver on another thread: it answers while this one is blocked. `/hang` never answers. */
const RECEIVER = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer((request, response) => {
    if (request.url !== '/hang') setTimeout(() => response.end('ok'), 300);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

test('[WHK29] after a stop, answers that wait are read before the time-out is judged, and the rest is not counted', async () => {
  const worker = new Worker(RECEIVER, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = (await once(worker, 'message')) as [number];
  const receiver = open();
  const sent = ['a', 'b', 'hang'].map((path) => send(receiver, `http://127.0.0.1:${port}/${path}`, 600));
  await new Promise((resolve) => setTimeout(resolve, 150));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1800);
  const [a, b, hang] = await Promise.all(sent);
  expect([a, b]).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
  expect(hang).toMatchObject({ kind: 'notSent', reason: expect.stringContaining('Steward itself was stopped') });
});
