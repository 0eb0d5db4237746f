import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/foundation/clock.ts';
import type { Part } from '../support/server/client.ts';
import { MULTIPART_TYPE, multipart } from '../support/server/client.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';

let steward: InProcessServer;
let token: string;

function* piecesOf(whole: Buffer): Generator<Buffer> {
  for (let at = 0; at < whole.length; at += 65_536) yield whole.subarray(at, at + 65_536);
}

async function send(path: string, parts: readonly Part[], headers: Readonly<Record<string, string>> = {}) {
  const response = await steward.app.inject({
    method: 'POST',
    url: `/admin${path}`,
    // In chunks, as they arrive from a network.
    payload: Readable.from(piecesOf(multipart(parts))),
    headers: { 'content-type': MULTIPART_TYPE, ...headers },
  });
  return { status: response.statusCode, body: response.json() };
}

const field = (name: string, content: string): Part => ({ name, content });
const file = (content: string | Buffer, fileName = 'licence.json', type = 'application/json'): Part => ({
  name: 'itemFile',
  content,
  fileName,
  type,
});
const upload = (...parts: readonly Part[]) => send('/uploads/upload', parts);
const MIB = 1024 * 1024;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
});
afterAll(() => steward.close());

describe('[UPG9] an upload', () => {
  test('an upload is answered with its item, listed, read, downloaded unchanged, and deleted', async () => {
    const bytes = randomBytes(3000);
    const { status, body } = await upload(field('token', token), file(bytes), field('description', 'the licence'));
    expect(status).toBe(200);
    const date = steward.clock.now();
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        status: 'success',
        item: {
          itemID: body.item.itemID,
          itemName: 'licence.json',
          description: 'the licence',
          date,
          committed: true,
          contentType: 'application/json',
        },
      }),
    );
    const at = `/admin/uploads/${body.item.itemID}`;
    expect((await steward.post('/admin/uploads', { token })).body.items).toMatchObject([
      { itemName: 'licence.json', size: 3000 },
    ]);
    expect((await steward.post(at, { token })).body).toMatchObject({ itemID: body.item.itemID, usedBy: null });
    const fetched = await steward.app.inject({ url: `${at}/download?token=${token}` });
    expect(fetched.rawPayload.equals(bytes)).toBe(true);
    expect(fetched.headers['content-disposition']).toContain('attachment');
    expect((await steward.post(`${at}/delete`, { token })).status).toBe(200);
    for (const path of [at, `${at}/download`]) expect((await steward.post(path, { token })).status).toBe(404);
  });

  test('an unused upload expires after 24 hours', async () => {
    const { body } = await upload(field('token', token), file('{}'));
    steward.clock.advance(DAY - 1000);
    await steward.areas.uploads.runHousekeeping();
    token = await steward.tokenOf('administrator');
    expect((await steward.post(`/admin/uploads/${body.item.itemID}`, { token })).status).toBe(200);
    steward.clock.advance(2000);
    await steward.areas.uploads.runHousekeeping();
    expect((await steward.post(`/admin/uploads/${body.item.itemID}`, { token })).status).toBe(404);
  });

  test.each([
    ['without a file', [], 'itemFile: is required'],
    ['that is a text field', [field('itemFile', '')], 'itemFile: is required'],
    ['that is empty', [file('')], 'itemFile: must not be empty'],
    ['that comes twice', [file('1'), file('2')], 'itemFile: was sent more than once'],
    ['whose name is only spaces', [file('1', '  ')], 'itemFile: must have a file name'],
  ] as const)('an upload %s is refused with the reason', async (_title, parts, words) => {
    const { status, body } = await upload(field('token', token), ...parts);
    expect(status).toBe(400);
    expect(body.error.details.join()).toContain(words);
  });

  test('an upload keeps the name of its file without the path', async () => {
    const { body } = await upload(field('token', token), file('1', '/etc/../Zürich Lizenz.json'));
    expect(body.item.itemName).toBe('Zürich Lizenz.json');
  });

  test('an upload is accepted in read-only mode that was set by hand', async () => {
    await steward.post('/admin/mode', { token, isReadOnly: 'true' });
    expect((await upload(field('token', token), file('1'))).status).toBe(200);
    await steward.post('/admin/mode', { token, isReadOnly: 'false' });
  });

  test('[DEC38] the number of unused uploads is limited', async () => {
    const { items } = (await steward.post('/admin/uploads', { token })).body;
    for (let n = items.length; n < 50; n += 1)
      expect((await upload(field('token', token), file('1'))).status).toBe(200);
    expect(await upload(field('token', token), file('1'))).toMatchObject({ status: 409 });
    for (const { itemID } of (await steward.post('/admin/uploads', { token })).body.items)
      await steward.post(`/admin/uploads/${itemID}/delete`, { token });
  });
});

describe('[REQ9] the size of an upload', () => {
  test('an upload may have exactly 16 MiB, and one byte more is refused', async () => {
    expect(await upload(field('token', token), file(randomBytes(16 * MIB)))).toMatchObject({ status: 200 });
    for (const bytes of [16 * MIB + 1, 16 * MIB + 70_000, 18 * MIB])
      expect(await upload(field('token', token), file(randomBytes(bytes)))).toMatchObject({ status: 413 });
  });

  test('an upload of more than 1 MiB needs a valid token before it, as a field or as Bearer', async () => {
    const large = file(randomBytes(2 * MIB));
    expect(await upload(large, field('token', token))).toMatchObject({
      status: 413,
      body: {
        error: { details: ['token: send it as an Authorization: Bearer header, or as a field before the file'] },
      },
    });
    expect(await upload(field('token', 'stw_wrong'), large)).toMatchObject({
      status: 401,
      body: { error: { code: 498 } },
    });
    expect((await send('/uploads/upload', [large], { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await upload(field('token', token), large)).status).toBe(200);
    expect((await upload(file(randomBytes(1000)), field('token', token))).status).toBe(200);
  });

  test('other operations have the limit of a form', async () => {
    const parts = [field('token', token), { ...file(randomBytes(2 * MIB)), name: 'importFile' }];
    expect(await send('/services/import', parts)).toMatchObject({ status: 413 });
  });
});
