import { promisify } from 'node:util';
import { gunzip, gzip, inflate, inflateRaw } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { StewardError } from '../../foundation/errors.ts';

const compress = promisify(gzip);
const WORTH_IT = 1400;

function wantsGzip(request: FastifyRequest): boolean {
  const accepted = request.headers['accept-encoding'];
  return typeof accepted === 'string' && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i.test(accepted);
}

const compressed = new WeakMap<Buffer, Promise<Buffer>>();

/** Compressed once for each body, off the event loop, and only for who asks for it. */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, body: Buffer): Promise<FastifyReply> {
  if (body.length < WORTH_IT) return reply.send(body);
  reply.header('vary', 'Accept-Encoding');
  if (!wantsGzip(request)) return reply.send(body);
  const known = compressed.get(body) ?? compress(body);
  compressed.set(body, known);
  return reply.header('content-encoding', 'gzip').send(await known);
}

const INFLATE = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate) } as const;

/** A body as it was before it was compressed, as long as it stays below the limit. */
export async function inflated(body: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  const name = encoding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity' || name === '') return body;
  if (!Object.hasOwn(INFLATE, name)) {
    throw new StewardError('unsupportedMedia', `The Content-Encoding ${name} is not supported; use gzip or deflate.`);
  }
  const options = { maxOutputLength: limit };
  try {
    return await INFLATE[name as keyof typeof INFLATE](body, options);
  } catch (error) {
    if (error instanceof RangeError) throw new StewardError('tooLarge', `The body is larger than ${limit} bytes.`);
    // Some send the raw form under this name.
    if (name === 'deflate') return promisify(inflateRaw)(body, options).catch(() => Promise.reject(damaged()));
    throw damaged();
  }
}

function damaged(): StewardError {
  return new StewardError('invalid', 'The compressed body is damaged.');
}
