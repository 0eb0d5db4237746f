import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import type { OpenapiDocument } from '../support/server/openapiDocument.ts';
import { fieldsOf } from '../support/server/openapiDocument.ts';

let steward: InProcessServer;
let token: string;
let document: OpenapiDocument;
let count = 0;

beforeAll(async () => {
  steward = await startInProcess();
  token = await steward.tokenOf('administrator');
  document = (await steward.get('/openapi.json')).body;
});
afterAll(() => steward.close());
beforeEach(() => {
  count += 1;
});

async function send(url: string, payload: string | Buffer, headers: Readonly<Record<string, string>> = {}) {
  const response = await steward.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
  });
  return { status: response.statusCode, body: response.json() };
}
const sendJson = (url: string, value: unknown) => send(url, JSON.stringify(value));
const detailsOf = async (url: string, text: string): Promise<readonly string[]> =>
  (await send(url, text)).body.error?.details ?? [];

async function service(): Promise<string> {
  const serviceName = `J${count}`;
  expect(await sendJson('/admin/services/createService', { serviceName, type: 'Map' })).toMatchObject({ status: 200 });
  return `/admin/services/${serviceName}.Map`;
}

describe('[REQ1] a JSON body', () => {
  test('the fields of a JSON body are those of a form, and the token may be one of them', async () => {
    const fields = { serviceName: `A${count}`, type: 'Map', description: 'with "quotes" & é', f: 'pjson', token };
    const { status, body } = await send('/admin/services/createService', JSON.stringify(fields), {
      authorization: '',
      'content-type': 'application/json; charset=utf-8',
    });
    expect({ status, description: body.service.description }).toEqual({
      status: 200,
      description: 'with "quotes" & é',
    });
  });

  test('booleans and integers may be values or texts', async () => {
    for (const isReadOnly of [true, 'true', 'True'])
      expect((await sendJson('/admin/mode', { isReadOnly })).body.isReadOnly).toBe(true);
    expect((await sendJson('/admin/mode', { isReadOnly: false })).body.isReadOnly).toBe(false);
    const at = await service();
    expect((await sendJson(`${at}/edit`, { description: 'x', ifRevision: 1 })).status).toBe(200);
    expect((await sendJson(`${at}/edit`, { description: 'y', ifRevision: '2' })).status).toBe(200);
  });

  test('a field that is documented as JSON may be a value or a text', async () => {
    const at = await service();
    const values = { changeTypes: ['a', 'b'], headers: { 'x-one': '1' } };
    const made = await sendJson(`${at}/webhooks/create`, { name: 'v', hookUrl: 'https://hook.example/', ...values });
    expect(made.body.webhook ?? made.body).toMatchObject({ changeTypes: ['a', 'b'] });
    const texts = { changeTypes: '["a"]', headers: '{"x-one":"1"}' };
    expect(
      (await sendJson(`${at}/webhooks/create`, { name: 't', hookUrl: 'https://hook.example/', ...texts })).status,
    ).toBe(200);
    expect((await sendJson('/admin/system/upgrades/getUpgradeSettings', { upgradeId: { id: 'rel_x' } })).status).toBe(
      (await sendJson('/admin/system/upgrades/getUpgradeSettings', { upgradeId: 'rel_x' })).status,
    );
    const importFile = { folders: [{ folderName: `F${count}` }], services: [] };
    expect((await sendJson('/admin/services/import', { importFile, dryRun: true })).body.foldersCreated).toBe(1);
  });

  test('[WHK4] a payload is kept as it was written, with large numbers and the order of keys', async () => {
    const at = await service();
    await sendJson(`${at}/webhooks/create`, { name: 'p', hookUrl: 'https://hook.example/' });
    expect((await send(`${at}/events`, '{"event":"x.y","payload": {"b":12345678901234567890, "a":1.0} }')).status).toBe(
      200,
    );
    expect((await send(`${at}/events`, '{"events":[{"event":"x.y","payload":{"n":1e2}}]}')).status).toBe(200);
    const { webhooks } = (await send(`${at}/webhooks`, '{}')).body;
    const { deliveries } = (await send(`${at}/webhooks/${webhooks[0].id}/deliveries`, '{}')).body;
    const bodies = await Promise.all(
      deliveries.map(
        async ({ id }: { readonly id: number }) =>
          (await steward.post(`${at}/webhooks/${webhooks[0].id}/deliveries/${id}`, { token })).text,
      ),
    );
    expect(bodies.join()).toContain('{\\"b\\":12345678901234567890, \\"a\\":1.0}');
    expect(bodies.join()).toContain('{\\"n\\":1e2}');
  });

  test('null and an empty text count as absent', async () => {
    const fields = { serviceName: `N${count}`, type: 'Map', folderName: null, description: '', url: null };
    expect((await sendJson('/admin/services/createService', fields)).body.service).toMatchObject({ folderName: '' });
    expect(await detailsOf('/admin/services/createService', '{"serviceName":null}')).toEqual([
      expect.stringMatching(/^serviceName: is required/),
      expect.stringMatching(/^type: is required/),
    ]);
    expect((await send('/admin/mode', '')).status).toBe(200);
    expect((await send('/admin/mode', '\uFEFF{}')).status).toBe(200);
  });

  test('every field of every operation refuses a value of the wrong kind and is named', async () => {
    const wrong: string[] = [];
    for (const [path, { post }] of Object.entries(document.paths)) {
      const url = path.replace('{service}', 'F/A.B').replace(/\{\w+\}/g, 'nobody');
      const isJsonField = (name: string): boolean => name === 'payload';
      for (const name of Object.keys(fieldsOf(document, post)).filter((one) => !isJsonField(one) && one !== 'token')) {
        const details = await detailsOf(url, `{"${name}":[{"no":{"such":[null]}}]}`);
        if (!details.some((detail) => detail.startsWith(`${name}: `))) wrong.push(`${path} ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('a value of the wrong kind is refused with what is allowed', async () => {
    const at = await service();
    expect(await detailsOf(`${at}/edit`, '{"description":{"a":1},"ifRevision":true,"access":5}')).toEqual([
      'description: must be a string, not an object',
      'access: must be a string, not a number',
      expect.stringMatching(/^ifRevision: must be a whole number/),
    ]);
    expect(await detailsOf(`${at}/edit`, '{"ifRevision":1.0}')).toEqual([expect.stringMatching(/^ifRevision: /)]);
    expect(await detailsOf('/admin/mode', '{"isReadOnly":1}')).toEqual(['isReadOnly: must be true or false, not 1']);
    expect(await detailsOf('/admin/mode', '{"token":7}')).toEqual(['token: must be a string, not a number']);
    expect(await detailsOf('/admin/mode', '{"f":["json"]}')).toEqual(['f: must be a string, not an array']);
    expect(await detailsOf('/admin/uploads/upload', '{"itemFile":"x"}')).toEqual([
      'itemFile: must be sent as a file in a multipart form',
    ]);
  });

  test('[REQ3] an unknown field, a field that is sent twice and a dry run are refused as in a form', async () => {
    const at = await service();
    expect(await detailsOf(`${at}/edit`, '{"descripton":"x"}')).toEqual([
      expect.stringContaining('nearest known field is description'),
    ]);
    expect(await detailsOf(`${at}/edit`, '{"description":"x","descripti\\u006fn":"y"}')).toEqual([
      'description: was sent more than once',
    ]);
    for (const dryRun of ['true', '"true"', 'null', '""', '{}'])
      expect(await detailsOf(`${at}/delete`, `{"dryRun":${dryRun}}`)).toEqual([
        expect.stringContaining('nothing was changed'),
      ]);
    expect((await steward.post(at, { token })).status).toBe(200);
    expect((await steward.post('/admin/mode', { token })).body.isReadOnly).toBe(false);
  });

  test.each([
    ['[]', 'must be a JSON object'],
    ['"text"', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['7', 'must be a JSON object'],
    ['{"a":1', 'is not valid JSON'],
    ["{'a':1}", 'is not valid JSON'],
    ['a=1', 'is not valid JSON'],
  ])('the body %s is refused', async (text, words) => {
    const { status, body } = await send('/admin/mode', text);
    expect({ status, message: body.error.message }).toEqual({ status: 400, message: expect.stringContaining(words) });
  });

  test('[REQ9] nesting, duplicate keys and the number of fields are limited', async () => {
    const deep = `{"payload":${'['.repeat(500_000)}`;
    expect(await detailsOf('/admin/services/A.B/events', deep)).toEqual(['payload: must be nested at most 64 deep']);
    expect(await detailsOf('/admin/services/A.B/events', '{"payload":{"x":{"k":1,"k":2}}}')).toEqual([
      'payload: has the key "k" more than once',
    ]);
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`f${n}`, '1']));
    expect((await sendJson('/admin/mode', many)).status).toBe(413);
    expect((await sendJson('/admin/mode', { message: 'x'.repeat(1024 * 1024) })).status).toBe(413);
    expect((await send('/admin/mode', Buffer.from([0x7b, 0xff, 0x7d]))).status).toBe(400);
  });

  test('[REQ9] a JSON body with too many different keys or lists is refused, and the error names the limit', async () => {
    const keys = Array.from({ length: 20_001 }, (_, n) => `"k${n}":1`).join(',');
    const { status, body } = await send('/admin/services/A.B/events', `{"payload":{${keys}}}`);
    const message = 'The body must have at most 20000 different keys.';
    expect({ status, message: body.error.message }).toEqual({ status: 400, message });
    const lists = await send('/admin/services/A.B/events', `{"payload":[${'[],'.repeat(150_000)}[]]}`);
    expect(lists.body.error.message).toBe('The body must have at most 150000 objects and lists.');
  });

  test('the OpenAPI description lists JSON bodies with their types', () => {
    const post = document.paths['/admin/mode']?.['post'];
    expect(Object.keys(post?.requestBody?.['content'] ?? {})).toEqual([
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json',
    ]);
    expect(fieldsOf(document, post, 'application/json')).toMatchObject({ isReadOnly: { type: 'boolean' } });
  });
});

describe('[REQ1] another kind of body', () => {
  test.each(['text/plain', 'text/xml', 'application/vnd.api+json', 'application/octet-stream', 'text/json'])(
    'a body of type %s is refused with 415',
    async (type) => {
      const { status, body } = await send('/admin/mode', '{}', { 'content-type': type });
      expect({ status, code: body.error.code }).toEqual({ status: 415, code: 415 });
      expect(body.error.message).toContain('application/json');
    },
  );

  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, identity', 'x'.repeat(1000)])(
    'a body with the encoding %.20s is refused with 415, whatever its type is',
    async (encoding) => {
      for (const [type, text] of [
        ['application/json', '{}'],
        ['application/x-www-form-urlencoded', `token=${token}`],
        ['multipart/form-data; boundary=x', '--x--\r\n'],
      ] as const) {
        const headers = { 'content-type': type, 'content-encoding': encoding };
        const { status, body } = await send('/admin/mode', gzipSync(text), headers);
        expect({ status, message: body.error.message }).toEqual({
          status: 415,
          message: expect.stringContaining('Content-Encoding'),
        });
      }
    },
  );

  test('the encoding identity is accepted', async () => {
    expect((await send('/admin/mode', '{}', { 'content-encoding': 'Identity' })).status).toBe(200);
  });
});
