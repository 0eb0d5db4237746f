// The least that any Fastify server does: it answers the bytes of a file from one Buffer.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const [file = ''] = process.argv.slice(2);
const answer = readFileSync(file);
const app = fastify();
app.get('/', (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
