import type { FastifyInstance } from 'fastify';
import type { Route } from '../server/routes.ts';
import { JSON_TYPE } from '../server/send.ts';
import { openapi } from './openapi.ts';
import { page } from './page.ts';

/** Registers the page that says where everything is, and the OpenAPI description. */
export function registerFrontPage(app: FastifyInstance, root: string, version: string, table: readonly Route[]): void {
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
  app.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(front));
  app.get('/openapi.json', (_request, reply) => reply.type(JSON_TYPE).send(description));
}
