import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A stream is written past the framework, which would have added the common headers. */
export function keepHeaders(reply: FastifyReply): ServerResponse {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  return reply.raw;
}

/** Begins an answer of server-sent events. Its headers keep proxies from holding events back: nginx buffers, Caddy compresses. */
export function beginEvents(reply: FastifyReply): ServerResponse {
  return keepHeaders(reply).writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'content-encoding': 'identity',
    'x-accel-buffering': 'no',
  });
}
