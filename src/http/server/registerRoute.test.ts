import type { FastifyInstance } from 'fastify';
import fastify from 'fastify';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Fail, PostHandler } from './registerRoute.ts';
import { refuseUnusedMethod, registerRoute } from './registerRoute.ts';

const fail: Fail = (error, _request, reply) => {
  reply.status(418).send(error instanceof Error ? error.message : '');
};

describe('a route that refuses other methods', () => {
  let app: FastifyInstance;
  beforeEach(() => {
    app = fastify();
    app.addHook('onRequest', (request, reply, next) => {
      if (!refuseUnusedMethod(request, reply)) next();
    });
    const handler: PostHandler = async (_request, reply) => reply.send('done');
    registerRoute(app, { url: '/read', handlers: { GET: handler, POST: handler }, fail });
    registerRoute(app, { url: '/write', handlers: { POST: handler }, fail });
    registerRoute(app, { url: '/soap', handlers: { GET: handler, POST: handler }, fail, recommended: 'POST' });
    registerRoute(app, { url: '/get', handlers: { GET: handler }, fail });
    registerRoute(app, { url: '/files/*', handlers: { GET: handler }, fail });
  });

  test.each([
    ['GET', '/read'],
    ['HEAD', '/read'],
    ['POST', '/read'],
    ['POST', '/write'],
    ['HEAD', '/get'],
  ] as const)('answers %s %s', async (method, url) => {
    expect((await app.inject({ method, url })).statusCode).toBe(200);
  });

  test.each([
    ['GET', '/write', 'POST', 'POST'],
    ['HEAD', '/write', 'POST', 'POST'],
    ['OPTIONS', '/write', 'POST', 'POST'],
    ['PUT', '/read', 'GET, HEAD, POST', 'GET, HEAD, POST'],
    ['DELETE', '/soap', 'GET, HEAD, POST', 'POST'],
    ['POST', '/files/a/b', 'GET, HEAD', 'GET, HEAD'],
    ['PUT', '/files/a/b', 'GET, HEAD', 'GET, HEAD'],
  ] as const)('refuses %s %s through the error handler of the route', async (method, url, allow, recommended) => {
    const { statusCode, headers, body } = await app.inject({ method, url });
    expect([statusCode, headers.allow]).toEqual([418, allow]);
    expect(body).toBe(`${method} is not supported here; use ${recommended}.`);
  });

  test('refuses before the body is read, so that its type does not matter', async () => {
    const { statusCode } = await app.inject({
      method: 'PUT',
      url: '/write',
      headers: { 'content-type': 'image/png' },
      payload: 'x',
    });
    expect(statusCode).toBe(418);
  });
});
