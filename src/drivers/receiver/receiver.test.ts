import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { turns, turnsUntil } from '../../../test/support/run/until.ts';
import type { SendOutcome, Receiver } from '../../webhooks/ports/receiver.ts';
import { readAnswer } from './exchange/answerText.ts';
import { createAddressGuard } from './addresses/addressGuard.ts';
import { createReceiver } from './receiver.ts';

const KIB = 1024;
const SHORT_MS = 200;
const AMPLE_MS = 10_000;
const LOCAL = createAddressGuard({ allow: [], allowLoopback: true });
/** Nothing listens below the ports that tests get, so that no other test can answer here. */
const REFUSING = 'http://127.0.0.1:1/';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  while (cleanups.length > 0) await cleanups.pop()?.();
});

function open(options: Partial<Parameters<typeof createReceiver>[0]> = {}): Receiver {
  const receiver = createReceiver({ guard: LOCAL, ...options });
  cleanups.push(async () => receiver.close());
  return receiver;
}

async function listening(server: TcpServer): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

async function serve(answer: Answer, server: Server = createServer()): Promise<string> {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.resume();
    request.on('end', () => void answer(request, response));
  });
  return `http://127.0.0.1:${await listening(server)}/hook`;
}

/** Runs a receiver that answers with raw bytes after the request has arrived. */
async function serveRaw(answer: (socket: Socket) => unknown): Promise<string> {
  const server = createTcpServer((socket) => void socket.once('data', () => void answer(socket)));
  return `http://127.0.0.1:${await listening(server)}/hook`;
}

async function send(url: string, timeoutMs = AMPLE_MS, receiver = open()): Promise<SendOutcome> {
  return receiver.send({ url, headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}', timeoutMs });
}

test.each([
  ['HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n', 'ok'],
  ['HTTP/1.1 204 No Content\r\n\r\n', 'a body that is not HTTP'],
  ['HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', '2\r\nok\r\n0\r\n\r\n'],
  ['HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n', '{"ok":true}'],
])('[WHK6] a 204 is accepted whatever follows its head %j', async (head, body) => {
  for (const answer of [
    (socket: Socket) => socket.end(head + body),
    (socket: Socket) => socket.write(head + body),
    (socket: Socket) => socket.write(head, () => socket.write(body)),
    (socket: Socket) => socket.write(head, () => setImmediate(() => socket.end(body))),
  ])
    expect(await send(await serveRaw(answer))).toMatchObject({ kind: 'accepted', status: 204, answer: '' });
});

test('[WHK6] what follows a 204 does not disturb the next delivery to the same receiver', async () => {
  const head = 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n';
  const server = createTcpServer(
    (socket) => void socket.on('data', () => socket.write(head, () => socket.write('ok'))),
  );
  const url = `http://127.0.0.1:${await listening(server)}/hook`;
  const receiver = open();
  for (let n = 0; n < 10; n += 1)
    expect(await send(url, AMPLE_MS, receiver)).toMatchObject({ kind: 'accepted', status: 204 });
});

test.each([
  [500, {}, 'the receiver answered 500 Internal Server Error'],
  [599, {}, 'the receiver answered 599'],
  [
    301,
    { location: 'https://x.example/new' },
    'answered 301 Moved Permanently to https://x.example/new; redirects are not followed',
  ],
  [302, {}, 'the receiver answered 302 Found; redirects are not followed'],
])('[WHK6] an answer %i is refused with a reason in words', async (status, headers, words) => {
  const url = await serve((_request, response) => void response.writeHead(status, headers).end());
  expect(await send(url)).toMatchObject({ kind: 'refused', status, reason: expect.stringContaining(words) });
});

test('[WHK6] a request arrives with its method, path, headers and body, and 2xx counts as accepted', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push(request.method, request.url, request.headers, Buffer.concat(chunks).toString());
      response.writeHead(202).end('welcome');
    });
  });
  const port = await listening(server);
  const outcome = await send(`http://127.0.0.1:${port}/a/b?c=d#e`);
  expect(outcome).toEqual({
    kind: 'accepted',
    status: 202,
    answer: 'welcome',
    durationMs: expect.any(Number) as unknown,
  });
  expect(seen).toEqual([
    'POST',
    '/a/b?c=d',
    { host: `127.0.0.1:${port}`, connection: 'keep-alive', 'content-type': 'application/json', 'content-length': '10' },
    '{"a":"ü"}',
  ]);
});

test('[WHK6] a complete answer counts as accepted with a status of 2xx and as refused with any other', async () => {
  const url = await serve((request, response) => {
    const status = Number(request.url?.slice(1));
    response
      .writeHead(status, { location: '/elsewhere' })
      .end(status === 204 || status === 304 ? undefined : `body of ${status}`);
  });
  for (const status of [200, 201, 204, 299]) {
    const answer = status === 204 ? '' : `body of ${status}`;
    expect(await send(new URL(`/${status}`, url).href)).toMatchObject({ kind: 'accepted', status, answer });
  }
  for (const status of [300, 301, 302, 303, 304, 307, 308, 400, 401, 404, 410, 418, 429, 500, 502, 503]) {
    const outcome = await send(new URL(`/${status}`, url).href);
    expect(outcome).toMatchObject({ kind: 'refused', status, answer: status === 304 ? '' : `body of ${status}` });
    expect(outcome).not.toHaveProperty('retryAfterMs');
  }
});

test('[WHK6] early hints do not count as an answer', async () => {
  const url = await serveRaw((socket) =>
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 410 Gone\r\ncontent-length: 2\r\n\r\nno'),
  );
  expect(await send(url)).toMatchObject({ kind: 'refused', status: 410, answer: 'no' });
});

test('[WHK6] Retry-After is used with 429 and 503, in seconds or as a date, and ignored when it is invalid', async () => {
  const now = Date.parse('Wed, 21 Oct 2026 07:28:00 GMT');
  const receiver = open({ now: () => now });
  const cases: readonly (readonly [number, string, number | undefined])[] = [
    [429, '120', 120_000],
    [503, ' 0 ', 0],
    [429, 'Wed, 21 Oct 2026 07:29:30 GMT', 90_000],
    [503, 'Wed, 21 Oct 2026 07:00:00 GMT', 0],
    [429, 'Wednesday, 21-Oct-26 07:28:10 GMT', 10_000],
    [429, '-5', undefined],
    [429, '1.5', undefined],
    [429, 'soon', undefined],
    [429, 'Someday, maybe', undefined],
    [503, '', undefined],
    [503, '2026-10-21', undefined],
    [503, '1e3', undefined],
    [500, '120', undefined],
    [200, '120', undefined],
  ];
  const url = await serve((request, response) => {
    const [status = 0, value = ''] = cases[Number(request.url?.slice(1))] ?? [];
    response.writeHead(status, { 'retry-after': value }).end();
  });
  for (const [index, [status, value, expected]] of cases.entries()) {
    const outcome = await send(new URL(`/${index}`, url).href, AMPLE_MS, receiver);
    expect([status, value, 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined]).toEqual([
      status,
      value,
      expected,
    ]);
  }
});

test('[WHK6] the deadline ends an attempt whose receiver never answers, never accepts or sends half a head', async () => {
  const never = await serve(() => {});
  const silent = `http://127.0.0.1:${await listening(createTcpServer())}/`;
  const half = await serveRaw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-le'));
  const outcomes = await Promise.all([never, silent, half].map(async (url) => send(url, SHORT_MS)));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'no answer within 0.2 s', answer: '' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(SHORT_MS - 5);
  }
});

test('[WHK6] the deadline ends an attempt whose TLS handshake or name look-up hangs', async () => {
  const port = await listening(createTcpServer());
  const receiver = open({ lookup: () => new Promise(() => {}) });
  const outcomes = await Promise.all([
    send(`https://127.0.0.1:${port}/`, SHORT_MS, receiver),
    // Long enough for a busy machine to begin with the look-up before the half of it.
    send('http://slow.example/', 4 * SHORT_MS, receiver),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'unreachable', reason: 'no answer within 0.2 s' },
    { kind: 'unreachable', reason: 'the host name could not be looked up within 0.8 s' },
  ]);
});

test('[WHK6] an answer that is not complete at the deadline counts as unreachable, even if its status was 200', async () => {
  let isClosed = false;
  const url = await serve((_request, response) => {
    response.writeHead(200);
    response.write('drip ');
    response.on('close', () => (isClosed = true));
    hasAnswered = true;
  });
  let hasAnswered = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  cleanups.push(async () => vi.useRealTimers());
  const sending = send(url, SHORT_MS);
  await turnsUntil(() => hasAnswered);
  await turns(50);
  vi.advanceTimersByTime(SHORT_MS);
  vi.useRealTimers();
  const outcome = await sending;
  expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'the response was not complete within 0.2 s' });
  expect(outcome.answer).toBe('drip ');
  await expect.poll(() => isClosed).toBe(true);
});

test('[WHK6] the deadline includes the wait for a free connection, and a waiting attempt that times out does not disturb others', async () => {
  let connections = 0;
  const server = createServer();
  server.on('connection', () => (connections += 1));
  const url = await serve((_request, response) => setTimeout(() => response.end('late'), 300), server);
  const receiver = open({ connectionsPerOrigin: 1 });
  const outcomes = await Promise.all([
    send(url, AMPLE_MS, receiver),
    send(url, 100, receiver),
    send(url, 100, receiver),
    send(url, AMPLE_MS, receiver),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'accepted' },
    { kind: 'unreachable', reason: 'no answer within 0.1 s' },
    { kind: 'unreachable', reason: 'no answer within 0.1 s' },
    { kind: 'accepted' },
  ]);
  expect(connections).toBe(1);
});

function* endless(chunk: string): Generator<string> {
  for (;;) yield chunk;
}

test('[WHK6] an endless answer is cut off at 64 KiB, and its status counts', async () => {
  let isClosed = false;
  const url = await serve((_request, response) => {
    response.on('close', () => (isClosed = true));
    response.writeHead(500);
    Readable.from(endless('x'.repeat(10_000))).pipe(response);
  });
  const outcome = await send(url);
  expect(outcome).toMatchObject({ kind: 'refused', status: 500 });
  expect(outcome.answer).toBe('x'.repeat(64 * KIB));
  await expect.poll(() => isClosed).toBe(true);
});

test('[WHK6] an answer of exactly 64 KiB is kept completely, and its connection is reused', async () => {
  let connections = 0;
  const server = createServer();
  server.on('connection', () => (connections += 1));
  const url = await serve((_request, response) => response.end('y'.repeat(64 * KIB)), server);
  const receiver = open();
  for (let round = 0; round < 5; round += 1) {
    expect((await send(url, AMPLE_MS, receiver)).answer).toHaveLength(64 * KIB);
  }
  expect(connections).toBeLessThanOrEqual(2);
});

/** Referenced for the whole file: collecting it while a test watches the memory would hide new allocations of the same size. */
const UNFOLDED = Buffer.alloc(50_000_000, 'z');

test('[WHK6] a compressed answer is decompressed up to 64 KiB, and a damaged one does not fail the attempt', async () => {
  const noise = Buffer.from(Array.from({ length: 200_000 }, (_, index) => 97 + ((index * index * 7919) % 26)));
  const cases: Readonly<Record<string, readonly [string, Buffer, string]>> = {
    gzip: ['gzip', gzipSync('hello'), 'hello'],
    xgzip: [' X-GZIP ', gzipSync('hello'), 'hello'],
    deflate: ['deflate', deflateSync('hello'), 'hello'],
    rawDeflate: ['deflate', deflateRawSync('hello'), 'hello'],
    brotli: ['br', brotliCompressSync('hello'), 'hello'],
    identity: ['identity', Buffer.from('hello'), 'hello'],
    gzipBomb: ['gzip', gzipSync(UNFOLDED), 'z'.repeat(64 * KIB)],
    brotliBomb: ['br', brotliCompressSync(UNFOLDED.subarray(0, 5_000_000)), 'z'.repeat(64 * KIB)],
    long: ['gzip', gzipSync(noise, { level: 1 }), noise.toString().slice(0, 64 * KIB)],
    cut: ['gzip', gzipSync('hello').subarray(0, -8), 'hello'],
    damagedGzip: ['gzip', Buffer.from('this was never compressed'), ''],
    damagedBrotli: ['br', Buffer.from('this was never compressed'), ''],
    unknown: ['zstd', Buffer.from('????'), ''],
    empty: ['gzip', Buffer.alloc(0), ''],
  };
  const url = await serve((request, response) => {
    const [encoding = '', body] = cases[request.url?.slice(1) ?? ''] ?? [];
    response.writeHead(200, { 'content-encoding': encoding }).end(body);
  });
  for (const [name, [, , expected]] of Object.entries(cases)) {
    const outcome = await send(new URL(`/${name}`, url).href);
    expect([name, outcome.kind, outcome.answer.length]).toEqual([name, 'accepted', expected.length]);
    expect(outcome.answer === expected).toBe(true);
  }
});

test('[WHK6] decompression stops at the limit: 50 MB in 48 KiB take less than 10 MB of memory', async () => {
  const bomb = gzipSync(UNFOLDED);
  const before = process.memoryUsage().arrayBuffers;
  let most = before;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 1);
  const answer = await readAnswer([bomb], 'gzip');
  clearInterval(watching);
  expect(answer).toHaveLength(64 * KIB);
  expect(Math.max(most, process.memoryUsage().arrayBuffers) - before).toBeLessThan(10_000_000);
});

test('[WHK6] invalid UTF-8 and NUL are replaced in an answer, which stays within 64 KiB', async () => {
  const bodies: Readonly<Record<string, Buffer>> = {
    odd: Buffer.from([0x61, 0x00, 0xff, 0x62]),
    invalid: Buffer.alloc(64 * KIB, 0xff),
    wide: Buffer.from('ü'.repeat(40 * KIB)),
  };
  const url = await serve((request, response) => response.end(bodies[request.url?.slice(1) ?? '']));
  const answerOf = async (name: string) => (await send(new URL(`/${name}`, url).href)).answer;
  expect(await answerOf('odd')).toBe('a\uFFFD\uFFFDb');
  expect(await answerOf('invalid')).toBe('\uFFFD'.repeat(Math.floor((64 * KIB) / 3)));
  expect(await answerOf('wide')).toBe('ü'.repeat(32 * KIB));
});

test('[WHK6] a broken connection counts as unreachable, with a reason in words', async () => {
  const cases: readonly (readonly [string, string])[] = [
    [REFUSING, 'the receiver refused the connection (ECONNREFUSED)'],
    [await serveRaw((socket) => socket.end()), 'the receiver closed the connection before it answered'],
    [await serveRaw((socket) => socket.resetAndDestroy()), 'the receiver closed the connection before it answered'],
    [
      await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncont')),
      'the receiver closed the connection before it answered',
    ],
    [
      await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
      'the receiver closed the connection before its response was complete',
    ],
    [
      await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal')),
      'the receiver closed the connection before its response was complete',
    ],
    [
      await serveRaw((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal'),
      ),
      'the receiver closed the connection before its response was complete',
    ],
    [
      await serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'h'.repeat(100 * KIB)}\r\n\r\n`)),
      'the head of the response is larger than 64 KiB (UND_ERR_HEADERS_OVERFLOW)',
    ],
    [
      await serveRaw((socket) => socket.end('220 smtp.example ESMTP\r\n')),
      'the response is not HTTP/1.1: Expected HTTP/, RTSP/ or ICE/',
    ],
  ];
  for (const [url, reason] of cases) expect(await send(url)).toMatchObject({ kind: 'unreachable', reason });
});

test('[WHK6] a header that is not valid counts as unreachable, and nothing is thrown', async () => {
  const url = await serve((_request, response) => response.end());
  const outcome = await open().send({ url, headers: { 'x-bad': 'a\r\nb: c' }, body: '', timeoutMs: AMPLE_MS });
  expect(outcome).toMatchObject({
    kind: 'unreachable',
    reason: 'the request could not be written: invalid x-bad header',
  });
});

test('[WHK6] all of many attempts that wait for a receiver that is down get the reason', async () => {
  const receiver = open({ connectionsPerOrigin: 4 });
  const sending = Array.from({ length: 100 }, async () => send(REFUSING, AMPLE_MS, receiver));
  const reasons = new Set((await Promise.all(sending)).map((outcome) => 'reason' in outcome && outcome.reason));
  expect([...reasons]).toEqual(['the receiver refused the connection (ECONNREFUSED)']);
});

test('[WHK6] connections are reused, and 100 attempts at once open no more than the limit', async () => {
  let connections = 0;
  const server = createServer();
  server.on('connection', () => (connections += 1));
  const url = await serve((_request, response) => response.end('ok'), server);
  const receiver = open({ connectionsPerOrigin: 8 });
  for (let round = 0; round < 10; round += 1) await send(url, AMPLE_MS, receiver);
  // A connection becomes free one turn of the event loop after its answer; an earlier request opens a second one.
  expect(connections).toBeLessThanOrEqual(2);
  const outcomes = await Promise.all(Array.from({ length: 100 }, async () => send(url, AMPLE_MS, receiver)));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  expect(connections).toBeLessThanOrEqual(8);
});

test('[WHK6] an aborted signal stops every attempt that uses it, and no other', async () => {
  const url = await serve((request, response) =>
    request.url === '/other' ? setTimeout(() => response.end(), 200) : undefined,
  );
  const receiver = open({ connectionsPerOrigin: 2 });
  const stopping = new AbortController();
  const request = { url, headers: {}, body: '', timeoutMs: AMPLE_MS };
  const other = receiver.send({ ...request, url: new URL('/other', url).href });
  const stopped = Array.from({ length: 20 }, async () => receiver.send(request, stopping.signal));
  setTimeout(() => stopping.abort(), 50);
  for (const outcome of await Promise.all(stopped))
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'stopped' });
  expect(await other).toMatchObject({ kind: 'accepted' });
  expect(await receiver.send(request, stopping.signal)).toMatchObject({ kind: 'unreachable', reason: 'stopped' });
});

test('[WHK6] closing the receiver ends running attempts, and later ones are not sent', async () => {
  let connections = 0;
  const server = createServer();
  server.on('connection', () => (connections += 1));
  const url = await serve(() => {}, server);
  const receiver = open({ connectionsPerOrigin: 1, lookup: () => new Promise(() => {}) });
  const running = [
    send(url, AMPLE_MS, receiver),
    send(url, AMPLE_MS, receiver),
    send('http://slow.example/', AMPLE_MS, receiver),
  ];
  await expect.poll(() => connections).toBe(1);
  await receiver.close();
  for (const outcome of await Promise.all(running))
    expect(outcome).toMatchObject({ kind: 'unreachable', reason: 'stopped' });
  expect(await send(url, AMPLE_MS, receiver)).toMatchObject({ kind: 'unreachable', reason: 'stopped' });
  expect(connections).toBe(1);
});

test('[WHK9] saving a webhook waits at most two seconds for a name server', async () => {
  const receiver = open({ lookup: () => new Promise(() => {}) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  cleanups.push(async () => vi.useRealTimers());
  const saving = receiver.problemWith('http://slow.example/');
  await vi.advanceTimersByTimeAsync(2000);
  expect(await saving).toBeUndefined();
});

function certificate(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'steward-tls-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync(
      'openssl',
      [
        'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' '),
        [
          '-subj',
          '/CN=receiver.example',
          '-addext',
          'subjectAltName=DNS:receiver.example',
          '-keyout',
          key,
          '-out',
          cert,
        ],
      ].flat(),
      { timeout: 20_000, encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('[WHK9] a certificate must be trusted and match the host name, and a private CA can be added', async () => {
  const tls = certificate();
  const resumed: boolean[] = [];
  const names: unknown[] = [];
  const server = createTlsServer(tls, ({ socket }, response) => {
    resumed.push((socket as TLSSocket).isSessionReused());
    names.push((socket as TLSSocket & { readonly servername: unknown }).servername);
    response.setHeader('connection', 'close').end('secret');
  });
  const port = await listening(server);
  const lookup = async () => ['127.0.0.1'];
  const url = `https://receiver.example:${port}/`;

  expect(await send(url, AMPLE_MS, open({ lookup }))).toMatchObject({
    kind: 'unreachable',
    reason: 'the certificate of the receiver was not accepted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
  });
  const trusting = open({ lookup, ca: tls.cert });
  for (const host of ['receiver.example', 'receiver.example', 'RECEIVER.example', 'receiver.example.']) {
    expect(await send(`https://${host}:${port}/`, AMPLE_MS, trusting)).toMatchObject({
      kind: 'accepted',
      answer: 'secret',
    });
  }
  for (const host of ['other.example', '127.0.0.1', 'localhost']) {
    expect(await send(`https://${host}:${port}/`, AMPLE_MS, trusting)).toMatchObject({
      kind: 'unreachable',
      reason: expect.stringContaining('(ERR_TLS_CERT_ALTNAME_INVALID)') as unknown,
    });
  }
  expect(names).toEqual(Array.from({ length: 4 }, () => 'receiver.example'));
  expect(resumed.slice(1)).toContain(true);
  expect(() => createReceiver({ guard: LOCAL, ca: 'no certificate' })).toThrow('PEM');
});

test('[WHK9] https to a receiver without TLS counts as unreachable, with a reason in words', async () => {
  const url = await serve((_request, response) => response.end());
  const outcome = await send(url.replace('http:', 'https:'));
  expect(outcome).toMatchObject({
    kind: 'unreachable',
    reason: expect.stringContaining('no TLS connection could be established') as unknown,
  });
});
