import fastify from 'fastify';
import { childServer } from '../harness/processes/childServer.ts';

/** Starts the least that any Fastify server does: it answers these bytes. */
export const startFastifyServer = childServer(import.meta.filename, (answer: Buffer) => {
  const app = fastify();
  app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));
  return app.listen({ port: 0, host: '127.0.0.1' });
});
