import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOpenapi30 } from '../../src/http/pages/openapi30.ts';
import type { InProcessServer } from '../support/server/inProcessServer.ts';
import { startInProcess } from '../support/server/inProcessServer.ts';
import { openapi30Problems } from '../support/server/openapi30Rules.ts';
import { objectsIn } from '../support/server/openapiDocument.ts';

let steward: InProcessServer;

beforeAll(async () => {
  steward = await startInProcess();
});
afterAll(() => steward.close());

/** Rewrites a document that has one schema, and returns that schema. */
function rewritten(schema: object): unknown {
  const document = { openapi: '3.1.0', info: {}, webhooks: {}, components: { schemas: { One: schema } } };
  const { components } = JSON.parse(JSON.stringify(asOpenapi30(document)));
  return components.schemas.One;
}

describe('[O4] [ADR6] /openapi.json?version=3.0', () => {
  test('it has only what OpenAPI 3.0 knows', async () => {
    const { body } = await steward.get('/openapi.json?version=3.0');
    expect(body.openapi).toBe('3.0.3');
    expect(openapi30Problems(body)).toEqual([]);
  });

  test('the check finds what 3.1 says in another way', async () => {
    const { body } = await steward.get('/openapi.json');
    const found = openapi30Problems(body).join('\n');
    for (const expected of ['the type "null"', 'the type ["string","integer"]', 'license has no identifier'])
      expect(found).toContain(expected);
  });

  test('it describes the same operations, fields and answers', async () => {
    const [{ body: newer }, { body: older }] = [
      await steward.get('/openapi.json'),
      await steward.get('/openapi.json?version=3.0'),
    ];
    const namesIn = (document: unknown) =>
      objectsIn(document).flatMap(({ operationId, properties, name }) => [
        ...(operationId === undefined ? [] : [operationId]),
        ...(properties === undefined ? [] : Object.keys(properties ?? {})),
        ...(name === undefined ? [] : [name]),
      ]);
    expect(namesIn(older.paths)).toEqual(namesIn(newer.paths));
    expect(Object.keys(older.components.schemas)).toEqual(Object.keys(newer.components.schemas));
    expect(older.paths['/admin/mode'].post.requestBody).toEqual(newer.paths['/admin/mode'].post.requestBody);
  });

  test.each(['3', '3.1.0', '2.0', '3.0.3', 'x'])('another version is 400: %s', async (version) => {
    const { status, body } = await steward.get(`/openapi.json?version=${version}`);
    expect([status, body.error.details]).toEqual([400, ['version: must be 3.1 (the default) or 3.0']]);
  });

  test('3.1 is the default, and can be asked for', async () => {
    const [named, unnamed] = [await steward.get('/openapi.json?version=3.1'), await steward.get('/openapi.json')];
    expect([named.status, named.body.openapi]).toEqual([200, '3.1.0']);
    expect(named.body).toEqual(unnamed.body);
  });

  test('a version that is sent twice is 400, and an empty one counts as absent', async () => {
    expect((await steward.get('/openapi.json?version=3.0&version=3.0')).status).toBe(400);
    expect((await steward.get('/openapi.json?version=')).body.openapi).toBe('3.1.0');
  });
});

describe('[O4] a schema of OpenAPI 3.1 as 3.0', () => {
  test.each([
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [
      { anyOf: [{ type: 'integer', format: 'int64' }, { type: 'null' }], description: 'When.' },
      { type: 'integer', format: 'int64', nullable: true, description: 'When.' },
    ],
    [
      { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
      { type: 'string', enum: ['a', null], nullable: true },
    ],
    [
      { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] },
      { allOf: [{ $ref: '#/components/schemas/A' }], nullable: true },
    ],
    [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, { anyOf: [{ type: 'string' }, { type: 'boolean' }] }],
    [{ const: 'success' }, { enum: ['success'] }],
    [
      { type: 'object', properties: { type: { type: ['null', 'string'] }, examples: { type: 'string' } } },
      { type: 'object', properties: { type: { type: 'string', nullable: true }, examples: { type: 'string' } } },
    ],
    [
      { type: 'array', items: { const: 1 }, examples: [[1], []] },
      { type: 'array', items: { enum: [1] }, example: [1] },
    ],
    [
      { type: 'object', additionalProperties: { const: 1 } },
      { type: 'object', additionalProperties: { enum: [1] } },
    ],
    [{ type: 'string', contentMediaType: 'application/json' }, { type: 'string' }],
  ])('%j becomes %j', (newer, older) => {
    expect(rewritten(newer)).toEqual(older);
  });

  test('webhooks of the document are left out', () => {
    expect(asOpenapi30({ openapi: '3.1.0', webhooks: {} })).not.toHaveProperty('webhooks');
  });
});
