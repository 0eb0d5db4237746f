import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendBytes } from './compression.ts';

/** Whether the caller has what bears this tag; a POST asks for it all the same. */
export function isKnown(request: FastifyRequest, tag: string): boolean {
  const known = request.headers['if-none-match'];
  return (
    request.method !== 'POST' &&
    known !== undefined &&
    known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*')
  );
}

/** An answer that says when it has not changed. */
export async function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  body: Buffer,
  type: string,
): Promise<FastifyReply> {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  reply.header('etag', tag).header('cache-control', 'no-cache');
  if (isKnown(request, tag)) return reply.status(304).send();
  return sendBytes(request, reply.type(type), body);
}
