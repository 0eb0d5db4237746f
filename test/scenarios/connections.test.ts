import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let url: string;

beforeAll(async () => {
  steward = await startInProcess();
  url = await steward.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => steward.close());

/** Sends bytes as they are, and answers what comes until the connection is closed. */
async function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', () => resolve(answer));
    socket.on('close', () => resolve(answer));
  });
}

test('[REQ9] a client that sends no HTTP, or too much, gets an error and is disconnected', async () => {
  expect(await raw('hello\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*"status":"error"/s);
  expect(await raw(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
  expect(
    await raw(
      'POST /admin/mode HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1073741824\r\n\r\n',
    ),
  ).toMatch(/^HTTP\/1.1 413 /);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('[CAT2] an old client with HTTP/1.0, chunks or Expect is served, and one that announces a gigabyte is refused', async () => {
  const body =
    '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><GetMessageVersion/></e:Body></e:Envelope>';
  const head = (version: string, more: string) =>
    `POST /services HTTP/${version}\r\nHost: x\r\nContent-Type: text/xml\r\nConnection: close\r\n${more}\r\n\r\n`;
  const length = `Content-Length: ${body.length}`;
  expect(await raw(head('1.0', length) + body)).toContain('svcProductVersion10');
  const chunks = [body.slice(0, 20), body.slice(20)]
    .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    .join('');
  expect(await raw(`${head('1.1', 'Transfer-Encoding: chunked')}${chunks}0\r\n\r\n`)).toContain('svcProductVersion10');
  expect(await raw(head('1.1', `${length}\r\nExpect: 100-continue`) + body)).toMatch(
    /^HTTP\/1.1 100 Continue.*svcProductVersion10/s,
  );
  expect(await raw(head('1.1', 'Content-Length: 1073741824') + body)).toMatch(/^HTTP\/1.1 413 /);
});

test('[REQ9] a client that does not send its head within 10 seconds gets 408', async () => {
  const { server } = steward.app;
  expect(server.headersTimeout).toBe(10_000);
  server.headersTimeout = 1;
  expect(await raw('GET /healthz HTTP/1.1\r\nHost')).toMatch(/^HTTP\/1.1 408 /);
  server.headersTimeout = 10_000;
});

test('[REQ1] a request with two Host headers gets 400, which says what to send', async () => {
  const head = (hosts: string) => `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`;
  expect(await raw(head('Host: a\r\nhost: b\r\n'))).toMatch(/^HTTP\/1.1 400 .*Send exactly one/s);
  expect(await raw(head('Host: a\r\nHost: a\r\n'))).toMatch(/^HTTP\/1.1 400 /);
  expect(await raw(head('Host: a\r\n'))).toMatch(/^HTTP\/1.1 200 /);
});

test.each([
  ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 200],
  ['POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b', 404],
] as const)('[REQ9] bytes after %j that are not HTTP get 400, and another method gets 405', async (request, status) => {
  const statuses = async (after: string) => (await raw(request + after)).match(/(?<=HTTP\/1.1 )\d+/g)?.map(Number);
  expect(await statuses('garbage that is not HTTP\r\n\r\n')).toEqual([status, 400]);
  expect(await statuses('\u0000\u0001\u0002')).toEqual([status, 400]);
  expect(await statuses('FOO / HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual([status, 405]);
});

test('[REQ10] a connection that pipelines thousands of requests gets all answers, and does not delay another connection', async () => {
  const [count, { hostname, port }] = [2000, new URL(url)];
  let [inTurn, mostInTurn, answered] = [0, 0, 0];
  const onRequest = (): void => {
    if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
    mostInTurn = Math.max(mostInTurn, inTurn);
  };
  steward.app.server.on('request', onRequest);
  const socket = connect(Number(port), hostname);
  socket.on('data', (chunk) => (answered += chunk.toString('latin1').split('x-request-id: ').length - 1));
  socket.write('GET /rest/info HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  await expect.poll(() => answered, { interval: 1 }).toBeGreaterThan(0);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(answered).toBeLessThan(count / 2);
  // A few packets cut the header that is counted.
  await expect.poll(() => answered, { timeout: 60_000 }).toBeGreaterThan(count - 100);
  expect(mostInTurn).toBeLessThanOrEqual(4);
  steward.app.server.off('request', onRequest);
  socket.destroy();
});
