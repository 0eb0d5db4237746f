import type { FastifyInstance } from 'fastify';
import { invalidField } from '../../foundation/errors.ts';
import { formOf } from '../server/request/form.ts';
import type { Fail } from '../server/registerRoute.ts';
import { registerRoute } from '../server/registerRoute.ts';
import type { Route } from '../server/route.ts';
import { JSON_TYPE, sendPublic } from '../server/send.ts';
import type { OpenapiOptions } from './openapi.ts';
import { openapi } from './openapi.ts';
import { asOpenapi30 } from './openapi30.ts';

/** Registers the OpenAPI description of all operations: 3.1, or 3.0 for generators that know no other. */
export function registerOpenapi(
  app: FastifyInstance,
  table: readonly Route[],
  options: OpenapiOptions,
  fail: Fail,
): void {
  const descriptions = new Map<string, Buffer>();
  registerRoute(app, {
    url: '/openapi.json',
    handlers: {
      GET(request, reply) {
        const { version: given = '' } = formOf(request.query);
        const version = given === '' ? '3.1' : given;
        if (version !== '3.1' && version !== '3.0') throw invalidField('version', 'must be 3.1 (the default) or 3.0');
        // Most processes are never asked for it.
        const made = (): string =>
          JSON.stringify(version === '3.1' ? openapi(table, options) : asOpenapi30(openapi(table, options)));
        const description = descriptions.get(version) ?? Buffer.from(made());
        descriptions.set(version, description);
        return sendPublic(request, reply, JSON_TYPE, description);
      },
    },
    fail,
  });
}
