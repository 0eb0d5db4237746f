import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { until } from '../support/run/until.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const BODY_LIMITS = {
  bodies: 2 * MIB,
  anonymousBodies: 512 * KIB,
  freeBytes: 8 * KIB,
  bodyMs: 600_000,
  uploadBytesPerSecond: 1,
};

let steward: InProcessServer;
let hasty: InProcessServer;
let sockets: Socket[] = [];

beforeAll(async () => {
  steward = await startInProcess({ bodyLimits: BODY_LIMITS });
  hasty = await startInProcess({ bodyLimits: { ...BODY_LIMITS, bodyMs: 1, uploadBytesPerSecond: MIB } });
  for (const one of [steward, hasty]) await one.app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(async () => {
  await steward.close();
  await hasty.close();
});

/** Sends text as it is. `answer` resolves with the head and the beginning of the body of the answer. */
function send(server: InProcessServer, ...texts: readonly (string | Buffer)[]) {
  const address = server.app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  const socket = connect(address.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.includes('"status":')) resolve(received);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(received));
  });
  for (const text of texts) socket.write(text);
  return { socket, answer, received: () => received };
}

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=B';

function head(path: string, type: string, length: number, more = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

const part = (name: string, content: string): string =>
  `--B\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`;

test('[REQ9] a Bearer token whose role does not suffice is refused before any of the body is read', async () => {
  const viewer = await steward.tokenOf('viewer');
  const bearer = `Authorization: Bearer ${viewer}\r\n`;
  const { answer } = send(steward, head('/admin/uploads/upload', MULTIPART, 16 * MIB, bearer));
  expect(await answer).toMatch(/^HTTP\/1.1 403 .*needs the role administrator/s);
  const compat = send(steward, head('/compat/admin/uploads/upload', MULTIPART, 16 * MIB, bearer));
  expect(await compat.answer).toMatch(/^HTTP\/1.1 200 .*"code":403/s);
});

test('[REQ9] a Bearer token that is not valid is refused before any of the body is read', async () => {
  const bearer = 'Authorization: Bearer stw_unknown\r\n';
  for (const [type, length] of [
    [MULTIPART, 16 * MIB],
    [FORM, 1000],
    ['application/json', 1000],
  ] as const)
    expect(await send(steward, head('/admin/services/createFolder', type, length, bearer)).answer).toMatch(
      /^HTTP\/1.1 401 .*"code":498/s,
    );
});

test('[REQ9] a token field whose role does not suffice is refused before any further part is read', async () => {
  const viewer = await steward.tokenOf('viewer');
  const first = part('token', viewer);
  const request = send(steward, head('/admin/uploads/upload', MULTIPART, 16 * MIB), `${first}--B\r\n`);
  expect(await request.answer).toMatch(/^HTTP\/1.1 403 .*needs the role administrator/s);
  const unknown = send(
    steward,
    head('/admin/uploads/upload', MULTIPART, 16 * MIB),
    `${part('token', 'stw_no')}--B\r\n`,
  );
  expect(await unknown.answer).toMatch(/^HTTP\/1.1 401 .*"code":498/s);
});

test('[REQ9] a client that sends the whole body of a refused request reads the answer and can go on', async () => {
  const viewer = await steward.tokenOf('viewer');
  const body = Buffer.alloc(4 * MIB, 'x');
  const bearer = `Authorization: Bearer ${viewer}\r\n`;
  const { socket, received } = send(steward, head('/admin/uploads/upload', MULTIPART, body.length, bearer), body);
  await until('the request is refused', () => received().includes(' 403 '));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('the next request is answered', () => received().includes('"alive"'));
  expect(received().match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 200']);
});

test('[REQ9] a session cookie whose role does not suffice does not hide a token field that suffices', async () => {
  const secret = await steward.tokenOf('viewer');
  const token = await steward.tokenOf('publisher');
  const body = new URLSearchParams({ token, folderName: 'WithCookie' }).toString();
  const cookie = `Cookie: steward_session_test0001=${secret}\r\n`;
  const { answer } = send(steward, head('/admin/services/createFolder', FORM, body.length, cookie), body);
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
});

/** Opens requests without a token whose bodies together fill the share of strangers. */
async function fillAnonymousShare(): Promise<readonly ReturnType<typeof send>[]> {
  const body = `description=${'x'.repeat(300 * KIB)}`;
  const open = [1, 2, 3, 4].map(() => send(steward, head('/admin/mode', FORM, body.length + 1), body));
  await until('a body is refused', () => open.some(({ received }) => received().includes(' 503 ')));
  return open;
}

test('[REQ9] bodies without a token beyond their share get 503 with Retry-After, and signing in still works', async () => {
  const open = await fillAnonymousShare();
  const refused = open.map(({ received }) => received()).filter((text) => text !== '');
  for (const text of refused) expect(text).toMatch(/^HTTP\/1.1 503 .*retry-after: 5/is);
  const signIn = 'username=none&password=wrong';
  expect(await send(steward, head('/tokens/generateToken', FORM, signIn.length), signIn).answer).toContain(
    'Unable to generate token.',
  );
  expect(open.filter(({ received }) => received() === '')).not.toEqual([]);
});

test('[REQ9] the memory of bodies is given back when their clients are gone', async () => {
  for (const { socket } of await fillAnonymousShare()) socket.destroy();
  const body = `isReadOnly=${'x'.repeat(400 * KIB)}`;
  let answer = '';
  await until('a body of 400 KiB is read', async () => {
    answer = await send(steward, head('/admin/mode', FORM, body.length), body).answer;
    return !answer.startsWith('HTTP/1.1 503');
  });
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
});

test('[REQ9] bodies of callers with a token beyond the memory of all bodies get 503 with Retry-After', async () => {
  const token = await steward.tokenOf('administrator');
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const start = `--B\r\nContent-Disposition: form-data; name="itemFile"; filename="a"\r\n\r\n`;
  const open = [1, 2, 3].map(() =>
    send(steward, head('/admin/uploads/upload', MULTIPART, 8 * MIB, bearer), start, Buffer.alloc(MIB)),
  );
  await until('an upload is refused', () => open.some(({ received }) => received() !== ''));
  const refused = open.map(({ received }) => received()).filter((text) => text !== '');
  for (const text of refused) expect(text).toMatch(/^HTTP\/1.1 503 .*retry-after: 5/is);
});

test('[REQ9] a body that arrives too slowly gets 408 and its connection is closed', async () => {
  const form = send(hasty, head('/admin/mode', FORM, 100), 'a=');
  const json = send(hasty, head('/admin/mode', 'application/json', 100), '{');
  const multipart = send(hasty, head('/admin/mode', MULTIPART, 100), '--B');
  const soap = send(hasty, head('/services', 'text/xml', 100), '<');
  for (const { answer } of [form, json, multipart, soap])
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*connection: close.*arrives too slowly: it must arrive within/is);
  const token = await hasty.tokenOf('administrator');
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const upload = send(hasty, head('/admin/uploads/upload', MULTIPART, MIB, bearer), '--B');
  expect(await upload.answer).toMatch(/^HTTP\/1.1 408 .*an upload must arrive with at least 1024 KiB per second/s);
});
