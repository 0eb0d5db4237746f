import type { FastifyInstance } from 'fastify';
import type { Fail } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { Route } from '../server/routes.ts';
import { JSON_TYPE } from '../server/send.ts';
import { openapi } from './openapi.ts';
import { page } from './page.ts';

export interface FrontPageOptions {
  readonly root: string;
  readonly version: string;
  readonly table: readonly Route[];
}

/** Registers the page that says where everything is, and the OpenAPI description. */
export function registerFrontPage(app: FastifyInstance, fail: Fail, { root, version, table }: FrontPageOptions): void {
  const description = JSON.stringify(openapi(table, root, version));
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
  registerRoute(app, {
    url: '/',
    fail,
    handlers: { GET: (_request, reply) => reply.type('text/html; charset=utf-8').send(front) },
  });
  registerRoute(app, {
    url: '/openapi.json',
    fail,
    handlers: { GET: (_request, reply) => reply.type(JSON_TYPE).send(description) },
  });
}
