import type { FastifyInstance } from 'fastify';
import type { Fail } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { Route } from '../server/routes.ts';
import { JSON_TYPE, sendPublic } from '../server/send.ts';
import type { OpenapiOptions } from './openapi.ts';
import { openapi } from './openapi.ts';

/** Registers the OpenAPI description of all operations. */
export function registerOpenapi(
  app: FastifyInstance,
  table: readonly Route[],
  options: OpenapiOptions,
  fail: Fail,
): void {
  let description: Buffer | undefined;
  registerRoute(app, {
    url: '/openapi.json',
    handlers: {
      GET(request, reply) {
        // Most processes are never asked for it.
        description ??= Buffer.from(JSON.stringify(openapi(table, options)));
        return sendPublic(request, reply, JSON_TYPE, description);
      },
    },
    fail,
  });
}
