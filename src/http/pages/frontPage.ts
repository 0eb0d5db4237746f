import type { FastifyInstance } from 'fastify';
import type { Fail } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { Route } from '../server/routes.ts';
import { JSON_TYPE, sendPage, sendPublic } from '../server/send.ts';
import { openapi } from './openapi.ts';
import { page } from './page.ts';

/** Registers the page that says where everything is, and the OpenAPI description. */
export function registerFrontPage(
  app: FastifyInstance,
  root: string,
  version: string,
  table: readonly Route[],
  fail: Fail,
): void {
  let description: Buffer | undefined;
  const front = page({
    title: 'Steward',
    home: root,
    about: 'The administrative service of this deployment.',
    body: {
      version,
      administration: root,
      description: '/openapi.json',
      'token service': 'POST to /tokens/generateToken',
      catalog: ['/services', '/rest/services', '/rest/info'],
      probes: ['/healthz', '/readyz', '/metrics'],
    },
  });
  registerRoute(app, { url: '/', handlers: { GET: (_request, reply) => sendPage(reply, front) }, fail });
  registerRoute(app, {
    url: '/openapi.json',
    handlers: {
      GET(request, reply) {
        // Most processes are never asked for it.
        description ??= Buffer.from(JSON.stringify(openapi(table, root, version)));
        return sendPublic(request, reply, JSON_TYPE, description);
      },
    },
    fail,
  });
}
